import { liveAccounts } from '../../domain/accounts.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { Models } from '../schemas/index.ts';
import { createFindPartner } from '../store/find-together.ts';

/** An entry that took the LIVE funding over its partner's threshold, and what it left. */
export interface Crossing {
  entry: EntryDoc;
  /** Of the funding, after it. */
  balanceCents: number;
  thresholdCents: number;
}

/**
 * Finds the entries that are the very ones that took the LIVE funding below the threshold, or back to it
 * or above: so that the partner is told once per crossing. Asking again gives the same answer.
 */
export function createCrossings(models: Models) {
  const findPartner = createFindPartner(models);
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
