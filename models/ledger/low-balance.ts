import { liveAccounts } from '../../domain/accounts.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { Models } from '../schemas/index.ts';
import { createFindPartner } from '../store/find-together.ts';

/** An entry that took the LIVE funding below its partner's threshold, and what it left. */
export interface Crossing {
  entry: EntryDoc;
  lowBalanceCents: number;
  thresholdCents: number;
}

/**
 * Finds the entries that are the very ones that took the LIVE funding below the threshold: so that the
 * partner is told once per crossing. Asking again gives the same answer.
 */
export function createCrossings(models: Models) {
  const findPartner = createFindPartner(models);
  /** @param entries of one partner */
  return async (partnerId: string, entries: readonly EntryDoc[]): Promise<Crossing[]> => {
    const fundings = entries.flatMap((entry) => {
      const posting = entry.postings.find(({ account }) => account === liveAccounts.funding);
      return posting ? [{ entry, ...posting }] : [];
    });
    if (fundings.length === 0) return [];
    const { lowBalanceThresholdCents: thresholdCents } = await findPartner(partnerId);
    return fundings
      .filter(
        ({ balanceAfter, amount }) =>
          balanceAfter - amount >= thresholdCents && balanceAfter < thresholdCents,
      )
      .map(({ entry, balanceAfter }) => ({ entry, lowBalanceCents: balanceAfter, thresholdCents }));
  };
}
