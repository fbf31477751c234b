import test from 'ava';
import { countRewards } from '../../../models/rewards/totals.ts';
import { scopeOf } from '../../../models/views/partner-scope.ts';
import { readMonths } from '../../../models/views/usage.ts';
import { newId } from '../../../platform/ids.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

const ofDay = (day: string) => `${day}T12:00:00.000Z`;

test('a month is compared with the same days of the previous month, which may be shorter', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { models, ledger, usage } = service;
  const rewards: [day: string, status: string][] = [
    ['2036-01-31', 'AVAILABLE'],
    ['2036-02-01', 'AVAILABLE'],
    ['2036-02-29', 'EXPIRED'],
    ['2036-03-01', 'AVAILABLE'],
    ['2036-03-01', 'ADMIN_REVIEW'],
    ['2036-03-31', 'PENDING'],
  ];
  for (const [day, status] of rewards) {
    const at = new Date(ofDay(day));
    const _id = newId('reward', at.getTime());
    await usage.meter({ partnerId, rewardId: _id, points: 100, liabilityCents: 150 }, ofDay(day));
    await models.rewards.create({
      _id,
      partnerId,
      integrationId: newId('integration'),
      mode: 'LIVE',
      status,
      purchaseEventId: newId('event'),
      externalOrderId: _id,
      workflowId: _id,
      points: 100,
      customerId: 'c',
      claimTokenHash: _id,
      currency: 'USD',
      liabilityCents: 150,
      walletId: `w-${partnerId}`,
      arithmetic: {},
      customerStatus: 'CLAIMED',
      funded: true,
      toCount: true,
      claimExpiresAt: at,
      version: 1,
      moves: [],
      createdAt: at,
      updatedAt: at,
    } as never);
  }
  await countRewards(models, partnerId);
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
    const months = await readMonths({ models, ledger, usage, now }, scopeOf({ _id: partnerId }));
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
