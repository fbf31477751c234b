import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import { due } from '../../domain/due.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type DeliveryState,
  type WebhookEventType,
  webhookExamples,
} from '../../domain/webhooks.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { readWebhookFigures } from '../../models/webhooks/endpoints.ts';
import { newId } from '../../platform/ids.ts';
import { readFigures } from '../../views/figures.ts';
import { logCsv } from '../../views/log.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { type DeliveryFilter, readDeliveries } from '../../views/webhooks.ts';
import { openDatabase } from '../helpers/processes.ts';
import { aLoggedRequest } from '../helpers/signed-requests.ts';
import { takeDatabase } from '../helpers/test-database.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');

/** Documents with the fields that the figures read and those that unique indexes require. */
const numbered = (count: number, of: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => ({ _id: `doc_${n}`, partnerId: 'prt_1', ...of(n) }));

test('the figures count open rewards, and read no closed ones', async (t) => {
  const database = await openDatabase();
  const { models } = database;
  const mode: Mode = 'LIVE';
  const states = ['FUNDED', 'FUNDED', 'AWAITING_FUNDING', 'IN_REVIEW'];
  await models.rewards.collection.insertMany(
    numbered(500, (n) => ({
      purchaseEventId: `evt_${n}`,
      state: states[n] ?? 'EXPIRED',
      mode,
      currency: 'USD',
      liabilityCents: 250,
    })) as never[],
  );
  await models.orderEvents.collection.insertMany(
    numbered(500, (n) => ({
      type: 'PURCHASE',
      idempotencyKeyHash: `${n}`,
      externalOrderId: `${n}`,
      mode,
      due: n < 2 ? due('START', new Date(nowMs - 1_000 * (n + 1))) : null,
    })) as never[],
  );
  await models.reviews.collection.insertMany(
    numbered(500, (n) => ({
      status: n < 3 ? 'OPEN' : 'DECIDED',
      mode,
      dueAt: new Date(n < 1 ? nowMs - 1 : nowMs + 1),
    })) as never[],
  );
  await models.auditRuns.collection.insertMany([
    { _id: 'aud_1', partnerId: null, endedAt: new Date(nowMs - 2_000), faults: 7 },
    { _id: 'aud_2', partnerId: null, endedAt: new Date(nowMs - 1_000), faults: 2 },
    ...numbered(100, (n) => ({ _id: `aud_3${n}`, faults: 9 })),
  ] as never[]);

  await models.reconciliationRuns.collection.insertMany(
    numbered(100, (n) => ({ endedAt: new Date(nowMs + n), startedAgain: n, failed: 1 })) as never[],
  );

  const db = models.connection.db;
  await db?.command({ profile: 2 });
  t.deepEqual(await readFigures(models, nowMs), {
    due: {
      waiting: [
        { of: 'orderEvents', count: 2, oldestSince: new Date(nowMs - 2_000) },
        { of: 'rewards', count: 0, oldestSince: null },
        { of: 'redemptions', count: 0, oldestSince: null },
        { of: 'wallets', count: 0, oldestSince: null },
      ],
      setApart: 0,
    },
    openRewards: [
      { state: 'ACCEPTED', count: 0 },
      { state: 'AWAITING_FUNDING', count: 1 },
      { state: 'FUNDED', count: 2 },
      { state: 'IN_REVIEW', count: 1 },
    ],
    rewards: 500,
    missingFunds: [{ mode, currency: 'USD', cents: 250 }],
    reviews: { open: 3, overdue: 1 },
    lastAudit: { endedAt: new Date(nowMs - 1_000), faults: 2 },
    lastReconciliation: { endedAt: new Date(nowMs + 99), startedAgain: 99, failed: 1 },
  });
  await db?.command({ profile: 0 });
  const reads = await db?.collection('system.profile').find().toArray();
  t.true((reads ?? []).length >= 9);
  for (const { ns, command, planSummary, docsExamined = 0, keysExamined = 0 } of reads ?? []) {
    const read = `${ns} ${planSummary} ${JSON.stringify(command)}`;
    // At most what is due.
    t.true(docsExamined <= 2, `${docsExamined} documents examined: ${read}`);
    t.true(keysExamined <= 5, `${keysExamined} keys examined: ${read}`);
  }
  await database.close();
});

test('the log is exported to CSV as filtered, newest first, up to its limit, without formulas', async (t) => {
  const database = await openDatabase();
  t.teardown(database.close);
  const { models } = database;
  const startMs = Date.parse('2026-03-01T00:00:00Z');
  const events = Array.from({ length: 2_500 }, (_, n) =>
    aLoggedRequest({
      _id: newId('loggedRequest', startMs + n),
      receivedAt: new Date(startMs + n),
      requestId: newId('request'),
      mode: n % 2 === 0 ? 'LIVE' : 'TEST',
      externalOrderId: n === 2_498 ? '=cmd|calc' : `order-${n}`,
    }),
  );
  await models.requestLog.collection.insertMany(events);
  const read = async (maxRows?: number) => {
    const stream = logCsv(
      { models },
      { partnerId: scopeOf({ _id: 'prt_1' }), mode: 'LIVE' },
      maxRows,
    );
    return parse<Record<string, string>>(await buffer(stream), { columns: true, bom: true });
  };
  const rows = await read();
  t.is(rows.length, 1_250);
  t.like(rows[0], { externalOrderId: "'=cmd|calc", mode: 'LIVE', code: 'ACCEPTED', count: '1' });
  t.deepEqual(
    rows.slice(1).map(({ externalOrderId }) => externalOrderId),
    Array.from({ length: 1_249 }, (_, n) => `order-${2_496 - 2 * n}`),
  );
  t.is((await read(1_100)).length, 1_100);
  t.is((await read(1)).length, 1);
});

