import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { PartnerClient } from '../../clients/typescript/client.ts';
import { type RequestFault, requestFaultOf } from '../../domain/rehearsal.ts';
import { createRequestHashes, sha256 } from '../../platform/hashing.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';

const path = '/api/v1/partner/test/rehearsals';

let service: OwnService;
/** Of an API that looks up the key of every request, so that a rehearsal is on at once. */
let baseUrl: string;
let api: Awaited<ReturnType<typeof startAnotherApi>>;
test.before(async () => {
  service = await startOwnService();
  api = await startAnotherApi(service, { credentialCacheMs: 0 });
  ({ baseUrl } = api);
});
test.after.always(async () => {
  await api?.stop();
  await service?.stop();
});

/** Starts a rehearsal of a new partner's TEST key. */
async function rehearsing(t: ExecutionContext) {
  const shop = Object.assign(await service.partner(), { baseUrl });
  const { status, body, text } = await shop.send({ minutes: 5 }, { path });
  t.is(status, 201, text);
  const { id } = body.rehearsal;
  const { seed } = await service.models.rehearsals.findOne({ _id: id }).orFail();
  const { ofIdempotencyKey } = createRequestHashes(service.config.customerHashKey);
  const faultOf = (key: string) =>
    requestFaultOf(sha256(Buffer.from(`${seed}/PURCHASE/${ofIdempotencyKey(key)}`)));
  return {
    shop,
    id,
    report: async () =>
      (await shop.send(undefined, { method: 'GET', path: `${path}/${id}` })).body.rehearsal.report,
    /** An idempotency key whose first purchase meets a fault. */
    keyFor(fault: RequestFault | null): string {
      for (;;) {
        const key = randomUUID();
        if (faultOf(key) === fault) return key;
      }
    },
  };
}

const isRecorded = async ({ partnerId }: PartnerBackend, externalOrderId: string) =>
  (await service.models.orderEvents.exists({ partnerId, externalOrderId })) !== null;

test('a lost answer is lost after the event was recorded, and the retry is a replay', async (t) => {
  const { shop, keyFor, report } = await rehearsing(t);
  const idempotencyKey = keyFor('LOST');
  const purchase = aPurchase();
  await t.throwsAsync(shop.purchase(purchase, { idempotencyKey }));
  t.true(await isRecorded(shop, purchase.externalOrderId));
  const retry = await shop.purchase(purchase, { idempotencyKey });
  t.is(retry.status, 201);
  t.is(retry.headers.get('idempotent-replayed'), 'true');
  t.like(await report(), { verdict: 'PASSED', retried: 1, faults: { LOST: 1 }, problems: [] });
});

for (const [fault, status, seconds] of [
  ['UNAVAILABLE', 503, '2'],
  ['RATE_LIMITED', 429, '3'],
] as const) {
  test(`${status} comes instead of the event, with Retry-After, and once for each key`, async (t) => {
    const { shop, keyFor, report } = await rehearsing(t);
    const idempotencyKey = keyFor(fault);
    const purchase = aPurchase();
    const refused = await shop.purchase(purchase, { idempotencyKey });
    t.is(refused.status, status);
    t.is(refused.body.error.code, fault);
    t.is(refused.headers.get('retry-after'), seconds);
    t.false(await isRecorded(shop, purchase.externalOrderId));
    const retry = await shop.purchase(purchase, { idempotencyKey });
    t.is(retry.status, 201);
    t.is(retry.headers.get('idempotent-replayed'), null);
    // Whether it came too early depends on how busy the machine is.
    const { retried, problems } = await report();
    t.is(retried, 1);
    t.true(problems.every((one: { problem: string }) => one.problem === 'TOO_EARLY'));
  });
}

test('a slow answer is the answer', async (t) => {
  const { shop, keyFor, report } = await rehearsing(t);
  const { status } = await shop.purchase(aPurchase(), { idempotencyKey: keyFor('SLOW') });
  t.is(status, 201);
  t.like(await report(), { verdict: 'PASSED', faults: { SLOW: 1 } });
});

test('other bytes under the key, and a request that is never correct, are told apart', async (t) => {
  const { shop, keyFor, report } = await rehearsing(t);
  const idempotencyKey = keyFor('UNAVAILABLE');
  await shop.purchase(aPurchase(), { idempotencyKey });
  await shop.purchase(aPurchase(), { idempotencyKey });
  const wrong = keyFor('UNAVAILABLE');
  await shop.purchase({ externalOrderId: 'A1' }, { idempotencyKey: wrong });
  t.is((await shop.purchase({ externalOrderId: 'A1' }, { idempotencyKey: wrong })).status, 400);
  const { problems } = await report();
  const found = problems.filter(({ problem }: { problem: string }) => problem !== 'TOO_EARLY');
  t.like(found, [{ problem: 'OTHER_BYTES', count: 1 }]);
  t.is(found.length, 1);
});

test('the TypeScript client passes', async (t) => {
  const { shop, keyFor, report } = await rehearsing(t);
  const { key, secret } = shop;
  const client = new PartnerClient({ baseUrl, key, secret });
  const faults = ['LOST', 'UNAVAILABLE', 'RATE_LIMITED', null] as const;
  const answers = await Promise.all(
    faults.map((fault) => client.purchase(aPurchase(), { idempotencyKey: keyFor(fault) })),
  );
  t.deepEqual(
    answers.map(({ replayed }) => replayed),
    [true, false, false, false],
  );
  t.like(await report(), { verdict: 'PASSED', retried: 3, problems: [] });
});

test('a second start answers the one that is on, and another key is left alone', async (t) => {
  const { shop, id, keyFor } = await rehearsing(t);
  const again = await shop.send({}, { path });
  t.is(again.body.rehearsal.id, id);
  const other = await shop.withAnotherCredential(service.models, service.sealer);
  t.is((await other.purchase(aPurchase(), { idempotencyKey: keyFor('LOST') })).status, 201);
  const strange = await other.send(undefined, { method: 'GET', path: `${path}/${id}` });
  t.is(strange.status, 404);
});

test('it ends by itself, and is kept', async (t) => {
  const { shop, id, keyFor, report } = await rehearsing(t);
  const { models } = service;
  const ended = new Date(Date.now() - 1);
  await models.rehearsals.updateOne({ _id: id }, { $set: { endsAt: ended } });
  await models.credentials.updateOne(
    { _id: shop.credentialId },
    { $set: { 'rehearsal.endsAt': ended } },
  );
  t.is((await shop.purchase(aPurchase(), { idempotencyKey: keyFor('LOST') })).status, 201);
  t.like(await report(), { verdict: 'NOTHING_HAPPENED' });
  const next = await shop.send({}, { path });
  t.not(next.body.rehearsal.id, id);
});

test('LIVE is never rehearsed, and the minutes are limited', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  t.is((await live.send({}, { path })).status, 404);
  t.is(await service.models.rehearsals.countDocuments({ partnerId: live.partnerId }), 0);
  // Even if a rehearsal got into the credential.
  const rehearsal = { rehearsalId: 'rhs_1', seed: '', endsAt: new Date('2099-01-01') };
  await service.models.credentials.updateOne({ _id: live.credentialId }, { $set: { rehearsal } });
  for (let count = 0; count < 8; count += 1) t.is((await live.purchase(aPurchase())).status, 201);
  const shop = await service.partner();
  for (const minutes of [0, 61, 1.5, '5']) {
    t.is((await shop.send({ minutes }, { path })).status, 400, String(minutes));
  }
});
