import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { readBilling } from '../../api/routes/billing.ts';
import { readUsage } from '../../api/routes/usage.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { billingStatusAt, createPublishedPlans, createUsage } from '../../models/billing/index.ts';
import { usageAccounts } from '../../models/billing/usage-accounts.ts';
import { createLedger } from '../../models/ledger/index.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { buildIndexes, createModels, type Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations/create.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { subscribe } from '../../operations/subscriptions/create.ts';
import { newId } from '../../platform/ids.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { databaseUri } from '../database-uri.ts';
import { seedPlans } from '../seed-plans.ts';

/**
 * `npm run bench:usage`: the cost of GET usage and GET billing with 10³, 10⁵ and 10⁶ events, without HTTP and
 * the signature. Needs a MongoDB (`MONGODB_URI`); creates its own database and drops it. The chains are
 * appended as in production, which takes a few minutes.
 */
const sizes = [1_000, 100_000, 1_000_000];
const readings = 300;
const inFlight = 1_000;
const daysOfUse = 28;

const mongodbUri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/?directConnection=true';
const uri = databaseUri(mongodbUri, `bench_usage_${process.pid}`);
const models = createModels(await connectMongo(uri));
const nowMs = Date.parse('2026-03-29T12:00:00.000Z');
const at = new Date(nowMs);
try {
  await buildIndexes(models);
  const hashKey = createSecretKey(randomBytes(32));
  const usage = createUsage(models, hashKey);
  const deps = {
    models,
    ledger: createLedger(models, hashKey),
    usage,
    publishedPlans: createPublishedPlans(models, 2_000),
    now: () => nowMs,
  };
  const { growth } = await seedPlans(deps);

  const rows: { events: number; usageMs: number; billingMs: number }[] = [];
  for (const events of sizes) {
    const { partnerId, integrationId, subscriptionId, start } = await aPartner(growth);
    await fill(events, (index) => append(partnerId, subscriptionId, start, index, events));
    await insertOrderEvents(models, partnerId, integrationId, events);
    const asOf = at.toISOString();
    const billingStatus = await billingStatusAt(models, partnerId, asOf);
    const holder = { partnerId, integrationId, mode: 'LIVE', billingStatus, at: asOf } as const;
    const usageMs = await median(() => readUsage(deps, holder));
    const billingMs = await median(() => readBilling(deps, holder));
    rows.push({ events, usageMs, billingMs });
    const first = rows[0];
    const ratio = (ms: number, firstMs = ms) => `× ${(ms / firstMs).toFixed(2)}`;
    process.stdout.write(
      `${String(events).padStart(9)} events: GET usage ${usageMs.toFixed(1)} ms ${ratio(usageMs, first?.usageMs)}, GET billing ${billingMs.toFixed(1)} ms ${ratio(billingMs, first?.billingMs)}\n`,
    );
  }

  async function append(
    partnerId: string,
    subscriptionId: string,
    start: string,
    index: number,
    events: number,
  ): Promise<void> {
    const day = new Date(Date.parse(start) + Math.floor((index * daysOfUse) / events) * dayMs)
      .toISOString()
      .slice(0, 10);
    const ref = { subscriptionId, start };
    const postings = [
      { account: usageAccounts.period(ref), unit: 'POINTS' as const, amount: 10 },
      { account: usageAccounts.closed(ref), unit: 'POINTS' as const, amount: 0 },
      { account: usageAccounts.day(day), unit: 'POINTS' as const, amount: 10 },
      { account: usageAccounts.dayCents(day), unit: 'CENTS' as const, amount: 10 },
    ];
    await usage.chain.append({
      partnerId,
      reference: `usage:${partnerId}:${index}`,
      rewardId: null,
      at,
      accounts: postings.map(({ account }) => account),
      decide: () => ({ kind: 'USAGE', postings }),
    });
  }
} finally {
  await models.connection.dropDatabase();
  await models.connection.close();
}

async function aPartner(planVersionId: string) {
  const start = new Date(nowMs - Math.floor(nowMs % dayMs) - (daysOfUse - 1) * dayMs);
  const deps = { models, now: () => start.getTime() };
  const { _id: partnerId } = await execute(deps, createPartner, system('seed'), { name: 'Bench' });
  const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
    partnerId,
    name: 'bench',
  });
  const { _id } = await execute(deps, subscribe, system('seed'), {
    partnerId,
    planVersionId,
    interval: 'MONTH',
  });
  return { partnerId, integrationId, subscriptionId: _id, start: start.toISOString() };
}

/** Does `count` things, with limited concurrency. */
async function fill(count: number, one: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += inFlight) {
    const length = Math.min(inFlight, count - from);
    await Promise.all(Array.from({ length }, (_, index) => one(from + index)));
  }
}

async function insertOrderEvents(
  { orderEvents }: Models,
  partnerId: string,
  integrationId: string,
  count: number,
): Promise<void> {
  const batch = 10_000;
  for (let from = 0; from < count; from += batch) {
    const length = Math.min(batch, count - from);
    const events = Array.from({ length }, (_, index) =>
      anOrderEvent(partnerId, integrationId, from + index),
    );
    await orderEvents.collection.insertMany(events, { ordered: false });
  }
}

function anOrderEvent(partnerId: string, integrationId: string, index: number): OrderEventDoc {
  const _id = newId('event');
  return {
    _id,
    partnerId,
    integrationId,
    credentialId: 'key_bench',
    mode: 'LIVE',
    type: 'PURCHASE',
    externalOrderId: `order-${index}`,
    idempotencyKeyHash: _id,
    payloadHash: _id,
    requestId: _id,
    receivedAt: at,
    occurredAt: null,
    sealed: '',
    rewardId: _id,
    purchaseEventId: _id,
    workflowId: _id,
    request: { method: 'POST', path: '/purchases', status: 201 },
    answer: JSON.stringify({ reward: { points: 10 } }),
    purchase: null,
    externalRefundId: null,
  };
}

async function median(read: () => Promise<unknown>): Promise<number> {
  const timesMs: number[] = [];
  for (let reading = 0; reading < readings; reading++) {
    const startMs = performance.now();
    await read();
    timesMs.push(performance.now() - startMs);
  }
  return timesMs.toSorted((one, other) => one - other)[Math.floor(readings / 2)] ?? 0;
}
