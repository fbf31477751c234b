import { setTimeout as delay } from 'node:timers/promises';

const dayMs = 24 * 3_600_000;
const nearMs = 60_000;

/** Waits until after midnight UTC if it is less than a minute away, for tests that count by the day. */
export async function avoidMidnight(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < nearMs) await delay(leftMs);
}
