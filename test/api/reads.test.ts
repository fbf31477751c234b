import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import { accounts, walletIdOf } from '../../domain/postings.ts';
import { closePeriodsOf } from '../../models/billing/periods.ts';
import {
  archivePlanVersion,
  createPlanVersion,
  type PlanVersionFields,
  publishPlanVersion,
} from '../../operations/plans.ts';
import { changePlan, subscribe } from '../../operations/subscriptions.ts';
import { newId } from '../../platform/ids.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { largePlan, smallPlan } from '../helpers/billing.ts';
import { metering } from '../helpers/metering.ts';
import { operate } from '../helpers/operate.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { PartnerBackend } from '../helpers/partner-backend.ts';
import { makeLimiterPatient } from '../helpers/patient-limiter.ts';

const day = (text: string) => `${text}T00:00:00.000Z`;
/** The middle of the period from 1 April to 1 May. */
const now = day('2026-04-16');
const nowSeconds = Date.parse(now) / 1000;

/** 80.00 a month for 25,000 points: cheaper than Large from 19,000 points on. */
const hugePlan: PlanVersionFields = {
  ...largePlan,
  planCode: 'huge',
  name: 'Huge',
  monthlyPriceCents: 8_000,
  annualPriceCents: 80_000,
  includedPoints: 25_000,
  overageRateMicrosPerPoint: 1_000,
  features: ['one', 'two'],
};

const money: Record<Mode, { fundingCents: number; reservedCents: number; owedCents: number }> = {
  LIVE: { fundingCents: 50_000, reservedCents: 4_200, owedCents: 7_000 },
  TEST: { fundingCents: 900, reservedCents: 100, owedCents: 30 },
};

/** Stores balances as if a wallet had this money. */
async function giveMoney({ partnerId }: PartnerBackend, mode: Mode): Promise<void> {
  const wallet = { partnerId, mode };
  const { funding, reserved, cash } = accounts;
  const { fundingCents, reservedCents, owedCents } = money[mode];
  const balances = {
    [funding]: fundingCents,
    [reserved]: reservedCents,
    [cash]: 0 - fundingCents - reservedCents - owedCents,
  };
  const first = { mode, seq: 0, hash: '', rewards: {}, version: 1 };
  await service.models.wallets.collection.updateOne(
    { _id: walletIdOf(wallet) as never, partnerId },
    { $set: { balances }, $setOnInsert: first },
    { upsert: true },
  );
}

let service: OwnService;
let api: Awaited<ReturnType<typeof startAnotherApi>>;
let meter: ReturnType<typeof metering>;
let plans: Record<'small' | 'large' | 'huge', string>;
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
  makeLimiterPatient(service.models);
  meter = metering(service);
  api = await startAnotherApi(service, { now: () => Date.parse(now) });
  plans = {
    small: await publish(smallPlan, '2025-01-01'),
    large: await publish(largePlan, '2025-02-01'),
    huge: await publish(hugePlan, '2025-03-01'),
  };
});
test.after.always(async () => {
  await api?.stop();
  await service?.stop();
});

const depsAt = (at: string) => meter.depsAt(at);

async function publish(fields: PlanVersionFields, on: string): Promise<string> {
  const { _id } = await operate(depsAt(day(on)), createPlanVersion, fields);
  return (await operate(depsAt(day(on)), publishPlanVersion, { planVersionId: _id }))._id;
}

async function aPartner(mode: Mode = 'LIVE', scopes: PartnerBackend['scopes'] = ['events:read']) {
  const partner = await service.partner({
    mode,
    scopes,
    partner: { lowBalanceThresholdCents: 2_500 },
  });
  return new PartnerBackend({ ...partner, baseUrl: api.baseUrl }).addCredential(
    service.models,
    service.sealer,
  );
}

/** The same partner's TEST credential. */
async function inTest(partner: PartnerBackend): Promise<PartnerBackend> {
  const of = { ...partner, mode: 'TEST' as const };
  return await new PartnerBackend(of).addCredential(service.models, service.sealer);
}

const get = (partner: PartnerBackend, what: string, query = '') =>
  partner.send(undefined, {
    method: 'GET',
    path: `/api/v1/partner/${what}`,
    nowSeconds,
    query,
  });

