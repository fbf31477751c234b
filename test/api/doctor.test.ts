import { randomUUID } from 'node:crypto';
import http from 'node:http';
import test from 'ava';
import { createRefusedRequestBuffer } from '../../api/refused-request-buffer.ts';
import type { Cause, Finding } from '../../clients/typescript/doctor/index.ts';
import { keptOfCredential } from '../../models/events/refused-requests.ts';
import { revokeCredential, revokeSecret, rotateCredential } from '../../operations/credentials.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { listRefusedRequests } from '../../views/requests.ts';
import { operate } from '../helpers/operate.ts';
import { anotherOperator, auditOf, Operator } from '../helpers/operator.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import {
  type Client,
  mistakes,
  type OtherSecrets,
  rightClient,
  signatureOf,
} from '../helpers/wrong-clients.ts';

let service: Service;
let ada: Operator;
let partner: PartnerBackend;
let others: OtherSecrets;

test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
  partner = await service.partner();
  others = await otherSecrets(partner);
});
test.after.always(() => service?.stop());

const deps = () => ({ models: service.models, sealer: service.sealer, now: Date.now });

/** A partner's other secrets: a revoked one, one of its LIVE key and one of another TEST key. */
async function otherSecrets(of: PartnerBackend): Promise<OtherSecrets> {
  const { models, sealer } = service;
  const { secretId, secret: rotated } = await operate(deps(), rotateCredential, {
    credentialId: of.credentialId,
  });
  await operate(deps(), revokeSecret, { credentialId: of.credentialId, secretId });
  const live = await of.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  const another = await of.withAnotherCredential(models, sealer);
  return { rotated: rotated ?? '', otherMode: live.secret, otherCredential: another.secret };
}

/** A body that serializers write in different ways. */
const aBody = () =>
  JSON.stringify(aPurchase({ metadata: { z: '<ü/>', a: { d: 1, c: [true, null] } } }));

const clientOf = ({ key, secret }: PartnerBackend): Client =>
  rightClient({ key, secret, body: aBody(), nowSeconds: Date.now() / 1000 });

interface Answer {
  status: number;
  requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any;
}

/** Sends a client's request byte for byte, which HTTP libraries would correct. */
async function send(client: Client): Promise<Answer> {
  const { signature } = signatureOf(client);
  const bytes = Buffer.from(client.sentBody as string);
  const request = http.request(service.baseUrl + client.path, {
    method: client.method,
    headers: {
      host: 'shop.example',
      'content-type': 'application/json',
      'content-length': bytes.length,
      'idempotency-key': randomUUID(),
      'x-partner-key': client.key,
      'x-partner-timestamp': client.timestamp,
      'x-partner-signature': signature,
    },
  });
  request.end(bytes);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  const body = JSON.parse((await response.toArray()).join(''));
  const requestId = String(response.headers['x-request-id']);
  return { status: response.statusCode ?? 0, requestId, body };
}

const pathOf = ({ credentialId }: PartnerBackend, requestId = '') =>
  `/credentials/${credentialId}/refused-requests${requestId && `/${requestId}`}`;

/** The doctor's diagnosis of a refused request. */
async function diagnosisOf(of: PartnerBackend, { requestId }: Answer) {
  await service.flushed();
  return await ada.get(pathOf(of, requestId));
}

const causesOf = (findings: Finding[]): Cause[] => findings.map(({ cause }) => cause);

test('a correct request is accepted and leaves nothing for the doctor', async (t) => {
  const one = await service.partner();
  t.is((await send(clientOf(one))).status, 201);
  await service.flushed();
  t.deepEqual((await ada.get(pathOf(one))).body, { items: [], nextCursor: null });
});

/** Whether a text contains neither a secret nor the correct signature. */
function revealsNothing(text: string, right: Client): boolean {
  const { secret } = right;
  const { signature } = signatureOf({ ...right, secret: partner.secret });
  const digest = signature.slice('sha256='.length);
  return ![secret, partner.secret, digest, ...Object.values(others)].some((one) =>
    text.includes(one),
  );
}

// Serial, because only some of a credential's simultaneous refusals are stored.
// All mistakes of each cause: test/clients/typescript/doctor.test.ts.
for (const [cause, byName] of Object.entries(mistakes)) {
  const [first] = Object.entries(byName);
  if (!first) continue;
  const [name, make] = first;
  test.serial(`the doctor diagnoses ${cause}: ${name}`, async (t) => {
    const right = clientOf(partner);
    const answer = await send({ ...right, ...make(right, others) });
    t.is(answer.status, 401, JSON.stringify(answer.body));
    const { status, body, text } = await diagnosisOf(partner, answer);
    t.is(status, 200);
    t.deepEqual(causesOf(body.findings), [cause], JSON.stringify(body.findings));
    t.true(revealsNothing(text, right));
  });
}

