import type { Posting } from '../../domain/postings.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { AuditedLedger } from '../ledgers.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

const prefix = 'settle:';

/** By its reference or its kind, so that forging one of them is not enough. */
const isSettlement = ({ reference, kind }: EntryDoc): boolean =>
  kind === 'SETTLE' || reference.startsWith(prefix);

/**
 * What was written off is settled right after the customer gained something, and as far as that goes. Written
 * independently of the code that does it.
 */
export const settlementsFollowGains = ({ name, mode }: AuditedLedger): DocCheck<EntryDoc> => ({
  name: `${name}: every settlement follows what the customer gained`,
  async problemsOf({ models }, partnerId, entries) {
    const settlements = entries.filter(isSettlement);
    if (settlements.length === 0) return [];
    const gains = await models.ledger.find(
      { partnerId, mode, reference: { $in: settlements.map(gainOf) } },
      { reference: 1, seq: 1, postings: 1 },
    );
    return settlements.flatMap((doc) => {
      const gain = gains.find((one) => one.reference === gainOf(doc));
      const problem = problemOf(doc, gain);
      return problem === undefined
        ? []
        : [{ doc, text: `${doc._id} (${doc.reference}), partner ${partnerId}: ${problem}` }];
    });
  },
});

const gainOf = ({ reference }: EntryDoc): string => reference.slice(prefix.length);

type Gain = Pick<EntryDoc, 'seq' | 'postings'>;

function problemOf(entry: EntryDoc, gain: Gain | undefined): string | undefined {
  if (entry.kind !== 'SETTLE') return `it is ${entry.kind}, and should be SETTLE`;
  if (gain === undefined || gain.seq >= entry.seq) return 'nothing was gained before it';
  const customer = (some: Gain) =>
    some.postings.flatMap(({ account }) => /^points:(.+)$/.exec(account)?.[1] ?? [])[0];
  const customerId = customer(entry);
  if (customerId === undefined || customer(gain) !== customerId) {
    return 'somebody else gained before it';
  }
  const before = (name: string): number => {
    const posting = entry.postings.find(({ account }) => account === `${name}:${customerId}`);
    return posting === undefined ? 0 : posting.balanceAfter - posting.amount;
  };
  const [owed, free] = [before('payable'), before('points')];
  const [lostCents, lostPoints] = [before('writeOff'), before('pointsWriteOff')];
  const cents = Math.min(lostCents, free > lostPoints ? Math.max(0, owed - 1) : owed);
  const points = Math.min(lostPoints, Math.max(0, owed > cents ? free - 1 : free));
  const move = (unit: Posting['unit'], from: string, to: string, amount: number): Posting[] => [
    { account: from, unit, amount: -amount },
    { account: to, unit, amount },
  ];
  // A TEST wallet without limit is paid from `cash`.
  const isFromCash =
    entry.mode === 'TEST' && entry.postings.some(({ account }) => account === 'cash');
  const should = [
    ...move('CENTS', `payable:${customerId}`, isFromCash ? 'cash' : 'funding', cents),
    ...move('CENTS', `writeOff:${customerId}`, 'redeemed', cents),
    ...move('POINTS', `points:${customerId}`, 'pointsIssued', points),
    ...move('POINTS', `pointsWriteOff:${customerId}`, 'pointsRedeemed', points),
  ];
  const moving = (some: readonly Posting[]) => spelled(some.filter(({ amount }) => amount !== 0));
  if (moving(entry.postings) === moving(should)) return undefined;
  return `it moves ${moving(entry.postings)}, and should move ${moving(should)}`;
}
