import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { AuditedLedger } from '../ledgers.ts';
import type { DocCheck } from '../sources.ts';

/** The ledger contains neither accounts nor rewards of the other mode. */
export function ownMode({ name, mode, accounts }: AuditedLedger): DocCheck<EntryDoc> {
  const other = mode === 'LIVE' ? 'TEST' : 'LIVE';
  return {
    name: `${name}: nothing ${other}`,
    async problemsOf({ models }, partnerId, entries) {
      const rewardIds = entries.flatMap(({ rewardId }) => (rewardId === null ? [] : [rewardId]));
      const strangers = new Set(
        await models.rewards.distinct('_id', { partnerId, _id: { $in: rewardIds }, mode: other }),
      );
      return entries.flatMap((doc) => {
        const named = `${doc._id} (${doc.reference})`;
        const foreign = doc.postings.find(({ account }) => !accounts.test(account));
        if (foreign) return [{ doc, text: `${named}: account ${foreign.account}` }];
        if (doc.rewardId !== null && strangers.has(doc.rewardId)) {
          return [{ doc, text: `${named}: reward ${doc.rewardId} is ${other}` }];
        }
        return [];
      });
    },
  };
}
