import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { seedPlans } from '../../../dev/seed-plans.ts';
import { createPublishedPlans, findPublishedPlans } from '../../../models/billing/plan-versions.ts';
import {
  apiRateLimitPerMinuteOf,
  billingStatusAt,
  billingStatusFrom,
} from '../../../models/billing/subscriptions.ts';
import { updatePartner } from '../../../operations/partners.ts';
import {
  archivePlanVersion,
  createPlanVersion,
  publishPlanVersion,
} from '../../../operations/plans.ts';
import { cancelSubscription, changePlan, subscribe } from '../../../operations/subscriptions.ts';
import { type Billing, largePlan, smallPlan, startBilling } from '../../helpers/billing.ts';
import { operate } from '../../helpers/operate.ts';

const day = (text: string) => `${text}T00:00:00.000Z`;
const clock = { at: day('2026-03-01') };
let billing: Billing;
let small: string;
let large: string;
test.before(async () => {
  billing = await startBilling(clock);
  small = await billing.plan(smallPlan);
  large = await billing.plan(largePlan);
});
test.after.always(() => billing?.stop());

/** Dependencies with their own clock, because the tests share one. */
const depsAt = (at: string) => billing.depsAt(at);

test('plan versions are numbered without gaps, even when drafted at once', async (t) => {
  const drafts = await Promise.all(
    Array.from({ length: 4 }, () =>
      operate(billing.deps, createPlanVersion, { ...smallPlan, planCode: 'many' }),
    ),
  );
  t.deepEqual(drafts.map(({ version }) => version).toSorted(), [1, 2, 3, 4]);
  t.true(drafts.every(({ status, publishedAt }) => status === 'DRAFT' && publishedAt === null));
});

test('publishing again keeps the original time, and an archived version cannot be published', async (t) => {
  const { _id } = await operate(billing.deps, createPlanVersion, {
    ...smallPlan,
    planCode: 'twice',
  });
  const published = await operate(depsAt(day('2026-03-02')), publishPlanVersion, {
    planVersionId: _id,
  });
  t.deepEqual(published.publishedAt, new Date(day('2026-03-02')));
  t.deepEqual(
    await operate(depsAt(day('2026-03-03')), publishPlanVersion, { planVersionId: _id }),
    published,
  );
  const archived = await operate(depsAt(day('2026-03-04')), archivePlanVersion, {
    planVersionId: _id,
  });
  t.deepEqual(
    await operate(depsAt(day('2026-03-05')), archivePlanVersion, { planVersionId: _id }),
    archived,
  );
  await t.throwsAsync(operate(billing.deps, publishPlanVersion, { planVersionId: _id }), {
    code: 'CONFLICT',
  });
});

for (const [field, value] of [
  ['monthlyPriceCents', -1],
  ['annualPriceCents', 0.5],
  ['includedPoints', 1e13],
  ['overageRateMicrosPerPoint', 1_000_000_001],
  ['apiRateLimitPerMinute', 0],
] as const) {
  test(`a plan version is not drafted with ${field} ${value}`, async (t) => {
    await t.throwsAsync(
      operate(billing.deps, createPlanVersion, { ...smallPlan, [field]: value }),
      {
        code: 'VALIDATION_FAILED',
        message: new RegExp(field),
      },
    );
  });
}

test('published versions are listed by price, the newest of each plan first', async (t) => {
  const own = await startBilling(clock);
  t.teardown(() => own.stop());
  const seeded = await seedPlans(own.deps);
  t.deepEqual(await seedPlans(own.deps), seeded);
  const second = await own.plan({ ...largePlan, planCode: 'growth', name: 'Growth' });
  const old = await own.plan({ ...smallPlan, planCode: 'old' });
  await operate(own.deps, archivePlanVersion, { planVersionId: old });
  await operate(own.deps, createPlanVersion, { ...smallPlan, planCode: 'draft' });
  const listed = await findPublishedPlans(own.models);
  t.deepEqual(
    listed.map(({ _id }) => _id),
    [second, seeded.growth, seeded.starter, seeded.scale],
  );
});

test('a process refreshes its cached plan versions after a while', async (t) => {
  const own = await startBilling(clock);
  t.teardown(() => own.stop());
  const first = await own.plan(smallPlan);
  const always = createPublishedPlans(own.models, 0);
  const kept = createPublishedPlans(own.models, 3_600_000);
  const hardly = createPublishedPlans(own.models, 1);
  const idsOf = async (list: () => Promise<{ _id: string }[]>) =>
    (await list()).map(({ _id }) => _id);
  for (const list of [always, kept, hardly]) t.deepEqual(await idsOf(list), [first]);
  const second = await own.plan(largePlan);
  await setTimeout(5);
  t.deepEqual(await idsOf(always), [first, second]);
  t.deepEqual(await idsOf(hardly), [first, second]);
  t.deepEqual(await idsOf(kept), [first]);
});

