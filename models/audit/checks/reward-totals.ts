import { dayOf } from '../../../domain/billing.ts';
import { modes } from '../../../domain/mode.ts';
import type { RewardStatus } from '../../../domain/reward.ts';
import { dayMs, dayStartMs } from '../../../domain/utc-days.ts';
import { idBound } from '../../../platform/ids.ts';
import type { RewardDoc, RewardTotalsDoc, Total } from '../../schemas/rewards.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { Finding } from '../report.ts';

const name = 'totals: every reward counts once, in its day and state';

/**
 * The time between receiving a purchase and creating its id, with a large margin that also covers
 * differing clocks.
 */
const marginMs = 3_600_000;

const majority = { readConcern: { level: 'majority' } } as const;

/** The rewards of a day in one state as counted, and whether they are known to have moved since. */
interface Group extends Total {
  _id: Pick<RewardTotalsDoc, 'mode' | 'currency'> & {
    as: RewardStatus | null;
    isForgotten: boolean;
  };
}

/**
 * The totals of each day match what its rewards are counted as, and each reward is counted in its
 * current state or marked to be. A day that a batch changes meanwhile is checked again.
 */
export const rewardTotals: Check = {
  name,
  async run(deps, report) {
    report.looked(name, 0);
    for await (const partnerId of deps.partners()) {
      for await (const day of daysOf(deps, partnerId)) {
        const { rewards, finding } = await lookAt(deps, partnerId, day);
        report.looked(name, rewards);
        if (finding) {
          const lookAgain = async () => (await lookAt(deps, partnerId, day)).finding;
          report.suspect(name, finding.text, lookAgain);
        }
        await deps.pace();
      }
    }
  },
};

async function* daysOf({ models }: AuditDeps, partnerId: string): AsyncGenerator<string> {
  const { rewards, rewardTotals: totals } = models;
  const left = new Set<string>(await totals.distinct('day', { partnerId }));
  for (let fromMs = 0; ; ) {
    const next = await rewards.collection.findOne<Pick<RewardDoc, 'createdAt'>>(
      {
        partnerId,
        createdAt: { $gte: new Date(fromMs) },
        _id: { $gt: idBound('reward', fromMs - marginMs) as never },
      },
      { sort: { _id: 1 }, projection: { createdAt: 1 }, hint: { partnerId: 1, _id: 1 } },
    );
    if (next === null) break;
    const startMs = dayStartMs(dayOf(next.createdAt.toISOString()));
    // By id, the last rewards of a day may come after the first ones of the next.
    const isFirst = next.createdAt.getTime() - startMs < marginMs && startMs - dayMs >= fromMs;
    for (const atMs of isFirst ? [startMs - dayMs, startMs] : [startMs]) {
      const day = dayOf(new Date(atMs).toISOString());
      left.delete(day);
      yield day;
    }
    fromMs = startMs + dayMs;
  }
  yield* left;
}

/**
 * Counts a day's rewards between two reads of its totals. A batch is stored first, then applied to
 * the day and then to the rewards: nothing was counted in between if the day is unchanged and no
 * batch with it was open after the first read.
 */
async function lookAt(
  { models }: AuditDeps,
  partnerId: string,
  day: string,
): Promise<{ rewards: number; finding?: Finding }> {
  const readTotals = () =>
    models.rewardTotals.collection
      .find({ partnerId, mode: { $in: modes }, day }, majority)
      .toArray();
  const totals = await readTotals();
  const tally = await models.rewardTallies.collection.findOne(
    { _id: partnerId, partnerId },
    majority,
  );
  const groups = await groupsOf(models, partnerId, day);
  const isOpen = tally?.open?.some((reward) => reward.day === day) ?? false;
  const isChanged = batchesOf(await readTotals()) !== batchesOf(totals);
  const rewards = groups.reduce((sum, one) => sum + one.rewards, 0);
  const where = `partner ${partnerId}, ${day}`;
  if (isOpen || isChanged) {
    const text = `${where}: rewards are being counted`;
    return { rewards, finding: { text, waitingSince: new Date() } };
  }
  const problem = problemOf(groups, totals);
  return { rewards, ...(problem !== undefined && { finding: { text: `${where}, ${problem}` } }) };
}

const batchesOf = (totals: readonly RewardTotalsDoc[]): string =>
  totals
    .map(({ _id, batch }) => `${_id} ${batch}`)
    .toSorted()
    .join();

async function groupsOf({ rewards }: AuditDeps['models'], partnerId: string, day: string) {
  const startMs = dayStartMs(day);
  const endMs = startMs + dayMs;
  return await rewards.collection
    .aggregate<Group>(
      [
        {
          $match: {
            partnerId,
            createdAt: { $gte: new Date(startMs), $lt: new Date(endMs) },
            _id: {
              $gt: idBound('reward', startMs - marginMs),
              $lt: idBound('reward', endMs + marginMs),
            },
          },
        },
        {
          $group: {
            _id: {
              mode: '$mode',
              currency: '$currency',
              as: { $ifNull: ['$counted.as', null] },
              isForgotten: {
                $and: [
                  { $ne: [{ $ifNull: ['$toCount', false] }, true] },
                  { $ne: ['$counted.as', '$status'] },
                ],
              },
            },
            rewards: { $sum: 1 },
            points: { $sum: '$points' },
            cents: { $sum: '$liabilityCents' },
          },
        },
      ],
      { hint: { partnerId: 1, _id: 1 }, ...majority },
    )
    .toArray();
}

function problemOf(
  groups: readonly Group[],
  totals: readonly RewardTotalsDoc[],
): string | undefined {
  const forgotten = groups.find(({ _id }) => _id.isForgotten);
  if (forgotten) {
    return `${forgotten._id.mode}: ${forgotten.rewards} rewards are not counted as they stand, and not marked`;
  }
  const expected = new Map<string, Total>();
  for (const { _id, ...group } of groups) {
    if (_id.as !== null) add(expected, keyOf(_id, _id.as), group);
  }
  const found = new Map<string, Total>();
  for (const day of totals) {
    for (const [state, total] of Object.entries(day.states)) {
      add(found, keyOf(day, state), total);
    }
  }
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [said, held] = [spelled(found.get(key)), spelled(expected.get(key))];
    if (said !== held) return `${key}: the totals say ${said}, the rewards ${held}`;
  }
  return undefined;
}

const keyOf = (
  { mode, currency }: Pick<RewardTotalsDoc, 'mode' | 'currency'>,
  state: string,
): string => `${mode}, ${currency}, ${state}`;

function add(to: Map<string, Total>, key: string, { rewards, points, cents }: Total): void {
  const sum = to.get(key) ?? { rewards: 0, points: 0, cents: 0 };
  to.set(key, {
    rewards: sum.rewards + rewards,
    points: sum.points + points,
    cents: sum.cents + cents,
  });
}

const spelled = (total: Total = { rewards: 0, points: 0, cents: 0 }): string =>
  `${total.rewards} rewards, ${total.points} points, ${total.cents} cents`;
