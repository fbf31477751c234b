import { modes } from '../../../domain/mode.ts';
import type { RewardState } from '../../../domain/reward.ts';
import type { RewardTotalsDoc, Total } from '../../schemas/rewards.ts';
import { atOneMoment } from '../at-one-moment.ts';
import type { Check } from '../audit.ts';

const name = 'totals: every reward counts once, in its day and state';

interface Group extends Total {
  _id: Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'> & { state: RewardState };
}

/** The totals of each day match its rewards, as of one moment. */
export const rewardTotals: Check = {
  name,
  async run({ models, partners, pace }, report) {
    report.looked(name, 0);
    for await (const partnerId of partners()) {
      await atOneMoment(models, async (moment) => {
        const totals = await models.rewardTotals.collection
          .find({ partnerId, mode: { $in: [...modes] } }, moment)
          .toArray();
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
                    state: '$state',
                  },
                  rewards: { $sum: 1 },
                  points: { $sum: '$points' },
                  cents: { $sum: '$liabilityCents' },
                },
              },
            ],
            moment,
          )
          .toArray();
        for (const problem of problemsOf(groups, totals)) {
          report.fault(name, `partner ${partnerId}, ${problem}`);
        }
        report.looked(
          name,
          groups.reduce((sum, one) => sum + one.rewards, 0),
        );
      });
      await pace();
    }
  },
};

function problemsOf(groups: readonly Group[], totals: readonly RewardTotalsDoc[]): string[] {
  const expected = new Map(groups.map(({ _id, ...total }) => [keyOf(_id, _id.state), total]));
  const found = new Map(
    totals.flatMap((day) =>
      Object.entries(day.states).map(([state, total]): [string, Total] => [
        keyOf(day, state),
        total,
      ]),
    ),
  );
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const [said, held] = [spelled(found.get(key)), spelled(expected.get(key))];
    return said === held ? [] : [`${key}: the totals say ${said}, the rewards ${held}`];
  });
}

const keyOf = (
  { day, mode, currency }: Pick<RewardTotalsDoc, 'day' | 'mode' | 'currency'>,
  state: string,
): string => `${day}, ${mode}, ${currency}, ${state}`;

const spelled = (total: Total = { rewards: 0, points: 0, cents: 0 }): string =>
  `${total.rewards} rewards, ${total.points} points, ${total.cents} cents`;
