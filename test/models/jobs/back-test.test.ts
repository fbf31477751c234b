import test from 'ava';
import type { PurchaseReport } from '../../../domain/purchase.ts';
import { recordPurchase } from '../../../events/purchase.ts';
import { findJob, isStalled, runJob, startBackTest } from '../../../models/jobs/index.ts';
import { toEarningRule } from '../../../models/rewards/rules.ts';
import type { BackTestJob, JobProgress } from '../../../models/schemas/jobs.ts';
import type { EarningRuleDoc } from '../../../models/schemas/rules.ts';
import { activateRule, createRule, type RuleFields } from '../../../operations/earning-rules.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { createPartner } from '../../../operations/partners.ts';
import { newId } from '../../../platform/ids.ts';
import { operate } from '../../helpers/operate.ts';
import { type Database, openDatabase, startProcess } from '../../helpers/processes.ts';

const dayMs = 24 * 3_600_000;
/** Noon today, because MongoDB deletes expired documents by its own clock. */
const nowMs = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2;

/** 1 point for every 1.00, at most 80 per customer and day. */
const activeFields: RuleFields = {
  kind: 'PER_AMOUNT',
  points: 1,
  unitCents: 100,
  mode: 'LIVE',
  currency: 'USD',
  capPerCustomerDayPoints: 80,
};

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

async function aShop() {
  const { models } = database;
  const deps = { models, now: () => nowMs };
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Corner Shop' });
  const { _id: integrationId } = await operate(deps, createIntegration, {
    partnerId,
    name: 'web shop',
  });
  const active = await operate(deps, createRule, { partnerId, ...activeFields });
  await operate(deps, activateRule, { ruleId: active._id });
  const process = startProcess(database, { now: () => nowMs });
  let number = 0;

  /** Records a purchase as the API does. */
  async function buy(
    rule: EarningRuleDoc,
    daysAgo: number,
    customer: string,
    subtotalCents: number,
  ) {
    number += 1;
    const atMs = nowMs - daysAgo * dayMs + number;
    const report: PurchaseReport = {
      partnerId,
      integrationId,
      credentialId: 'key_1',
      mode: rule.mode,
      address: null,
      eventId: newId('event', atMs),
      rewardId: newId('reward'),
      requestId: newId('request'),
      idempotencyKeyHash: `${number}`,
      payloadHash: `${number}`,
      receivedAt: new Date(atMs).toISOString(),
      request: { method: 'POST', path: '/purchases', status: 201 },
      workflowId: `${partnerId}/${number}`,
      externalOrderId: `order-${number}`,
      subtotalCents,
      currency: rule.currency,
      occurredAt: null,
      customerId: `cus_${partnerId}_${customer}`,
      delivery: 'SERVICE',
      claimTokenHash: `${partnerId}/${number}`,
      sealed: '',
      dataKey: { dataKeyId: newId('dataKey'), wrapped: 'wrapped' },
    };
    const events = { ...process, models, sealer: database.sealer, config: {} as never };
    return await recordPurchase(events, report, toEarningRule(rule), 'UTC');
  }

  async function backTested(fields: RuleFields, mode = fields.mode) {
    const progress: JobProgress[] = [];
    const owner = { partnerId, requestedBy: 'usr_1' };
    const draft = toEarningRule(await operate(deps, createRule, { partnerId, ...fields }));
    const { _id: jobId } = await startBackTest(deps, owner, { ...draft, mode });
    await runJob(deps, { partnerId, jobId }, (one) => progress.push(one));
    const job = (await findJob(models, partnerId, jobId)) as BackTestJob;
    return { job, progress };
  }

  return { models, deps, partnerId, active, buy, backTested };
}

test('90 days of purchases under a draft earn what was computed by hand', async (t) => {
  const { models, partnerId, active, buy, backTested } = await aShop();
  const first = await buy(active, 89, 'anna', 5_000);
  await buy(active, 89, 'anna', 5_000);
  await buy(active, 89, 'ben', 999);
  await buy(active, 2, 'anna', 10_000);
  // Not counted: too old, or in TEST.
  await buy(active, 91, 'anna', 5_000);
  await buy({ ...active, mode: 'TEST' }, 2, 'anna', 5_000);
  const { job, progress } = await backTested({
    ...activeFields,
    points: 2,
    pointValueMicros: 15_000,
    capPerCustomerDayPoints: 150,
  });
  // Active: 50 + 30 + 9 + 80 points at a cent each. Draft: 100 + 50 + 19 + 150 at 1.5 cents each, rounded up.
  t.like(job, { status: 'DONE', isOpen: undefined });
  t.like(job.result, {
    purchases: 4,
    active: { points: 169, cents: 169 },
    draft: { points: 319, cents: 150 + 75 + 29 + 225 },
    differing: 4,
  });
  t.deepEqual(
    job.result?.mostDiffering.map((one) => [
      one.externalOrderId,
      one.active.points,
      one.draft.points,
    ]),
    [
      ['order-4', 80, 150],
      ['order-1', 50, 100],
      ['order-2', 30, 50],
      ['order-3', 9, 19],
    ],
  );
  t.is(job.result?.mostDiffering[1]?.eventId, first._id);
  t.deepEqual(progress.at(-1), { done: 88, total: 90, of: 'DAYS' });
  t.is(await models.ruleActivations.countDocuments({ partnerId }), 1, 'the draft is not activated');
  t.is(await models.jobs.countDocuments({ partnerId }), 1);
});

test('purchases replayed under the active rule earn what they earned', async (t) => {
  const { active, buy, backTested } = await aShop();
  let points = 0;
  let cents = 0;
  for (let n = 0; n < 60; n++) {
    const bought = await buy(active, 10 - Math.floor(n / 6), n % 3 === 0 ? 'anna' : 'ben', n * 97);
    points += bought.purchase?.arithmetic.points ?? 0;
    cents += bought.purchase?.liabilityCents ?? 0;
  }
  const { job } = await backTested(activeFields);
  t.like(job.result, {
    purchases: 60,
    active: { points, cents },
    draft: { points, cents },
    differing: 0,
  });
});

test('a TEST draft is replayed over LIVE purchases, alongside the LIVE rule', async (t) => {
  const { active, buy, backTested } = await aShop();
  await buy(active, 3, 'anna', 5_000);
  const { job } = await backTested({ ...activeFields, mode: 'TEST', points: 2 }, 'LIVE');
  t.like(job, { mode: 'LIVE', input: { rule: { points: 2 } } });
  t.like(job.result, { purchases: 1, active: { points: 50 }, draft: { points: 80 } });
});

test('a partner has one back-test at a time', async (t) => {
  const { deps, models, partnerId, active } = await aShop();
  const owner = { partnerId, requestedBy: 'usr_1' };
  const rule = toEarningRule(active);
  await startBackTest(deps, owner, rule);
  await t.throwsAsync(startBackTest(deps, owner, rule), { code: 'CONFLICT' });
  t.is(await models.jobs.countDocuments({ partnerId }), 1);
});

test('an abandoned job is detected', async (t) => {
  const { deps, partnerId, active } = await aShop();
  const owner = { partnerId, requestedBy: 'usr_1' };
  const job = await startBackTest(deps, owner, toEarningRule(active));
  t.false(isStalled(job, nowMs + 1_000));
  t.true(isStalled(job, nowMs + 60_000));
  const { isOpen: _, ...over } = job;
  t.false(isStalled(over, nowMs + 60_000));
});
