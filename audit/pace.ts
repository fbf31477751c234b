import { setTimeout as delay } from 'node:timers/promises';
import { modes } from '../domain/mode.ts';
import { isDue } from '../models/schemas/due.ts';
import type { Models } from '../models/schemas/index.ts';

/** The service is behind if a purchase has waited this long. */
const behindMs = 2_000;
const lookEveryMs = 1_000;
/** The longest pause, so that the audit finishes even if pages are slow. */
const longestPauseMs = 1_000;

/**
 * Paces the audit: at full speed while the service keeps up. While it is behind, the audit pauses
 * after each page for as long as the page took, so that it uses at most half of what it could.
 */
export function createPace({ orderEvents }: Pick<Models, 'orderEvents'>): () => Promise<void> {
  let pageBeganMs = performance.now();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let isBehind = false;

  return async () => {
    const nowMs = performance.now();
    if (nowMs - lookedAtMs >= lookEveryMs) {
      lookedAtMs = nowMs;
      const before = new Date(Date.now() - behindMs);
      isBehind =
        (await orderEvents.exists({
          mode: { $in: modes },
          'due.setApartAt': null,
          'due.since': { ...isDue['due.since'], $lt: before },
        })) !== null;
    }
    if (isBehind) await delay(Math.min(longestPauseMs, nowMs - pageBeganMs));
    pageBeganMs = performance.now();
  };
}
