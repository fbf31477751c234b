import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { ApiContext } from '../../api/context.ts';
import { createRateLimiter, type RateLimiterDeps } from '../../api/middleware/rate-limit.ts';
import { limitByAddress } from '../../http/limits.ts';
import { createModels } from '../../models/schemas/index.ts';
import {
  blocksInWhatIsLeft,
  type RateLimitBlock,
  type RateLimitRequest,
  windowMs,
} from '../../models/store/rate-limits.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { credentialCacheMs, startAnotherApi } from '../helpers/another-api.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend, type Reply, toReply } from '../helpers/partner-backend.ts';
import { makeLimiterPatient } from '../helpers/patient-limiter.ts';

let service: OwnService;
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
  makeLimiterPatient(service.models);
});
test.after.always(() => service.stop());

const allowing = (apiRateLimitPerMinute: number, mode: 'TEST' | 'LIVE' = 'TEST') =>
  service.partner({ partner: { apiRateLimitPerMinute }, mode });

/** Checks the headers of the IETF draft: the quota, the remaining requests and the seconds until it is reset. */
function showsLimit(
  t: ExecutionContext,
  { headers, text }: Reply,
  quota: number,
  remaining: number,
) {
  t.is(headers.get('ratelimit-policy'), `"default";q=${quota};w=60`, text);
  const [, left, seconds] =
    /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  t.is(Number(left), remaining, text);
  t.true(Number(seconds) >= 1 && Number(seconds) <= 60, seconds);
}

/** A cheap signed request that passes the limiter and is then refused. */
const sendInvalid = (partner: PartnerBackend) => partner.purchase('{');

test('every signed response carries the limit and the remaining requests, whether accepted, replayed or refused', async (t) => {
  const partner = await allowing(600);
  const body = aPurchase();
  const send = (changes = {}) =>
    partner.purchase({ ...body, ...changes }, { idempotencyKey: 'counted' });
  const replies = [
    await send(),
    await send(),
    await send({ metadata: {} }),
    await partner.purchase({}),
    await partner.purchase('{'),
    await partner.purchase(body, { idempotencyKey: undefined }),
    await partner.purchase(body, { query: '?a' }),
    await partner.refund({ externalOrderId: body.externalOrderId }),
    await partner.refund({ externalOrderId: 'nothing' }),
  ];
  t.deepEqual(
    replies.map(({ status }) => status),
    [201, 201, 409, 400, 400, 400, 400, 201, 404],
  );
  for (const [index, reply] of replies.entries()) {
    showsLimit(t, reply, 600, 599 - index);
    t.is(reply.headers.get('cache-control'), 'no-store');
  }
});

test('a request beyond the limit is 429 RATE_LIMITED with Retry-After, in TEST and in LIVE', async (t) => {
  for (const mode of ['TEST', 'LIVE'] as const) {
    const partner = await allowing(3, mode);
    for (const remaining of [2, 1, 0]) showsLimit(t, await sendInvalid(partner), 3, remaining);
    for (let again = 0; again < 2; again++) {
      const reply = await sendInvalid(partner);
      t.is(reply.status, 429);
      t.is(reply.body.error.code, 'RATE_LIMITED');
      showsLimit(t, reply, 3, 0);
      const seconds = Number(reply.headers.get('retry-after'));
      t.true(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
    }
  }
});

test('a limited request does nothing, and succeeds later under its own key', async (t) => {
  const partner = await allowing(1);
  await sendInvalid(partner);
  const body = aPurchase();
  t.is((await partner.purchase(body, { idempotencyKey: 'later' })).status, 429);
  const { partnerId } = partner;
  await service.models.partners.updateOne({ _id: partnerId }, { apiRateLimitPerMinute: 3 });
  await setTimeout(credentialCacheMs);
  const reply = await partner.purchase(body, { idempotencyKey: 'later' });
  t.is(reply.status, 201, reply.text);
  t.is(reply.headers.get('idempotent-replayed'), null);
});

test('the limit is shared by all keys of a partner in one mode', async (t) => {
  const partner = await allowing(3, 'LIVE');
  const other = await partner.withAnotherCredential(service.models, service.sealer);
  showsLimit(t, await sendInvalid(partner), 3, 2);
  showsLimit(t, await sendInvalid(other), 3, 1);
  showsLimit(t, await sendInvalid(other), 3, 0);
  t.is((await sendInvalid(other)).status, 429);
  t.is((await sendInvalid(partner)).status, 429);
});

test('another mode and another partner have their own limit', async (t) => {
  const partner = await allowing(1);
  t.is((await sendInvalid(partner)).status, 400);
  t.is((await sendInvalid(partner)).status, 429);
  const live = await partner.withAnotherCredential(service.models, service.sealer, {
    mode: 'LIVE',
  });
  showsLimit(t, await sendInvalid(live), 1, 0);
  showsLimit(t, await sendInvalid(await allowing(1)), 1, 0);
});

test('requests with an invalid signature do not count towards any limit', async (t) => {
  const partner = await allowing(2);
  for (let attempt = 0; attempt < 5; attempt++) {
    const reply = await partner.changed({ secret: 'sk_wrong' }).purchase();
    t.is(reply.status, 401);
    t.is(reply.headers.get('ratelimit'), null);
  }
  showsLimit(t, await sendInvalid(partner), 2, 1);
});

test('one limit holds across several API processes', async (t) => {
  const mongo = await connectMongo(service.config.mongodbUri);
  const models = createModels(mongo);
  makeLimiterPatient(models);
  const other = await startAnotherApi(service, { models });
  const partner = await allowing(10);
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, index) => sendInvalid(partner.changed(index % 2 ? other : {}))),
  );
  const statuses = replies.map(({ status }) => status);
  t.is(statuses.filter((status) => status === 400).length, 10);
  t.is(statuses.filter((status) => status === 429).length, 6);
  await other.stop();
  await mongo.close();
});

