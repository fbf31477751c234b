import test from 'ava';
import { begin, topUp } from '../../../domain/facts.ts';
import type { RewardStatus } from '../../../domain/reward.ts';
import { createCommit } from '../../../models/commit.ts';
import { scopeOf } from '../../../models/views/partner-scope.ts';
import { readMonths } from '../../../models/views/usage.ts';
import { newId } from '../../../platform/ids.ts';
import { aReward } from '../../helpers/a-reward.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

const ofDay = (day: string) => `${day}T12:00:00.000Z`;

test('a month is compared with the same days of the previous month, which may be shorter', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { models, hashKey } = service;
  const rewards: [day: string, status: RewardStatus][] = [
    ['2036-01-31', 'AVAILABLE'],
    ['2036-02-01', 'AVAILABLE'],
    ['2036-02-29', 'EXPIRED'],
    ['2036-03-01', 'AVAILABLE'],
    ['2036-03-01', 'ADMIN_REVIEW'],
    ['2036-03-31', 'PENDING'],
  ];
  for (const [day, status] of rewards) {
    const at = new Date(ofDay(day));
    const commit = createCommit({ models, hashKey, now: () => at.getTime() });
    const _id = newId('reward', at.getTime());
    const wallet = { mode: 'LIVE', partnerId } as const;
    await commit({
      partnerId,
      wallet,
      rewardIds: [_id],
      customerIds: [_id],
      decide(draft, terms) {
        const ofCustomer = { id: _id, customer: _id, points: 100, cents: 150 };
        const made = { ...aReward(wallet, ofCustomer), createdAt: at };
        topUp(draft, wallet, { amountCents: 150, externalReference: _id }, terms);
        const reward = begin(draft, made, terms);
        draft.rewards.set(_id, { ...reward, status });
      },
    });
  }
  const refused = [
    ['2036-02-29', { NOT_FOUND: 20_000 }],
    ['2036-03-01', { NOT_FOUND: 1, RATE_LIMITED: 1_000_000 }],
    ['2036-03-31', { NOT_FOUND: 2 }],
  ] as const;
  for (const [day, codes] of refused) {
    const _id = `${partnerId}/LIVE/${day}`;
    await models.refusalTotals.create({ _id, partnerId, mode: 'LIVE', day, codes });
  }
  const on = async (day: string) => {
    const now = () => Date.parse(ofDay(day));
    const months = await readMonths({ models, now }, scopeOf({ _id: partnerId }));
    const shown = ({ days, ...span }: (typeof months)['now']) => ({ ...span, days: days.length });
    return { now: shown(months.now), before: shown(months.before) };
  };
  t.deepEqual(await on('2036-03-31'), {
    now: {
      from: '2036-03-01',
      to: '2036-03-31',
      days: 31,
      points: 300,
      cents: 450,
      purchases: 3,
      claimed: 2,
      refusals: 1_000_003,
    },
    before: {
      from: '2036-02-01',
      to: '2036-02-29',
      days: 29,
      points: 200,
      cents: 300,
      purchases: 2,
      claimed: 1,
      refusals: 20_000,
    },
  });
  const { before } = await on('2036-03-01');
  t.like(before, { from: '2036-02-01', to: '2036-02-01', days: 1, points: 100, purchases: 1 });
});