test('a partner has one subscription at a time', async (t) => {
  const partnerId = await billing.partner();
  const attempts = await Promise.allSettled(
    [1, 2, 3].map(() =>
      operate(billing.deps, subscribe, { partnerId, planVersionId: small, interval: 'MONTH' }),
    ),
  );
  t.is(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  t.is(await billing.models.subscriptions.countDocuments({ partnerId }), 1);
});

test('only a published plan version can be subscribed to', async (t) => {
  const partnerId = await billing.partner();
  const draft = await operate(billing.deps, createPlanVersion, {
    ...smallPlan,
    planCode: 'closed',
  });
  const ask = (planVersionId: string) =>
    operate(billing.deps, subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  await t.throwsAsync(ask(draft._id), { code: 'VALIDATION_FAILED' });
  await t.throwsAsync(ask('pln_none'), { code: 'VALIDATION_FAILED' });
  await operate(billing.deps, publishPlanVersion, { planVersionId: draft._id });
  await operate(billing.deps, archivePlanVersion, { planVersionId: draft._id });
  await t.throwsAsync(ask(draft._id), { code: 'VALIDATION_FAILED' });
});

test('an upgrade takes effect at once, with an invoice for the rest of the period', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  // One third of the 31 days has passed.
  const at = '2026-03-11T08:00:00.000Z';
  const changed = await operate(depsAt(at), changePlan, { partnerId, planVersionId: large });
  t.like(changed, { planVersionId: large, pendingPlanVersionId: null });
  t.deepEqual(changed.terms, {
    priceCents: 1_000,
    // 1,000 + 2/3 of 8,000, rounded up; 10,000 − 2/3 of 6,000.
    includedPoints: 6_334,
    overageRateMicrosPerPoint: 6_000,
    currency: 'USD',
  });
  const [invoice] = await billing.invoices(partnerId);
  t.like(invoice, {
    kind: 'PRORATION',
    totalCents: 2_000,
    issuedAt: new Date(at),
    periodEnd: new Date(day('2026-04-01')),
  });
  t.is(invoice && (await billing.postedCents(invoice)), 2_000);

  await billing.count(partnerId, 6_344, day('2026-03-20'));
  const next = await billing.bill(partnerId, day('2026-04-01'));
  t.is(next.terms.includedPoints, 9_000);
  const [, period] = await billing.invoices(partnerId);
  // The price at the start of the period, and 10 extra points at 6,000 micros.
  t.deepEqual(
    period?.lines.map(({ amountCents }) => amountCents),
    [1_000, 6],
  );
});

test('a cheaper plan takes effect with the next period, at its price', async (t) => {
  const { partnerId } = await billing.subscriber(large, day('2026-03-01'));
  const changed = await operate(depsAt(day('2026-03-11')), changePlan, {
    partnerId,
    planVersionId: small,
  });
  t.like(changed, { planVersionId: large, pendingPlanVersionId: small });
  t.deepEqual(await billing.invoices(partnerId), []);
  const next = await billing.bill(partnerId, day('2026-05-01'));
  t.like(next, { planVersionId: small, pendingPlanVersionId: null });
  t.deepEqual(
    (await billing.invoices(partnerId)).map(({ totalCents }) => totalCents),
    [4_000, 1_000],
  );
});

test('choosing the current plan cancels a scheduled change', async (t) => {
  const { partnerId } = await billing.subscriber(large, day('2026-03-01'));
  await operate(depsAt(day('2026-03-11')), changePlan, { partnerId, planVersionId: small });
  const kept = await operate(depsAt(day('2026-03-12')), changePlan, {
    partnerId,
    planVersionId: large,
  });
  t.is(kept.pendingPlanVersionId, null);
  t.deepEqual(await billing.invoices(partnerId), []);
});

test('a change after the period’s end bills that period first', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  const changed = await operate(depsAt(day('2026-05-01')), changePlan, {
    partnerId,
    planVersionId: large,
  });
  t.deepEqual(changed.currentPeriodStart, new Date(day('2026-05-01')));
  t.deepEqual(
    (await billing.invoices(partnerId)).map(({ kind, totalCents }) => [kind, totalCents]),
    [
      ['PERIOD', 1_000],
      ['PERIOD', 1_000],
      ['PRORATION', 3_000],
    ],
  );
});

test('concurrent upgrades run one after the other, and the amounts add up', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  const largest = await billing.plan({
    ...largePlan,
    planCode: `largest-${partnerId.slice(-6).toLowerCase()}`,
    monthlyPriceCents: 9_000,
  });
  await Promise.all(
    [large, largest, large, largest].map((planVersionId) =>
      operate(depsAt(day('2026-03-01')), changePlan, { partnerId, planVersionId }),
    ),
  );
  const paid = (await billing.invoices(partnerId)).map(({ totalCents }) => totalCents);
  t.is((await billing.subscription(partnerId)).planVersionId, largest);
  t.is(
    paid.reduce((sum, cents) => sum + cents),
    8_000,
  );
});