test('the limiter takes blocks: many requests, few writes, and each request is counted', async (t) => {
  const partner = await allowing(1_600);
  for (let sent = 1; sent <= 50; sent++)
    showsLimit(t, await sendInvalid(partner), 1_600, 1_600 - sent);
  const { partnerId, mode } = partner;
  t.like(await service.models.rateLimits.findOne({ partnerId, mode }), { taken: 100 });
});

test('requests are limited by address before anything else is known about them', async (t) => {
  const { config } = service;
  const http = { ...config.http, addressRateLimitPerMinute: 2 };
  const api = await startAnotherApi(service, { config: { ...config, http } });
  const unsigned = async () =>
    toReply(await fetch(`${api.baseUrl}/api/v1/partner/purchases`, { method: 'POST' }));
  t.is((await unsigned()).status, 415);
  t.is((await unsigned()).status, 415);
  const reply = await unsigned();
  t.is(reply.status, 429);
  t.is(reply.body.error.code, 'RATE_LIMITED');
  t.regex(reply.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  await api.stop();
});

test('the limit per address counts the caller behind the proxies, and an IPv6 caller by its /64', async (t) => {
  const { config } = service;
  const http = { ...config.http, addressRateLimitPerMinute: 1, trustedProxies: 1 };
  const api = await startAnotherApi(service, { config: { ...config, http } });
  const statusFrom = async (forwarded: string) =>
    (await fetch(`${api.baseUrl}/healthz`, { headers: { 'X-Forwarded-For': forwarded } })).status;
  t.is(await statusFrom('203.0.113.1'), 200);
  t.is(await statusFrom('203.0.113.2'), 200);
  t.is(await statusFrom('6.6.6.6, 203.0.113.1'), 429);
  t.is(await statusFrom('2001:db8::1'), 200);
  t.is(await statusFrom('2001:db8::2'), 429);
  await api.stop();
});

test('the table of addresses is bounded: the least recently seen is evicted', async (t) => {
  const limit = limitByAddress(1, { tableSize: 2, elapsedMs: () => 0 });
  const passes = (address: string) =>
    limit({ state: { address } } as ApiContext, async () => undefined).then(
      () => true,
      () => false,
    );
  t.true(await passes('192.0.2.1'));
  t.true(await passes('192.0.2.2'));
  t.false(await passes('192.0.2.1'));
  t.true(await passes('192.0.2.3'));
  t.false(await passes('192.0.2.1'));
  t.true(await passes('192.0.2.2'));
});

test('a failing limiter lets requests pass', async (t) => {
  const broken = await startOwnService({}, { hasWorker: false });
  const partner = await broken.partner();
  const { connection, rateLimits } = broken.models;
  const { name } = rateLimits.collection;
  await rateLimits.collection.drop();
  await connection.createCollection(name, { viewOn: 'partners', pipeline: [] });
  const reply = await partner.purchase();
  t.is(reply.status, 201, reply.text);
  t.truthy(reply.headers.get('ratelimit-policy'));
  await broken.stop();
});

/** Takes blocks out of windows as the database does, on a clock that the test moves. */
function sharedWindow() {
  let nowMs = 0;
  let writes = 0;
  let current = { number: 0, taken: 0, endsAtMs: 0 };
  return {
    elapsedMs: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
    writes: () => writes,
    windowNumber: () => current.number,
    async takeBlock({ limit, wanted }: RateLimitRequest): Promise<RateLimitBlock> {
      writes++;
      if (nowMs >= current.endsAtMs) {
        current = { number: current.number + 1, taken: 0, endsAtMs: nowMs + windowMs };
      }
      const untaken = limit - current.taken;
      const granted = Math.min(untaken, Math.max(Math.ceil(untaken / blocksInWhatIsLeft), wanted));
      current.taken += granted;
      return { granted, untaken: untaken - granted, leftMs: current.endsAtMs - nowMs };
    },
  };
}

const onFailure: RateLimiterDeps['onFailure'] = (error) => {
  throw error;
};
const of = (limit: number) => ({ partnerId: 'prt_1', mode: 'TEST' as const, limit });

test('across processes, in any order, a window never grants more than the limit', async (t) => {
  const step = fc.record({
    process: fc.nat(3),
    requests: fc.integer({ min: 1, max: 30 }),
    thenMs: fc.constantFrom(0, 0, 1, 20_000, windowMs),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 200 }),
      fc.array(step, { maxLength: 40 }),
      async (limit, steps) => {
        const shared = sharedWindow();
        const processes = Array.from({ length: 4 }, () =>
          createRateLimiter({ ...shared, onFailure }),
        );
        const grantedIn = new Map<number, number>();
        for (const { process, requests, thenMs } of steps) {
          const ask = processes[process];
          if (!ask) throw new Error('no such process');
          const results = await Promise.all(Array.from({ length: requests }, () => ask(of(limit))));
          const granted = results.filter(({ isGranted }) => isGranted).length;
          const window = shared.windowNumber();
          grantedIn.set(window, (grantedIn.get(window) ?? 0) + granted);
          shared.pass(thenMs);
        }
        t.true([...grantedIn.values()].every((granted) => granted <= limit));
      },
    ),
  );
});

