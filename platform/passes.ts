import { setTimeout as delay } from 'node:timers/promises';

/** How long a check of another server may take: less than what asks for it waits. */
export const checkPatienceMs = 2_000;

/** Whether a check succeeds in time, and does not say no. */
export const passes = (check: () => Promise<unknown>): Promise<boolean> =>
  Promise.race([
    check().then(
      (result) => result !== false,
      () => false,
    ),
    delay(checkPatienceMs, false, { ref: false }),
  ]);
