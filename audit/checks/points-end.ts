import type { CustomerBalance } from '../../domain/draft.ts';
import { endOf } from '../../domain/points-end.ts';
import type { Posting } from '../../domain/postings.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { PointsEndDoc } from '../../models/schemas/policies.ts';
import type { AuditDeps } from '../audit.ts';
import type { AuditedLedger } from '../ledgers.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

/** How far the clocks of processes may differ. */
const slackMs = 10_000;

const isEnd = ({ reference, kind }: EntryDoc): boolean =>
  kind === 'POINTS_END' || reference.startsWith('end:');
/** A refund of a reward whose points had ended. */
const meansEnded = (entry: EntryDoc): boolean =>
  !isEnd(entry) && entry.postings.some(({ account }) => /^ended(Points)?(:|$)/.test(account));

/**
 * Points ended only under a setting and as long after it as it says, moved the right accounts, and are meant only by
 * refunds of rewards that were claimed before.
 */
export const endsAreRight = ({ name, mode }: AuditedLedger): DocCheck<EntryDoc> => ({
  name: `${name}: points ended by a setting, and once`,
  async problemsOf({ models }, partnerId, entries) {
    const ends = entries.filter(isEnd);
    const meant = entries.filter(meansEnded);
    if (ends.length + meant.length === 0) return [];
    const rewardIds = meant.flatMap(({ rewardId }) => rewardId ?? []);
    const [settings, rewards] = await Promise.all([
      models.pointsEnds.find({ partnerId, mode }).sort({ _id: 1 }),
      models.rewards.find({ partnerId, _id: { $in: rewardIds } }, { moves: 1, customerId: 1 }),
    ]);
    const customers = await models.customerBalances.find({
      partnerId,
      mode,
      customerId: { $in: rewards.map(({ customerId }) => customerId) },
    });
    const problems = [
      ...ends.map((doc) => ({ doc, problem: endProblem(doc, settings) })),
      ...meant.map((doc) => {
        const reward = rewards.find(({ _id }) => _id === doc.rewardId);
        const claimedAt = reward?.moves.findLast(({ move }) => move === 'CLAIM')?.at;
        const ended = customers.find(({ customerId }) => customerId === reward?.customerId)?.ended;
        const isMeant =
          claimedAt !== undefined && ended && claimedAt > ended.after && claimedAt <= ended.until;
        const problem = isMeant ? undefined : 'no points of its reward had ended';
        return { doc, problem };
      }),
    ];
    return problems.flatMap(({ doc, problem }) =>
      problem === undefined
        ? []
        : [{ doc, text: `${doc._id} (${doc.reference}), partner ${partnerId}: ${problem}` }],
    );
  },
});

function endProblem(entry: EntryDoc, settings: readonly PointsEndDoc[]): string | undefined {
  const { kind, reference, mode, at, postings } = entry;
  const [, customerId = '', time = ''] = /^end:(cus_[^:]+):(.+)$/.exec(reference) ?? [];
  const endsAt = new Date(time);
  if (kind !== 'POINTS_END' || customerId === '' || Number.isNaN(endsAt.getTime())) {
    return 'it is not written as an end of points';
  }
  const isBy = ({ after, since }: PointsEndDoc): boolean =>
    after !== null &&
    since.getTime() <= at.getTime() + slackMs &&
    // The TEST clock does not wait.
    (mode === 'TEST' || !isBefore(endsAt, endOf(after, since)));
  if (!settings.some(isBy)) return 'no setting ends points by then';
  if (mode === 'LIVE' && isBefore(at, endsAt)) return `its time was ${time}`;
  const amountOf = (account: string) =>
    postings.find((one) => one.account === account)?.amount ?? 0;
  const points = 0 - amountOf(`points:${customerId}`);
  const cents = 0 - amountOf(`payable:${customerId}`);
  if (points <= 0) return 'no points ended';
  const isFromCash = mode === 'TEST' && amountOf('cash') !== 0;
  const move = (unit: Posting['unit'], from: string, to: string, amount: number): Posting[] => [
    { account: from, unit, amount: 0 - amount },
    { account: to, unit, amount },
  ];
  const should = [
    ...move('CENTS', `payable:${customerId}`, isFromCash ? 'cash' : 'funding', cents),
    ...move('CENTS', 'ended', `ended:${customerId}`, cents),
    ...move('POINTS', `points:${customerId}`, `endedPoints:${customerId}`, points),
  ];
  const moving = (some: readonly Posting[]) => spelled(some.filter(({ amount }) => amount !== 0));
  return moving(postings) === moving(should)
    ? undefined
    : `it moves ${moving(postings)}, and should move ${moving(should)}`;
}

const activities: readonly string[] = ['CLAIM', 'HOLD', 'REDEEM', 'REVERSE'];

/** How a customer stands, as far as the entries were read. */
interface Standing {
  points: number;
  held: number;
  owed: number;
  kept: number;
  keptAtMost: number;
  activeAt: Date | null;
}