test.serial('two mistakes at once are both diagnosed', async (t) => {
  const right = clientOf(partner);
  const pairs = [
    ['LINES', 'SIGNATURE_FORM'],
    ['OTHER_SECRET', 'METHOD'],
    ['METHOD', 'CLOCK'],
  ] as const;
  for (const [one, other] of pairs) {
    const [first] = Object.values(mistakes[one]);
    const [second] = Object.values(mistakes[other]);
    const half = { ...right, ...first?.(right, others) };
    const answer = await send({ ...half, ...second?.(half, others) });
    const { body } = await diagnosisOf(partner, answer);
    t.deepEqual(causesOf(body.findings), [one, other]);
  }
});

test.serial('two mistakes in the signed string are not found out', async (t) => {
  const right = clientOf(partner);
  const both = { join: (lines: string[]) => `${lines.with(1, 'post').join('\n')}\n` };
  const { body } = await diagnosisOf(partner, await send({ ...right, ...both }));
  t.deepEqual(causesOf(body.findings), ['UNKNOWN']);
});

test.serial('both strings are shown side by side, and the differing line is marked', async (t) => {
  const right = clientOf(partner);
  const { timestamp } = right;
  const answer = await send({ ...right, join: (lines) => lines.with(2, ' /a\t').join('\n') });
  t.deepEqual((await diagnosisOf(partner, answer)).body.lines[2], {
    line: 3,
    name: 'path',
    ours: '/api/v1/partner/purchases',
    theirs: null,
    differs: false,
  });
  const lower = await send({ ...right, ...mistakes.METHOD['lower case']?.(right, others) });
  const { body } = await diagnosisOf(partner, lower);
  t.deepEqual(
    body.lines.map(({ ours, differs }: { ours: string; differs: boolean }) => [ours, differs]),
    [
      ['v1', false],
      ['POST', true],
      ['/api/v1/partner/purchases', false],
      [timestamp, false],
      [right.hash(right.body), false],
    ],
  );
  t.is(body.lines[1].theirs, 'post');
  t.like(body, { method: 'POST', path: '/api/v1/partner/purchases', code: 'INVALID_SIGNATURE' });
  t.is(body.body.lengthBytes, Buffer.byteLength(right.body));
});

test('the diagnosis of a revoked key says so, whatever else is wrong', async (t) => {
  const revoked = await service.partner();
  await operate(deps(), revokeCredential, { credentialId: revoked.credentialId });
  const { body } = await diagnosisOf(revoked, await send(clientOf(revoked)));
  t.deepEqual(causesOf(body.findings), ['CREDENTIAL_REVOKED']);
});

test('another partner’s secrets are never tried', async (t) => {
  const [one, stranger] = [await service.partner(), await service.partner()];
  const answer = await send({ ...clientOf(one), secret: stranger.secret });
  const { body, text } = await diagnosisOf(one, answer);
  t.deepEqual(causesOf(body.findings), ['UNKNOWN']);
  t.false(text.includes(stranger.credentialId));
  t.is((await diagnosisOf(stranger, answer)).status, 404);
});

test('an unknown key leaves nothing for the doctor, and neither does a refusal after the signature was verified', async (t) => {
  const one = await service.partner();
  const before = await service.models.refusedRequests.countDocuments({ mode: 'LIVE' });
  t.is(
    (await send({ ...clientOf(one), key: 'pk_live_unknown' })).body.error.code,
    'INVALID_API_KEY',
  );
  const { key, secret } = one;
  const wrong = rightClient({ key, secret, body: '{}', nowSeconds: Date.now() / 1000 });
  t.is((await send(wrong)).body.error.code, 'VALIDATION_FAILED');
  await service.flushed();
  t.is(await service.models.refusedRequests.countDocuments({ mode: 'LIVE' }), before);
  t.is((await ada.get(pathOf(one))).body.items.length, 0);
});

