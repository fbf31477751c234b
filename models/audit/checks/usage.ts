import type { RewardState } from '../../../domain/reward.ts';
import type { Models } from '../../schemas/index.ts';
import { atOneMoment, type OneMoment } from '../at-one-moment.ts';
import type { Check } from '../audit.ts';

/** The states of a reward whose points count. */
const funded: RewardState[] = ['FUNDED', 'AVAILABLE', 'IN_REVIEW'];

const name = 'usage: periods and days count every funded LIVE reward once';

/**
 * What each period and day says is the sum of the rewards that are counted in it, as of one moment: a
 * reward that is funded in LIVE is counted in one of each, and no other is.
 */
export const usageIsRight: Check = {
  name,
  async run({ models, partners, pace }, report) {
    report.looked(name, 0);
    for await (const partnerId of partners()) {
      const problems = await atOneMoment(models, (moment) => problemsOf(models, partnerId, moment));
      for (const problem of problems) report.fault(name, `partner ${partnerId}, ${problem}`);
      report.looked(name, 1);
      await pace();
    }
  },
};

interface Sum {
  _id: string;
  points: number;
  cents?: number;
}

async function problemsOf(
  { rewards, usagePeriods, usageDays }: Models,
  partnerId: string,
  moment: OneMoment,
): Promise<string[]> {
  const sumsBy = (key: string) =>
    rewards.collection
      .aggregate<Sum>(
        [
          { $match: { partnerId, mode: 'LIVE', 'countedIn.periodId': { $type: 'string' } } },
          {
            $group: {
              _id: `$countedIn.${key}`,
              points: { $sum: '$points' },
              cents: { $sum: '$liabilityCents' },
            },
          },
        ],
        moment,
      )
      .toArray();
  const [byPeriod, byDay, periods, days, wrong] = [
    await sumsBy('periodId'),
    await sumsBy('day'),
    await usagePeriods.collection.find({ partnerId }, moment).toArray(),
    await usageDays.collection.find({ partnerId }, moment).toArray(),
    await rewards.collection
      .find(
        {
          partnerId,
          $or: [
            { mode: 'LIVE', state: { $in: funded }, countedIn: null },
            { mode: 'LIVE', state: { $nin: funded }, countedIn: { $ne: null } },
            { mode: 'TEST', countedIn: { $ne: null } },
          ],
        },
        { ...moment, limit: 20 },
      )
      .toArray(),
  ];
  return [
    ...wrong.map(({ _id, mode, state }) => `reward ${_id}: ${mode}, ${state}, is counted wrongly`),
    ...compare(
      byPeriod,
      periods.map(({ _id, points }) => ({ _id, points })),
    ),
    ...compare(
      byDay,
      days.map(({ day, points, cents }) => ({ _id: day, points, cents })),
    ),
  ];
}

function compare(rewards: readonly Sum[], stored: readonly Sum[]): string[] {
  const saidOf = new Map(stored.map((one) => [one._id, one]));
  const sumOf = new Map(rewards.map((one) => [one._id, one]));
  return [...new Set([...saidOf.keys(), ...sumOf.keys()])].flatMap((id) => {
    const [said, sum] = [saidOf.get(id), sumOf.get(id)];
    const isRight =
      (said?.points ?? 0) === (sum?.points ?? 0) &&
      (said?.cents === undefined || said.cents === (sum?.cents ?? 0));
    return isRight ? [] : [`${id}: it says ${spelled(said)}, its rewards ${spelled(sum)}`];
  });
}

/** Only days have a cost. */
const spelled = ({ points, cents }: Omit<Sum, '_id'> = { points: 0 }): string =>
  cents === undefined ? `${points} points` : `${points} points and ${cents} cents`;