const count = (partnerId: string, points: number, on: string) =>
  meter.count(partnerId, points, day(on));

async function bill(partnerId: string, on: string): Promise<void> {
  const at = new Date(day(on));
  const subscription = await service.models.subscriptions.findOne({ partnerId }).orFail();
  await closePeriodsOf(depsAt(day(on)), subscription, at);
}

/**
 * A partner on Small from April 2025, with 1,200 points a month, and on Large from the middle of January;
 * billed at the start of every month.
 */
async function aYearOfEvents(): Promise<PartnerBackend> {
  const partner = await aPartner();
  const { partnerId } = partner;
  await operate(depsAt(day('2025-04-01')), subscribe, {
    partnerId,
    planVersionId: plans.small,
    interval: 'MONTH',
  });
  for (let month = 4; month <= 12; month++) {
    await count(partnerId, 1_200, `2025-${String(month).padStart(2, '0')}-15`);
    await bill(
      partnerId,
      month === 12 ? '2026-01-01' : `2025-${String(month + 1).padStart(2, '0')}-01`,
    );
  }
  // Half of January is left, so half the difference in price, allowance and rate applies.
  await operate(depsAt('2026-01-16T12:00:00.000Z'), changePlan, {
    partnerId,
    planVersionId: plans.large,
  });
  await count(partnerId, 5_100, '2026-01-20');
  await bill(partnerId, '2026-02-01');
  await count(partnerId, 9_100, '2026-02-10');
  const refunded = await count(partnerId, 400, '2026-02-11');
  await bill(partnerId, '2026-03-01');
  await meter.giveBack(partnerId, refunded, day('2026-03-05'));
  await count(partnerId, 900, '2026-03-01');
  for (let date = 19; date <= 31; date++) await count(partnerId, 700, `2026-03-${date}`);
  await bill(partnerId, '2026-04-01');
  for (let date = 1; date <= 15; date++) {
    await count(partnerId, 700, `2026-04-${String(date).padStart(2, '0')}`);
  }
  await giveMoney(partner, 'LIVE');
  await giveMoney(partner, 'TEST');
  return partner;
}

/** Stores an order event as it is once its workflow has run. */
async function anEvent(
  { partnerId, integrationId, credentialId }: PartnerBackend,
  mode: Mode,
  type: 'PURCHASE' | 'REFUND',
  index: number,
): Promise<string> {
  const _id = newId('event');
  const receivedAt = new Date(Date.parse(day('2026-04-01')) + index * 1000);
  await service.models.orderEvents.create({
    _id,
    partnerId,
    integrationId,
    credentialId,
    mode,
    type,
    externalOrderId: `order-${index}`,
    idempotencyKeyHash: _id,
    payloadHash: _id,
    requestId: _id,
    receivedAt,
    occurredAt: index % 2 === 0 ? null : receivedAt,
    sealed: 'sealed',
    rewardId: newId('reward'),
    purchaseEventId: _id,
    workflowId: _id,
    request: { method: 'POST', path: '/purchases', status: 201 },
    answer: '{}',
    purchase: type === 'PURCHASE' ? { arithmetic: { points: 10 * index } } : null,
    ...(type === 'REFUND' && { rewardPoints: 10 * index }),
    externalRefundId: type === 'REFUND' ? `refund-${index}` : null,
  });
  return _id;
}

test.serial(
  'GET plans: published plan versions only, cheapest plan first, the newest of each first',
  async (t) => {
    const old = await publish({ ...smallPlan, planCode: 'gone' }, '2025-01-02');
    await operate(depsAt(now), archivePlanVersion, { planVersionId: old });
    await operate(depsAt(now), createPlanVersion, { ...smallPlan, planCode: 'draft' });
    const { status, body } = await get(await aPartner('TEST'), 'plans');
    t.is(status, 200);
    const presented = (id: string, fields: PlanVersionFields, publishedAt: string) => ({
      id,
      version: 1,
      ...fields,
      publishedAt: day(publishedAt),
    });
    t.deepEqual(body, {
      success: true,
      plans: [
        presented(plans.small, smallPlan, '2025-01-01'),
        presented(plans.large, largePlan, '2025-02-01'),
        presented(plans.huge, hugePlan, '2025-03-01'),
      ],
    });
  },
);

