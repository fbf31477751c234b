import { expiryNoticeDays } from '../../domain/partners.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { type Announcement, deliveryRetentionMs, withoutReward } from '../../domain/webhooks.ts';
import type { Models } from '../schemas/index.ts';
import { reviewQueueIndexes } from '../schemas/reviews.ts';
import { announce } from './announce.ts';
import { reviewAnnounced } from './announcements.ts';

/** Older ones may have been deleted after their delivery, and would be made again. */
const lookBackMs = deliveryRetentionMs - dayMs;
/** The most overdue reviews that are announced at a time; the portal's pages show all. */
const maxReviews = 100;

/**
 * Announces what time brings, and nobody's deed: that a secret of a LIVE key expires soon, and that a review is
 * overdue. Safe to repeat.
 * @returns how many deliveries there are of these
 */
export async function announceDue(models: Models, now: Date): Promise<number> {
  const since = new Date(+now - lookBackMs);
  const [expiring, overdue] = await Promise.all([
    expiringSecrets(models, since, now),
    overdueReviews(models, since, now),
  ]);
  return (await announce(models, [...expiring, ...overdue])).length;
}

async function expiringSecrets(
  { credentials }: Models,
  since: Date,
  now: Date,
): Promise<Announcement[]> {
  const later = (at: Date, days: number) => new Date(+at + days * dayMs);
  const expiresAt = {
    $gte: later(since, Math.min(...expiryNoticeDays)),
    $lte: later(now, Math.max(...expiryNoticeDays)),
  };
  const found = await credentials.find({
    revokedAt: null,
    secrets: { $elemMatch: { revokedAt: null, expiresAt } },
  });
  return found.flatMap(({ _id: credentialId, partnerId, integrationId, mode, scopes, secrets }) =>
    secrets.flatMap(({ secretId, expiresAt, revokedAt }) =>
      expiryNoticeDays.flatMap((days): Announcement[] => {
        const at = expiresAt && later(expiresAt, -days);
        if (revokedAt !== null || at === null || at < since || at > now) return [];
        const data = { credentialId, integrationId, scopes, secretId, expiresAt };
        const of = { ...withoutReward, partnerId, mode };
        return [{ ...of, type: 'credential.expiring', at, cause: `${secretId} ${days}`, data }];
      }),
    ),
  );
}

async function overdueReviews(
  { reviews }: Models,
  since: Date,
  now: Date,
): Promise<Announcement[]> {
  const overdue = await reviews
    .find({ status: 'OPEN', mode: 'LIVE', dueAt: { $gte: since, $lte: now } })
    .sort({ dueAt: -1 })
    .hint(reviewQueueIndexes.all)
    .limit(maxReviews);
  return overdue.map((review) => reviewAnnounced('review.due', review));
}
