import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createCommit } from '../../models/commit.ts';
import { createModels } from '../../models/schemas/index.ts';
import type { Config } from '../../platform/config.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { type CuttableProxy, startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { Operator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend, type Reply, toReply } from '../helpers/partner-backend.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import { townOf } from '../helpers/town.ts';

let service: OwnService;
let database: TestDatabase;
let mongo: CuttableProxy;
let temporal: CuttableProxy;
let partner: PartnerBackend;
/** The same API with a short timeout, for requests that must fail. */
let impatient: Awaited<ReturnType<typeof startAnotherApi>>;

test.before(async () => {
  database = await takeDatabase();
  mongo = await startCuttableProxy(new URL(database.uri).host);
  temporal = await startCuttableProxy(process.env.TEMPORAL_ADDRESS ?? '');
  service = await startOwnService({
    MONGODB_URI: `mongodb://${mongo.address}/${database.models.connection.name}?directConnection=true`,
    TEMPORAL_ADDRESS: temporal.address,
  });
  const config = withShortTimeout();
  impatient = await startAnotherApi(service, { config });
  partner = await service.partner();
  await partner.purchase();
});
test.after.always(async () => {
  // The Temporal client's last retry may still be pending; closing its connection now would throw.
  await delay(1_000);
  await impatient.stop();
  await service.stop();
  await database.giveBack();
  await mongo.stop();
  await temporal.stop();
});

function withShortTimeout(): Config {
  const { config } = service;
  return { ...config, http: { ...config.http, responseTimeoutMs: 500 } };
}

const get = async (path: string): Promise<Reply> => toReply(await fetch(service.baseUrl + path));

