import { liveAccounts } from '../../domain/postings.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import { createPartnerLoader } from '../store/loaders.ts';

/**
 * An entry with which the LIVE funding crossed the partner's threshold, and the balance after it.
 */
export interface Crossing {
  entry: EntryDoc;
  /** The funding after the entry. */
  balanceCents: number;
  thresholdCents: number;
}

/**
 * Finds the entries with which the LIVE funding fell below the threshold, or rose back to it, so
 * that the partner is notified once per crossing. The result for an entry is always the same.
 */
export function createCrossings(models: Models) {
  const findPartner = createPartnerLoader(models);
  /** @param entries of one partner */
  return async (
    partnerId: string,
    entries: readonly EntryDoc[],
    way: 'DOWN' | 'UP',
  ): Promise<Crossing[]> => {
    const fundings = entries.flatMap((entry) => {
      const posting = entry.postings.find(({ account }) => account === liveAccounts.funding);
      return posting && posting.amount < 0 === (way === 'DOWN') ? [{ entry, ...posting }] : [];
    });
    if (fundings.length === 0) return [];
    const { lowBalanceThresholdCents: thresholdCents } = await findPartner(partnerId);
    const isLow = (cents: number) => cents < thresholdCents;
    return fundings
      .filter(({ balanceAfter, amount }) => isLow(balanceAfter) !== isLow(balanceAfter - amount))
      .map(({ entry, balanceAfter }) => ({ entry, balanceCents: balanceAfter, thresholdCents }));
  };
}
