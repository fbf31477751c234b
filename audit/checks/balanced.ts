import { balance, UnbalancedError } from '../../domain/postings.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { DocCheck } from '../sources.ts';

/** Every transaction sums to zero per unit. */
export const balanced = (chainName: string): DocCheck<EntryDoc> => ({
  name: `${chainName}: every transaction balances`,
  async problemsOf(_deps, _partnerId, entries) {
    return entries.flatMap((doc) => {
      const problem = problemOf(doc);
      return problem === undefined
        ? []
        : [{ doc, text: `${doc._id} (${doc.reference}): ${problem}` }];
    });
  },
});

function problemOf({ postings }: EntryDoc): string | undefined {
  try {
    return balance(postings).length === 0 ? 'it moves nothing' : undefined;
  } catch (error) {
    if (error instanceof UnbalancedError) return error.message;
    throw error;
  }
}