test('a refused request is stored encrypted, for a week', async (t) => {
  const one = await service.partner();
  const right = clientOf(one);
  await send({ ...right, ...mistakes.METHOD['lower case']?.(right, others) });
  await service.flushed();
  const { partnerId } = one;
  const [doc] = await service.models.refusedRequests.find({ partnerId });
  t.like(doc, { code: 'INVALID_SIGNATURE', credentialId: one.credentialId, mode: 'TEST' });
  for (const open of [right.timestamp, 'partner/purchases', right.hash(right.body)]) {
    t.false(JSON.stringify(doc).includes(open), open);
  }
  const indexes = await service.models.refusedRequests.listIndexes();
  const ttl = indexes.find(({ key: { receivedAt } }) => receivedAt === 1);
  t.is(ttl?.expireAfterSeconds, 7 * 24 * 3_600);
});

test('every operator can read refused requests, and each read leaves an audit entry', async (t) => {
  const one = await service.partner();
  const answer = await send({ ...clientOf(one), secret: 'another' });
  await service.flushed();
  const viewer = await anotherOperator(service, 'Vi', 'viewer');
  for (const path of [pathOf(one), pathOf(one, answer.requestId)]) {
    const reply = await viewer.get(path);
    t.is(reply.status, 200);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { action: 'refused-request.read', targetId: one.credentialId, status: 'DONE' });
  }
});

/** A separate buffer, and a function that adds refused requests to it. */
function aBuffer(of: PartnerBackend, models = service.models) {
  const log = createLogger('test', service.config.log);
  const buffer = createRefusedRequestBuffer({ models, sealer: service.sealer, log });
  const { partnerId, integrationId, credentialId, mode } = of;
  const add = (count: number, body = Buffer.from('{"a": 1}')): string[] =>
    Array.from({ length: count }, () => {
      const requestId = newId('request');
      buffer.add({
        requestId,
        partnerId,
        integrationId,
        credentialId,
        mode,
        code: 'INVALID_SIGNATURE',
        receivedAt: new Date(),
        request: {
          method: 'POST',
          pathname: '/api/v1/partner/purchases',
          query: null,
          host: null,
          key: of.key,
          timestamp: '1700000000',
          signature: `sha256=${'0'.repeat(64)}`,
          receivedAtSeconds: 1_700_000_000,
        },
        body,
      });
      return requestId;
    });
  return { buffer, add };
}

test('a flood stores only the newest twenty requests a second, and a hundred in all', async (t) => {
  const one = await service.partner();
  const other = await service.partner();
  const { buffer, add } = aBuffer(one);
  const bystander = aBuffer(other);
  const [theirs] = bystander.add(1);
  await bystander.buffer.flush();
  const sent: string[] = [];
  for (let second = 0; second < 7; second++) {
    sent.push(...add(1_000).slice(-20));
    await buffer.flush();
  }
  const kept = (await ada.get(pathOf(one))).body.items as { requestId: string }[];
  t.is(kept.length, keptOfCredential);
  // Ids of the same millisecond are in no particular order.
  const newest = new Set(sent.slice(-keptOfCredential - 20));
  t.true(kept.every(({ requestId }) => newest.has(requestId)));
  t.is(await service.models.refusedRequests.countDocuments({ partnerId: one.partnerId }), 100);
  t.is((await ada.get(pathOf(other))).body.items[0].requestId, theirs);
});

test('of a flood of large bodies, most are stored only with their length', async (t) => {
  const one = await service.partner();
  const { buffer, add } = aBuffer(one);
  add(20, Buffer.from(JSON.stringify({ note: 'x'.repeat(30_000) })));
  await buffer.flush();
  const refused = await listRefusedRequests(service, { ...one, _id: one.credentialId });
  t.is(refused.filter(({ request }) => request.body.variants !== null).length, 2);
  t.true(refused.every(({ request }) => (request.body.lengthBytes ?? 0) > 30_000));

  // Dropped requests make room for the bodies of newer ones.
  const next = await service.partner();
  const flood = aBuffer(next);
  flood.add(500, Buffer.from(JSON.stringify({ note: 'x'.repeat(10_000) })));
  await flood.buffer.flush();
  const newest = await listRefusedRequests(service, { ...next, _id: next.credentialId });
  t.is(newest.filter(({ request }) => request.body.variants !== null).length, 6);
});

test('a refused request that cannot be stored is dropped: no response waits for it', async (t) => {
  const one = await service.partner();
  const insertMany = () => Promise.reject(new Error('the database is unavailable'));
  const refusedRequests = { collection: { insertMany } };
  const { buffer, add } = aBuffer(one, { ...service.models, refusedRequests } as never);
  add(1);
  await t.notThrowsAsync(buffer.flush());
});