test('GET usage of a partner with a year of history', async (t) => {
  const partner = await aYearOfEvents();
  const { status, body } = await get(partner, 'usage');
  t.is(status, 200);
  t.deepEqual(body, {
    success: true,
    mode: 'LIVE',
    currency: 'USD',
    billingPeriod: { start: day('2026-04-01'), end: day('2026-05-01') },
    includedPoints: 9_000,
    // 15 days of 700 are 10,500, of which 9,000 are included.
    includedPointsConsumed: 9_000,
    overagePoints: 1_500,
    // 1,500 × 0.004.
    accruedOverageCents: 600,
    // 4,200 reserved and 7,000 owed to customers.
    rewardLiabilityCents: 11_200,
    // 700 a day for four weeks, and 15 days left: 10,500 more, 12,000 beyond the allowance.
    projection: {
      points: 21_000,
      lowPoints: 21_000,
      highPoints: 21_000,
      overagePoints: 12_000,
      overageCents: 4_800,
      basisDays: 28,
    },
    recommendation: {
      action: 'UPGRADE',
      planVersionId: plans.huge,
      estimatedSavingsCents: 800,
      reason: 'At 21,000 points a month, Huge costs $80.00, compared with $88.00 for Large.',
    },
    recentEvents: [],
  });
});

test('GET billing of a partner with a year of history', async (t) => {
  const partner = await aYearOfEvents();
  const { status, body, headers } = await get(partner, 'billing');
  t.is(status, 200);
  t.like(body, {
    success: true,
    mode: 'LIVE',
    subscription: {
      status: 'ACTIVE',
      interval: 'MONTH',
      currentPeriodStart: day('2026-04-01'),
      currentPeriodEnd: day('2026-05-01'),
    },
    wallet: {
      currency: 'USD',
      balanceCents: 54_200,
      reservedCents: 4_200,
      availableCents: 50_000,
      asOf: now,
    },
    // 13 of the last 14 days cost 1,400 each: 50,000 × 14 / 18,200.
    rewardFunding: { balanceCents: 50_000, lowBalanceThresholdCents: 2_500, runwayDays: 35 },
  });
  t.regex(body.subscription.id, /^sub_/);
  t.is(body.planVersion.id, plans.large);
  t.is(headers.get('ratelimit-policy'), '"default";q=240;w=60');

  t.deepEqual(
    body.invoices.map((invoice: Record<string, string>) => [
      invoice.number,
      invoice.kind,
      invoice.periodStart?.slice(0, 10),
      invoice.totalCents,
    ]),
    [
      // 40.00, and at 0.004 the 1,000 points beyond the allowance, less February's 400 that were returned.
      ['2026-0013', 'PERIOD', '2026-03-01', 4_240],
      // 40.00, and the 500 points beyond it.
      ['2026-0012', 'PERIOD', '2026-02-01', 4_200],
      // The price of Small, and 100 points beyond half of each allowance, at 0.007.
      ['2026-0011', 'PERIOD', '2026-01-01', 1_070],
      ['2026-0010', 'PRORATION', '2026-01-01', 1_500],
      // 10.00, and 200 points beyond it at 0.01.
      ['2026-0009', 'PERIOD', '2025-12-01', 1_200],
      ['2025-0008', 'PERIOD', '2025-11-01', 1_200],
      ['2025-0007', 'PERIOD', '2025-10-01', 1_200],
      ['2025-0006', 'PERIOD', '2025-09-01', 1_200],
      ['2025-0005', 'PERIOD', '2025-08-01', 1_200],
      ['2025-0004', 'PERIOD', '2025-07-01', 1_200],
      ['2025-0003', 'PERIOD', '2025-06-01', 1_200],
      ['2025-0002', 'PERIOD', '2025-05-01', 1_200],
    ],
  );
  t.like(body.invoices[0], {
    status: 'ISSUED',
    paymentStatus: 'OVERDUE',
    currency: 'USD',
    periodEnd: day('2026-04-01'),
    issuedAt: day('2026-04-01'),
    dueAt: day('2026-04-15'),
    issuer: null,
    billedTo: { taxId: null },
  });
});