const partnerId = newId('partner');
const endpointId = newId('webhookEndpoint');
const endpoint = { _id: endpointId, partnerId } as WebhookEndpointDoc;
const dayMs = 86_400_000;
const oldestMs = Date.UTC(2026, 2, 1, 12);

function aDelivery(type: WebhookEventType, state: DeliveryState, atMs: number): WebhookDeliveryDoc {
  const made = deliveryOf(endpointId, {
    type,
    partnerId,
    mode: 'TEST',
    at: new Date(atMs),
    cause: newId('webhookEvent'),
    sequence: null,
    rewardId: null,
    data: webhookExamples[type],
  });
  const nextTryAt = state === 'PENDING' ? made.nextTryAt : null;
  return { ...made, state, nextTryAt };
}

test('a page of deliveries costs the same by event, state or day, however many there are', async (t) => {
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  const few = 5;
  const rare: [WebhookEventType, DeliveryState][] = [
    ['reward.funded', 'FAILED'],
    ['reward.funded', 'PENDING'],
    ['invoice.issued', 'DELIVERED'],
  ];
  // The matching deliveries are older than thousands of others.
  await models.webhookDeliveries.insertMany([
    ...rare.flatMap(([type, state]) =>
      Array.from({ length: few }, (_, nth) => aDelivery(type, state, oldestMs + nth)),
    ),
    ...Array.from({ length: 4_000 }, (_, nth) =>
      aDelivery('reward.funded', 'DELIVERED', oldestMs + dayMs + nth),
    ),
  ]);
  const { db } = models.connection;
  await db?.command({ profile: 2 });
  const found = async (filter: DeliveryFilter) =>
    (await readDeliveries({ models }, endpoint, filter, { limit: 25 })).items.length;
  t.is(await found({ state: 'FAILED' }), few);
  t.is(await found({ state: 'PENDING' }), few);
  t.is(await found({ type: 'invoice.issued' }), few);
  t.is(await found({ type: 'invoice.issued', state: 'DELIVERED' }), few);
  t.is(await found({ type: 'reward.funded', state: 'FAILED' }), few);
  t.is(await found({ fromDay: '2026-03-01', toDay: '2026-03-01' }), few * rare.length);
  t.is(await found({ fromDay: '2026-03-01', toDay: '2026-03-01', state: 'FAILED' }), few);
  t.is(await found({ state: 'DELIVERED' }), 25);
  await db?.command({ profile: 0 });
  const reads = await db
    ?.collection<{ docsExamined: number; keysExamined: number; command: object }>('system.profile')
    .find({ ns: /webhook_deliveries$/, 'command.find': { $exists: true } })
    .toArray();
  t.is(reads?.length, 8);
  for (const { docsExamined, keysExamined, command } of reads ?? []) {
    t.true(Math.max(docsExamined, keysExamined) <= 100, JSON.stringify(command));
  }
});

const secondsAgo = (seconds: number) => new Date(nowMs - seconds * 1_000);

test('webhook figures count endpoints, and report how long due deliveries wait for a worker', async (t) => {
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  let slot = 0;
  const endpoint = async (more: object, dueSeconds?: number) => {
    slot += 1;
    const made = { _id: newId('webhookEndpoint'), partnerId: newId('partner'), slot };
    await models.webhookEndpoints.create({
      ...made,
      mode: 'TEST',
      url: 'https://shop.example/',
      eventTypes: ['*'],
      secrets: [],
      status: 'ACTIVE',
      createdAt: secondsAgo(9_000),
      updatedAt: secondsAgo(9_000),
      ...more,
    });
    if (dueSeconds === undefined) return;
    const fact = {
      type: 'test.ping',
      mode: 'TEST',
      sequence: null,
      rewardId: null,
      data: {},
    } as const;
    const { _id, partnerId } = made;
    const at = secondsAgo(dueSeconds);
    const delivery = deliveryOf(_id, { ...fact, partnerId, at, cause: _id });
    await models.webhookDeliveries.create({ ...delivery, nextTryAt: at });
  };
  const figures = () => readWebhookFigures(models, nowMs);
  t.deepEqual(await figures(), {
    endpoints: { well: 0, failing: 0, paused: 0, disabled: 0 },
    waitingMs: 0,
  });

  await endpoint({});
  await endpoint({ status: 'PAUSED' }, 900);
  await endpoint({ status: 'DISABLED' }, 900);
  await endpoint({ status: 'LISTENING', listenUntil: secondsAgo(-60) }, 900);
  await endpoint({ userId: newId('user') }, 3);
  await endpoint({ deliveringUntil: secondsAgo(-20) }, 900);
  await endpoint({ failingSince: secondsAgo(800), deliveringUntil: secondsAgo(7) }, 900);
  const endpoints = { well: 2, failing: 1, paused: 1, disabled: 1 };
  t.deepEqual(
    await figures(),
    { endpoints, waitingMs: 7_000 },
    'counted from the expiry of the abandoned batch',
  );
  await endpoint({}, 11);
  t.deepEqual(await figures(), { endpoints: { ...endpoints, well: 3 }, waitingMs: 11_000 });
  await endpoint({}, -30);
  t.is((await figures()).waitingMs, 11_000, 'a delivery that is due later is not counted');
});
