import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../schemas/index.ts';

/** What has waited for so long shows that the service is behind. */
const behindMs = 2_000;
/** How often is looked whether it is. */
const lookEveryMs = 1_000;
/** A page that took longer is not paid back in full: the audit has to end as well. */
const longestPauseMs = 1_000;

/**
 * As fast as it goes while the service keeps up; while it is behind, the audit rests after each page for
 * as long as the page took, so that it never takes more than half of what it could.
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
      isBehind = (await orderEvents.exists({ pendingSince: { $lt: before } })) !== null;
    }
    if (isBehind) await delay(Math.min(longestPauseMs, nowMs - pageBeganMs));
    pageBeganMs = performance.now();
  };
}