test('a TEST credential sees the subscription and the invoices, and only TEST figures', async (t) => {
  const partner = await inTest(await aYearOfEvents());
  const { body: used } = await get(partner, 'usage');
  t.like(used, {
    mode: 'TEST',
    currency: 'USD',
    billingPeriod: { start: day('2026-04-01'), end: day('2026-05-01') },
    includedPoints: 9_000,
    includedPointsConsumed: 0,
    overagePoints: 0,
    accruedOverageCents: 0,
    rewardLiabilityCents: 130,
    recommendation: { action: 'STAY', planVersionId: null, estimatedSavingsCents: 0 },
  });
  t.is(used.projection.points, 0);
  const { body } = await get(partner, 'billing');
  t.like(body, {
    mode: 'TEST',
    wallet: { balanceCents: 1_000, reservedCents: 100, availableCents: 900 },
    rewardFunding: { balanceCents: 900, runwayDays: null },
  });
  t.is(body.planVersion.id, plans.large);
  t.is(body.invoices.length, 12);
});

test('recent events are the 20 newest of the mode, newest first', async (t) => {
  const partner = await aPartner();
  const liveIds: string[] = [];
  for (let index = 0; index < 24; index++) {
    liveIds.push(await anEvent(partner, 'LIVE', index === 23 ? 'REFUND' : 'PURCHASE', index));
    if (index % 4 === 0) await anEvent(partner, 'TEST', 'PURCHASE', index);
  }
  const { recentEvents } = (await get(partner, 'usage')).body;
  t.deepEqual(
    recentEvents.map(({ eventId }: { eventId: string }) => eventId),
    liveIds.toReversed().slice(0, 20),
  );
  t.deepEqual(recentEvents[0], {
    eventId: liveIds[23],
    type: 'REFUND',
    externalOrderId: 'order-23',
    points: 230,
    occurredAt: '2026-04-01T00:00:23.000Z',
    receivedAt: '2026-04-01T00:00:23.000Z',
  });
  t.is(recentEvents[1].occurredAt, null);
  t.is((await get(await inTest(partner), 'usage')).body.recentEvents.length, 6);
});

test('without a subscription the period is the calendar month, nothing is included and nothing is owed', async (t) => {
  const partner = await aPartner();
  await count(partner.partnerId, 300, '2026-04-10');
  t.like((await get(partner, 'usage')).body, {
    billingPeriod: { start: day('2026-04-01'), end: day('2026-05-01') },
    includedPoints: 0,
    includedPointsConsumed: 0,
    overagePoints: 300,
    accruedOverageCents: 0,
    recommendation: { action: 'STAY', planVersionId: null },
  });
  t.like((await get(partner, 'billing')).body, {
    subscription: null,
    planVersion: null,
    invoices: [],
  });
});

test('the limit per minute comes from the plan version', async (t) => {
  const partner = await aPartner();
  const { partnerId } = partner;
  await operate(depsAt(day('2026-04-01')), subscribe, {
    partnerId,
    planVersionId: plans.small,
    interval: 'MONTH',
  });
  // A draft, so that it is not among the published plans of other tests.
  const narrow = await operate(depsAt(now), createPlanVersion, {
    ...smallPlan,
    planCode: 'narrow',
    apiRateLimitPerMinute: 2,
  });
  await service.models.subscriptions.updateOne(
    { partnerId },
    { $set: { planVersionId: narrow._id } },
  );
  const replies = [];
  for (let request = 0; request < 3; request++) replies.push(await get(partner, 'billing'));
  t.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 429],
  );
});

for (const what of ['plans', 'usage', 'billing']) {
  test(`GET ${what} requires the scope events:read`, async (t) => {
    const { status, body } = await get(await aPartner('TEST', ['events:write']), what);
    t.is(status, 403);
    t.is(body.error.code, 'INSUFFICIENT_SCOPE');
  });

  test(`GET ${what} takes no query string`, async (t) => {
    const { status, body } = await get(await aPartner('TEST'), what, '?limit=1');
    t.is(status, 400);
    t.is(body.error.code, 'UNEXPECTED_QUERY');
  });

  test(`GET ${what} without a signature is refused`, async (t) => {
    const partner = await aPartner('TEST');
    const path = `/api/v1/partner/${what}`;
    const headers = { 'X-Partner-Signature': null };
    const { status } = await partner.send(undefined, { method: 'GET', path, nowSeconds, headers });
    t.is(status, 401);
  });
}
