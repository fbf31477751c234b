import { liveBook } from '../domain/postings.ts';
import type { EntryDoc } from './chain.ts';
import type { Models } from './index.ts';

/**
 * The LIVE funding that an entry leaves, where it is the very one that took it below the partner's
 * threshold: so that the partner is told once per crossing. Asking again gives the same answer.
 * @returns cents; null for an entry that crossed nothing
 */
export async function crossingOf(models: Models, entry: EntryDoc | null): Promise<number | null> {
  const posting = entry?.postings.find(({ account }) => account === liveBook.funding);
  if (!entry || !posting) return null;
  const partner = await models.partners.findById(entry.partnerId).lean().orFail();
  const thresholdCents = partner.lowBalanceThresholdCents;
  const beforeCents = posting.balanceAfter - posting.amount;
  const isCrossing = beforeCents >= thresholdCents && posting.balanceAfter < thresholdCents;
  return isCrossing ? posting.balanceAfter : null;
}