test('a single process gets exactly its limit, with few writes', async (t) => {
  for (const limit of [0, 1, 10, 600, 100_000]) {
    const shared = sharedWindow();
    const ask = createRateLimiter({ ...shared, onFailure });
    for (let sent = 1; sent <= limit; sent++) {
      const { isGranted, remaining } = await ask(of(limit));
      if (!isGranted || remaining !== limit - sent) t.fail(`${sent} of ${limit}`);
    }
    t.false((await ask(of(limit))).isGranted);
    t.true(shared.writes() <= 20 + 16 * Math.log(limit + 1), `${shared.writes()} writes`);
  }
});

test('once nothing is left, no request reads the database until the next window', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  await Promise.all(Array.from({ length: 7 }, () => ask(of(5))));
  const writes = shared.writes();
  for (let again = 0; again < 10; again++) t.false((await ask(of(5))).isGranted);
  t.is(shared.writes(), writes);
  shared.pass(windowMs);
  t.true((await ask(of(5))).isGranted);
});

test('concurrent requests share one block', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  const results = await Promise.all(Array.from({ length: 64 }, () => ask(of(100))));
  t.true(results.every(({ isGranted }) => isGranted));
  t.is(shared.writes(), 1);
});

test('a raised limit applies at once', async (t) => {
  const shared = sharedWindow();
  const ask = createRateLimiter({ ...shared, onFailure });
  t.true((await ask(of(1))).isGranted);
  t.false((await ask(of(1))).isGranted);
  t.true((await ask(of(2))).isGranted);
  t.false((await ask(of(2))).isGranted);
});

test('while the shared window cannot be reached, the process counts on its own', async (t) => {
  const failures: unknown[] = [];
  const ask = createRateLimiter({
    takeBlock: () => Promise.reject(new Error('unavailable')),
    elapsedMs: () => 0,
    onFailure: (error) => failures.push(error),
  });
  const results = await Promise.all(Array.from({ length: 5 }, () => ask(of(3))));
  t.is(results.filter(({ isGranted }) => isGranted).length, 3);
  t.is(failures.length, 1);
});