function isUnavailable(t: ExecutionContext, { status, body, headers, text }: Reply): void {
  t.is(status, 503, text);
  t.is(body.error.code, 'UNAVAILABLE');
  t.regex(headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  t.regex(headers.get('x-request-id') ?? '', /^req_/);
}

/** Sends the same request until it is accepted. */
const succeeds = (send: () => Promise<Reply>): Promise<Reply> =>
  eventually(async () => {
    const reply = await send();
    return reply.status === 201 && reply;
  }, 'the same request succeeds');

/** Makes a server unavailable, sends a purchase and a refund, restores the server and sends both again. */
async function outage(
  t: ExecutionContext,
  interrupt: () => unknown,
  restore: () => unknown,
  { isAnswered = false } = {},
) {
  const earlier = aPurchase();
  await succeeds(() => partner.purchase(earlier, { idempotencyKey: earlier.externalOrderId }));
  const body = aPurchase();
  const idempotencyKey = randomUUID();
  const refund = { externalOrderId: earlier.externalOrderId };
  const sendPurchase = (to = partner) => to.purchase(body, { idempotencyKey });
  const sendRefund = (to = partner) => to.refund(refund, { idempotencyKey });

  let refunded: Reply | undefined;
  await interrupt();
  try {
    const began = performance.now();
    const reply = await sendPurchase(isAnswered ? partner : partner.changed(impatient));
    if (isAnswered) t.is(reply.status, 201, reply.text);
    else isUnavailable(t, reply);
    t.log(`${reply.status} after ${Math.round(performance.now() - began)} ms`);
    if (isAnswered) refunded = await sendRefund();
    else isUnavailable(t, await sendRefund(partner.changed(impatient)));
    if (refunded) t.is(refunded.status, 201, refunded.text);
    t.is((await get('/healthz')).status, 200);
  } finally {
    await restore();
  }

  const accepted = await succeeds(() => sendPurchase());
  const again = await succeeds(() => sendRefund());
  if (refunded) t.is(again.text, refunded.text);
  await service.carriedOut(partner);
  t.is((await sendPurchase()).text, accepted.text);
  const { externalOrderId } = body;
  await service.allStarted();
  t.is(await service.models.rewards.countDocuments({ externalOrderId }), 1);
  t.is(await service.models.orderEvents.countDocuments({ externalOrderId }), 1);
}

/** Waits until /statusz has these fields. @returns its status code */
const health = (expected: Record<string, unknown>) =>
  eventually(
    async () => {
      const { status, body } = await get('/statusz');
      const isAsExpected = Object.entries(expected).every(([name, value]) => body[name] === value);
      return isAsExpected && status;
    },
    `/statusz returns ${JSON.stringify(expected)}`,
  );

test.serial('with everything reachable, /statusz is 200 and lists each server', async (t) => {
  const status = await health({
    status: 'ok',
    mongodb: true,
    temporal: true,
    worker: true,
  });
  t.is(status, 200);
});

test.serial(
  '/statusz reports which of MongoDB, Temporal and the worker is unavailable; /readyz checks only MongoDB; /healthz stays 200',
  async (t) => {
    for (const [interrupt, restore, missing] of [
      [
        mongo.cut,
        mongo.mend,
        { mongodb: false, temporal: true, worker: true, workflowsStart: false },
      ],
      [
        temporal.cut,
        temporal.mend,
        { mongodb: true, temporal: false, worker: false, workflowsStart: true },
      ],
    ] as const) {
      interrupt();
      try {
        t.is(await health({ status: 'not ok', ...missing }), 503);
        const ready = missing.mongodb ? 200 : 503;
        await eventually(
          async () => (await get('/readyz')).status === ready,
          `/readyz is ${ready}`,
        );
        t.is((await get('/healthz')).status, 200);
      } finally {
        restore();
      }
      t.is(await health({ status: 'ok' }), 200);
    }
  },
);

test.serial(
  'MongoDB unreachable: 503 with Retry-After, and the same request succeeds afterwards',
  async (t) => {
    await outage(t, mongo.cut, mongo.mend);
  },
);

test.serial(
  'MongoDB silent: 503 with Retry-After, and the same request succeeds afterwards',
  async (t) => {
    await outage(t, mongo.silence, mongo.mend);
  },
);

test.serial(
  'Temporal unreachable: a purchase and a refund are accepted, and carried out afterwards',
  async (t) => {
    await outage(t, temporal.cut, temporal.mend, { isAnswered: true });
  },
);

test.serial(
  'Temporal silent: a purchase and a refund are accepted, and carried out afterwards',
  async (t) => {
    await outage(t, temporal.silence, temporal.mend, { isAnswered: true });
  },
);

test.serial(
  'Temporal silent: the three GETs, a claim and a decision succeed, and are carried out afterwards',
  async (t) => {
    const purchase = aPurchase();
    const { body } = await succeeds(() => partner.purchase(purchase));
    const token = await claimTokenOf(service, body.eventId);
    const { externalOrderId } = purchase;
    const reviewed = await townOf(service).reviewed(partner);
    const admin = new Operator(service, service.adminToken);
    temporal.silence();
    try {
      for (const name of ['plans', 'usage', 'billing']) {
        const options = { method: 'GET', path: `/api/v1/partner/${name}` };
        const reply = await partner.send(undefined, { ...options, idempotencyKey: undefined });
        t.is(reply.status, 200, reply.text);
      }
      t.like((await service.claim(token)).body.reward, { customerStatus: 'CLAIMED' });
      t.like((await service.openClaim(token)).body.reward, { status: 'AVAILABLE' });
      const refund = await partner.refund({ externalOrderId });
      t.is(refund.body.refund.status, 'ADMIN_REVIEW');
      const decision = { decision: 'DISMISS', reasonCode: 'OTHER', reason: 'as agreed' };
      const decided = await admin.post(`/reviews/${reviewed._id}/decision`, decision);
      t.is(decided.status, 200, decided.text);
      t.is((await service.rewardOf(reviewed.rewardId)).state, 'AVAILABLE');
    } finally {
      temporal.mend();
    }
    await service.carriedOut(partner);
    const { _id: rewardId } = await service.rewardOf(body.reward.id);
    await eventually(() => service.models.reviews.exists({ rewardId }), 'a review opens');
  },
);

test.serial(
  'no worker: a purchase and a refund are accepted, and carried out once there is one',
  async (t) => {
    await outage(t, service.stopWorker, service.startWorker, { isAnswered: true });
  },
);

test.serial(
  'MongoDB unreachable only for workers: a purchase and its refund are accepted, and carried out afterwards',
  async (t) => {
    const direct = await connectMongo(database.uri);
    const models = createModels(direct);
    const commit = createCommit({ models, hashKey: service.hashKey, now: Date.now });
    const api = await startAnotherApi(service, { models, commit });
    const connected = partner.changed(api);
    const body = aPurchase();
    const send = () => connected.purchase(body, { idempotencyKey: 'mongodb-cut' });
    await succeeds(() => connected.purchase());
    mongo.cut();
    try {
      t.is((await send()).status, 201);
      const { externalOrderId } = body;
      const refund = await connected.refund({ externalOrderId }, { idempotencyKey: 'mongodb-cut' });
      t.is(refund.body.refund?.status, 'CANCELLED', refund.text);
    } finally {
      mongo.mend();
    }
    const { externalOrderId } = body;
    await service.allStarted();
    t.is(await service.models.rewards.countDocuments({ externalOrderId }), 1);
    await api.stop();
    await direct.close();
  },
);

test.serial('a stored response is replayed without Temporal', async (t) => {
  const body = aPurchase();
  const send = () => partner.purchase(body, { idempotencyKey: 'without-temporal' });
  const first = await succeeds(send);
  temporal.cut();
  try {
    const replay = await send();
    t.is(replay.status, 201, replay.text);
    t.is(replay.text, first.text);
  } finally {
    temporal.mend();
  }
});

test.serial('a task queue that no worker has polled shows in /statusz', async (t) => {
  const { config } = service;
  const otherQueue = { ...config, temporal: { ...config.temporal, taskQueue: randomUUID() } };
  const api = await startAnotherApi(service, { config: otherQueue });
  const { status } = await eventually(async () => {
    const reply = await toReply(await fetch(`${api.baseUrl}/statusz`));
    const { mongodb, temporal, worker } = reply.body;
    return mongodb && temporal && !worker && reply;
  }, '/statusz reports only the worker as missing');
  t.is(status, 503);
  await api.stop();
});
