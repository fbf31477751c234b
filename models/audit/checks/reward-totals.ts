import type { RewardStatus } from '../../../domain/reward-states.ts';
import type { RewardTallyDoc, RewardTotalsDoc, Total } from '../../schemas/reward-totals.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { partnersOf } from '../pages.ts';
import type { Finding } from '../report.ts';

const name = 'totals: every reward counts once, in its day and state';

/** What rewards of a day say: the state that they are counted in, and whether that is known to be the old one. */
interface Group extends Total {
  _id: Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'> & {
    as: RewardStatus | null;
    isForgotten: boolean;
  };
}

/**
 * The totals of each day are what its rewards say that they are counted as, and each reward is counted as it
 * stands, or is marked to be. All is read of one instant; a batch that is being counted at that instant is
 * looked at again.
 */
export const rewardTotals: Check = {
  name,
  async run(deps, report) {
    report.looked(name, 0);
    for await (const partnerId of partnersOf(deps)) {
      const { rewards, problem } = await lookAt(deps, partnerId);
      report.looked(name, rewards);
      if (problem === undefined) continue;
      report.suspect(name, problem, async (): Promise<Finding | undefined> => {
        const again = await lookAt(deps, partnerId);
        return again.problem === undefined ? undefined : { text: again.problem };
      });
      await deps.pace();
    }
  },
};

async function lookAt({ models }: AuditDeps, partnerId: string) {
  const { connection } = models;
  const session = await connection.startSession({ snapshot: true });
  try {
    const groups = await models.rewards.collection
      .aggregate<Group>(
        [
          { $match: { partnerId } },
          {
            $group: {
              _id: {
                mode: '$mode',
                currency: '$currency',
                day: { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } },
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
        { session, allowDiskUse: true },
      )
      .toArray();
    const totals = await models.rewardTotals.collection
      .find<RewardTotalsDoc>({ partnerId }, { session })
      .toArray();
    const tally = await models.rewardTallies.collection.findOne<RewardTallyDoc>(
      { _id: partnerId as never, partnerId },
      { session },
    );
    const rewards = groups.reduce((sum, one) => sum + one.rewards, 0);
    return { rewards, problem: problemOf(partnerId, groups, totals, tally) };
  } finally {
    await session.endSession();
  }
}

function problemOf(
  partnerId: string,
  groups: readonly Group[],
  totals: readonly RewardTotalsDoc[],
  tally: RewardTallyDoc | null,
): string | undefined {
  const forgotten = groups.find(({ _id }) => _id.isForgotten);
  if (forgotten) {
    return `partner ${partnerId}, ${forgotten._id.mode}, ${forgotten._id.day}: ${forgotten.rewards} rewards are not counted as they stand, and not marked`;
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
    if (said === held) continue;
    const during = tally?.open ? `, while batch ${tally.batch} is being counted` : '';
    return `partner ${partnerId}, ${key}: the totals say ${said}, the rewards ${held}${during}`;
  }
  return undefined;
}

const keyOf = (
  { mode, currency, day }: Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'>,
  state: string,
): string => `${mode}, ${currency}, ${day}, ${state}`;

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
