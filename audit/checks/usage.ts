import type { CountedIn, RewardState } from '../../domain/reward.ts';
import type { Models } from '../../models/schemas/index.ts';
import { atOneMoment, type OneMoment } from '../at-one-moment.ts';
import type { Check } from '../audit.ts';

/** The states of a reward whose points count. */
const funded: RewardState[] = ['FUNDED', 'AVAILABLE', 'IN_REVIEW'];

const name = 'usage: periods and days count every funded LIVE reward once';

/**
 * What each period says, in all and of each day, is the sum of the rewards that are counted in it, as of one moment:
 * a reward that is funded in LIVE is counted in one of each, and no other is.
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

/** What a period counts in all, and on one day of it. */
interface Counted {
  points: number;
  cents?: number;
}

async function problemsOf(
  { rewards, usagePeriods }: Models,
  partnerId: string,
  moment: OneMoment,
): Promise<string[]> {
  const sumsBy = async (...fields: ('periodId' | 'day')[]) => {
    const key = Object.fromEntries(fields.map((field) => [field, `$countedIn.${field}`]));
    const sums = await rewards.collection
      .aggregate<{ _id: CountedIn; points: number; cents: number }>(
        [
          { $match: { partnerId, mode: 'LIVE', 'countedIn.periodId': { $type: 'string' } } },
          {
            $group: {
              _id: key,
              points: { $sum: '$points' },
              cents: { $sum: '$liabilityCents' },
            },
          },
        ],
        moment,
      )
      .toArray();
    return sums.map(
      ({ _id, ...sum }) => [fields.map((field) => _id[field]).join(', '), sum] as const,
    );
  };
  const [byPeriod, byDay, periods, wrong] = [
    await sumsBy('periodId'),
    await sumsBy('periodId', 'day'),
    await usagePeriods.collection.find({ partnerId }, moment).toArray(),
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
  const days = periods.flatMap(({ _id, days = {} }) =>
    Object.entries(days).map(([day, use]) => [`${_id}, ${day}`, use] as const),
  );
  return [
    ...wrong.map(({ _id, mode, state }) => `reward ${_id}: ${mode}, ${state}, is counted wrongly`),
    ...compare(
      byPeriod.map(([key, { points }]) => [key, { points }]),
      periods.map(({ _id, points }) => [_id, { points }]),
    ),
    ...compare(byDay, days),
  ];
}

function compare(
  rewards: readonly (readonly [string, Counted])[],
  stored: readonly (readonly [string, Counted])[],
): string[] {
  const [saidOf, sumOf] = [new Map(stored), new Map(rewards)];
  return [...new Set([...saidOf.keys(), ...sumOf.keys()])].flatMap((key) => {
    const [said, sum] = [saidOf.get(key), sumOf.get(key)];
    const isRight =
      (said?.points ?? 0) === (sum?.points ?? 0) && (said?.cents ?? 0) === (sum?.cents ?? 0);
    return isRight ? [] : [`${key}: it says ${spelled(said)}, its rewards ${spelled(sum)}`];
  });
}

/** Only days have a cost. */
const spelled = ({ points, cents }: Counted = { points: 0 }): string =>
  cents === undefined ? `${points} points` : `${points} points and ${cents} cents`;
