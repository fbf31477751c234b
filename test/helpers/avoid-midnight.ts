import { setTimeout as delay } from 'node:timers/promises';

const dayMs = 24 * 3_600_000;
const nearMs = 60_000;

/** Lets midnight in UTC go by where it is near: for what counts by the day, which must not end meanwhile. */
export async function clearOfMidnight(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < nearMs) await delay(leftMs);
}