/** Replays the entries of each customer whose points end: what never ends, the newest activity, and what has ended. */
export const pointsEndOnTime: DocCheck<CustomerBalance> = {
  name: 'customers: points end as their entries say',
  async problemsOf({ models }, partnerId, customers) {
    const ids = customers.flatMap(({ ending }) => ending?.settingId ?? []);
    const settings = await models.pointsEnds.find({ partnerId, _id: { $in: ids } });
    const found = await Promise.all(
      customers.map(async (doc) => {
        const setting = settings.find(({ _id }) => _id === doc.ending?.settingId);
        const problem = await problemOf(models, doc, setting);
        const named = `${doc.customerId}, partner ${partnerId}, ${doc.mode}`;
        return problem === undefined ? [] : [{ doc, text: `${named}: ${problem}` }];
      }),
    );
    return found.flat();
  },
};

async function problemOf(
  models: AuditDeps['models'],
  customer: CustomerBalance,
  setting: PointsEndDoc | undefined,
): Promise<string | undefined> {
  const { partnerId, mode, customerId, ending } = customer;
  if (ending === undefined) return undefined;
  if (!setting?.after || setting.mode !== mode) return 'stands under no setting of its mode';
  const { after, since } = setting;
  const of = (account: string) => `${account}:${customerId}`;
  const entries = await models.ledger
    .find({
      partnerId,
      mode,
      'postings.account': { $in: [of('points'), of('heldPoints')] },
    })
    .sort({ seq: 1 });
  const isOlder = await olderRedemptions(models, partnerId, entries, since);
  const at: Standing = { points: 0, held: 0, owed: 0, kept: 0, keptAtMost: 0, activeAt: null };
  if (!entries.some(({ seq }) => seq === ending.fromSeq)) return 'begins with no entry of its own';
  for (const entry of entries) {
    const { seq, kind, postings } = entry;
    const before = { ...at };
    const totalBefore = before.points + before.held;
    const balanceOf = (account: string, otherwise: number) =>
      postings.find((one) => one.account === account)?.balanceAfter ?? otherwise;
    at.points = balanceOf(of('points'), at.points);
    at.held = balanceOf(of('heldPoints'), at.held);
    at.owed = balanceOf(of('payable'), at.owed);
    const total = at.points + at.held;
    if (seq === ending.fromSeq) {
      if (!activities.includes(kind)) return `${entry.reference} is no activity`;
      at.kept = totalBefore;
      at.keptAtMost = totalBefore;
    }
    if (seq < ending.fromSeq) continue;
    if (kind === 'POINTS_END') {
      const ends = Math.max(0, Math.min(before.points, totalBefore - at.kept));
      const cents =
        ends === before.points
          ? before.owed
          : Number((BigInt(before.owed) * BigInt(ends)) / BigInt(before.points));
      const [gone, goneCents] = [before.points - at.points, before.owed - at.owed];
      if (gone !== ends || goneCents !== cents) {
        return `${entry.reference} ended ${gone} points and ${goneCents} cents, instead of ${ends} and ${cents}`;
      }
      const endedAt = new Date(entry.reference.slice(`end:${customerId}:`.length));
      if (mode === 'LIVE' && at.activeAt !== null && isBefore(endedAt, endOf(after, at.activeAt))) {
        return `${entry.reference} is too soon after ${at.activeAt.toISOString()}`;
      }
    }
    const back = kind === 'REVERSE' ? total - totalBefore : 0;
    if (back > 0 && isOlder(entry)) at.keptAtMost += back;
    if (back > 0) at.kept = Math.min(at.kept + back, at.keptAtMost);
    at.kept = Math.min(at.kept, total);
    if (activities.includes(kind)) at.activeAt = entry.at;
  }
  if (at.activeAt === null) return 'has no activity under its setting';
  if (at.kept !== ending.kept || at.keptAtMost !== ending.keptAtMost) {
    return `keeps ${ending.kept} of at most ${ending.keptAtMost} points, its entries say ${at.kept} of ${at.keptAtMost}`;
  }
  const apart = Math.abs(at.activeAt.getTime() - ending.activeAt.getTime());
  if (apart > slackMs) {
    return `was active at ${ending.activeAt.toISOString()}, its entries say ${at.activeAt.toISOString()}`;
  }
  const [endsAt, should] = [ending.endsAt.getTime(), endOf(after, ending.activeAt).getTime()];
  // A notice that was given late moves the end, and the TEST clock.
  const isRight = ending.told === 0 ? endsAt === should : mode === 'TEST' || endsAt >= should;
  return isRight ? undefined : `its points end at ${ending.endsAt.toISOString()}`;
}

const isBefore = (at: Date, other: Date): boolean => at.getTime() < other.getTime() - slackMs;

/** @returns whether the redemption that an entry reverses was made before a time */
async function olderRedemptions(
  { redemptions }: AuditDeps['models'],
  partnerId: string,
  entries: readonly EntryDoc[],
  since: Date,
): Promise<(entry: EntryDoc) => boolean> {
  const idOf = ({ reference }: EntryDoc) => reference.split(':')[1] ?? '';
  const ids = entries.filter(({ kind }) => kind === 'REVERSE').map(idOf);
  const found =
    ids.length === 0
      ? []
      : await redemptions.find({ partnerId, _id: { $in: ids }, createdAt: { $lt: since } });
  const older = new Set(found.map(({ _id }) => _id));
  return (entry) => older.has(idOf(entry));
}
