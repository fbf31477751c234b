import { modes } from '../../domain/mode.ts';
import { walletIdOf } from '../../domain/postings.ts';
import type { Reward } from '../../domain/reward.ts';
import type { RewardTotals, Total } from '../../domain/reward-totals.ts';
import { atOneMoment } from '../at-one-moment.ts';
import type { Check } from '../audit.ts';

const name = 'totals: every reward counts once, in its wallet and state';

interface Group extends Total {
  _id: Pick<Reward, 'currency' | 'state'>;
}

/** What each wallet says of its rewards is what they are, as of one moment. */
export const rewardTotals: Check = {
  name,
  async run({ models, partners, pace }, report) {
    report.looked(name, 0);
    for await (const partnerId of partners()) {
      for (const mode of modes) {
        await atOneMoment(models, async (moment) => {
          const _id = walletIdOf({ partnerId, mode }) as never;
          const wallet = await models.wallets.collection.findOne({ partnerId, _id }, moment);
          const groups = await models.rewards.collection
            .aggregate<Group>(
              [
                { $match: { partnerId, mode } },
                {
                  $group: {
                    _id: { currency: '$currency', state: '$state' },
                    rewards: { $sum: 1 },
                    points: { $sum: '$points' },
                    cents: { $sum: '$liabilityCents' },
                  },
                },
              ],
              moment,
            )
            .toArray();
          for (const problem of problemsOf(groups, wallet?.rewards ?? {})) {
            report.fault(name, `partner ${partnerId}, wallet ${mode}, ${problem}`);
          }
          report.looked(
            name,
            groups.reduce((sum, one) => sum + one.rewards, 0),
          );
        });
      }
      await pace();
    }
  },
};

function problemsOf(groups: readonly Group[], totals: RewardTotals): string[] {
  const expected = new Map(groups.map(({ _id, ...total }) => [keyOf(_id), total]));
  const found = new Map(
    Object.entries(totals).flatMap(([currency, states]) =>
      Object.entries(states).map(([state, total]) => [keyOf({ currency, state }), total]),
    ),
  );
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const [said, held] = [spelled(found.get(key)), spelled(expected.get(key))];
    return said === held ? [] : [`${key}: the wallet says ${said}, the rewards ${held}`];
  });
}

const keyOf = ({ currency, state }: { currency: string; state: string }): string =>
  `${currency}, ${state}`;

const spelled = (total: Total = { rewards: 0, points: 0, cents: 0 }): string =>
  `${total.rewards} rewards, ${total.points} points, ${total.cents} cents`;