test('a change to a plan in another currency is refused', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  const euro = await billing.plan({ ...largePlan, planCode: 'euro', currency: 'EUR' });
  await t.throwsAsync(operate(billing.deps, changePlan, { partnerId, planVersionId: euro }), {
    code: 'VALIDATION_FAILED',
  });
});

test('a cancelled subscription runs to the end of its period, and is billed for it', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  const cancelled = await operate(depsAt(day('2026-03-11')), cancelSubscription, { partnerId });
  t.like(cancelled, { status: 'ACTIVE', endsAt: new Date(day('2026-04-01')) });
  const before = await billingStatusAt(billing.models, partnerId, '2026-03-31T23:59:59.999Z');
  t.is(before.subscription?._id, cancelled._id);
  const after = await billingStatusAt(billing.models, partnerId, day('2026-04-01'));
  t.is(after.subscription, null);
  t.is((await billing.bill(partnerId, day('2026-06-01'))).status, 'CANCELLED');
  t.is((await billing.invoices(partnerId)).length, 1);
  const again = { partnerId, planVersionId: small, interval: 'MONTH' } as const;
  t.is((await operate(depsAt(day('2026-06-01')), subscribe, again)).status, 'ACTIVE');
});

test('choosing a plan withdraws a cancellation', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-03-01'));
  await operate(depsAt(day('2026-03-11')), cancelSubscription, { partnerId });
  t.is(
    (await operate(depsAt(day('2026-03-12')), changePlan, { partnerId, planVersionId: small }))
      .endsAt,
    null,
  );
});

test('without an active subscription there is nothing to change or cancel', async (t) => {
  const partnerId = await billing.partner();
  await t.throwsAsync(operate(billing.deps, changePlan, { partnerId, planVersionId: small }), {
    code: 'NOT_FOUND',
  });
  await t.throwsAsync(operate(billing.deps, cancelSubscription, { partnerId }), {
    code: 'NOT_FOUND',
  });
});

test('the billing status follows the clock, even if billing is late', async (t) => {
  const { partnerId } = await billing.subscriber(large, day('2026-03-01'));
  await operate(depsAt(day('2026-03-11')), changePlan, { partnerId, planVersionId: small });
  const billingStatus = await billingStatusAt(billing.models, partnerId, day('2026-04-05'));
  t.deepEqual(billingStatus.period, { start: day('2026-04-01'), end: day('2026-05-01') });
  t.is(billingStatus.planVersion?._id, small);
  t.is(billingStatus.terms.includedPoints, 1_000);
});

test('a billing status stays valid until its period or subscription ends', async (t) => {
  const { partnerId } = await billing.subscriber(large, day('2026-03-01'));
  await operate(depsAt(day('2026-03-11')), changePlan, { partnerId, planVersionId: small });
  const march = await billingStatusAt(billing.models, partnerId, day('2026-03-12'));
  const from = (at: string) => billingStatusFrom(billing.models, march, partnerId, at);
  t.is(await from('2026-03-31T23:59:59.999Z'), march);
  t.is((await from(day('2026-04-01'))).planVersion?._id, small);
  t.is(
    (await from('2026-02-28T23:59:59.999Z')).subscription,
    null,
    'there is no subscription before it began',
  );
  await billing.models.subscriptions.updateOne(
    { partnerId },
    { $set: { endsAt: new Date(day('2026-03-20')) } },
  );
  const ending = await billingStatusAt(billing.models, partnerId, day('2026-03-19'));
  const fromEnding = (at: string) => billingStatusFrom(billing.models, ending, partnerId, at);
  t.is(await fromEnding('2026-03-19T23:59:59.999Z'), ending);
  t.is((await fromEnding(day('2026-03-20'))).subscription, null);
});

test('the rate limit comes from the plan version, or else the partner', async (t) => {
  const { partnerId } = await billing.subscriber(large, day('2026-03-01'));
  const at = async (instant: string) =>
    apiRateLimitPerMinuteOf(await billingStatusAt(billing.models, partnerId, instant), {
      apiRateLimitPerMinute: 600,
    });
  t.is(await at(day('2026-02-01')), 600);
  t.is(await at(day('2026-03-02')), 240);
});

test('a plan has the partner’s currency, which is fixed once there is a subscription', async (t) => {
  const euro = await billing.plan({ ...smallPlan, planCode: 'klein', currency: 'EUR' });
  const partnerId = await billing.partner();
  const ask = (planVersionId: string) =>
    operate(billing.deps, subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  await t.throwsAsync(ask(euro), {
    code: 'VALIDATION_FAILED',
    message: /priced in EUR, the partner's currency is USD/,
  });
  await operate(billing.deps, updatePartner, { partnerId, currency: 'EUR' });
  t.is((await ask(euro)).planVersionId, euro);
  await t.throwsAsync(operate(depsAt(clock.at), changePlan, { partnerId, planVersionId: large }), {
    code: 'VALIDATION_FAILED',
  });
  await t.throwsAsync(operate(billing.deps, updatePartner, { partnerId, currency: 'USD' }), {
    code: 'CONFLICT',
    message: /subscription/,
  });
});
