import test from 'ava';
import { newId } from '../../platform/ids.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readUsageSeries } from '../../views/usage.ts';
import { type Billing, smallPlan, startBilling } from '../helpers/billing.ts';

let billing: Billing;
test.before(async () => {
  billing = await startBilling({ at: '2026-05-01T00:00:00.000Z' });
});
test.after.always(() => billing.stop());

test('usage is listed for every day, with its points and cents', async (t) => {
  const { partnerId } = await billing.subscriber(
    await billing.plan(smallPlan),
    '2026-03-01T00:00:00.000Z',
  );
  await billing.count(partnerId, 100, '2026-03-03T10:00:00.000Z');
  await billing.count(partnerId, 20, '2026-03-03T23:59:59.000Z');
  const given = await billing.count(partnerId, 50, '2026-03-05T00:00:00.000Z');
  await billing.giveBack(partnerId, given, '2026-03-05T12:00:00.000Z');
  await billing.count(partnerId, 5, '2026-03-05T00:00:00.000Z');
  const series = (at: string, days: number) =>
    readUsageSeries(billing.models, scopeOf({ _id: partnerId }), at, days);
  t.deepEqual(await series('2026-03-05T12:00:00.000Z', 5), [
    { day: '2026-03-01', points: 0, cents: 0 },
    { day: '2026-03-02', points: 0, cents: 0 },
    { day: '2026-03-03', points: 120, cents: 240 },
    { day: '2026-03-04', points: 0, cents: 0 },
    { day: '2026-03-05', points: 5, cents: 10 },
  ]);
  t.deepEqual(await series('2026-03-06T12:00:00.000Z', 2), [
    { day: '2026-03-05', points: 5, cents: 10 },
    { day: '2026-03-06', points: 0, cents: 0 },
  ]);
  const nobody = await readUsageSeries(
    billing.models,
    scopeOf({ _id: newId('partner') }),
    '2026-03-06T00:00:00.000Z',
    2,
  );
  t.deepEqual(
    nobody.map(({ points }) => points),
    [0, 0],
  );
});
