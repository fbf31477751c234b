import test, { type ExecutionContext } from 'ava';
import { createRequestLog } from '../../api/request-log.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { keepRequestLogFor, shortenAddresses } from '../../models/store/retention.ts';
import { revokeCredential } from '../../operations/credentials.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { takeDatabase } from '../helpers/test-database.ts';

let service: Service;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
});
test.after.always(() => service.stop());

const eventsOf = ({ headers }: Reply) =>
  service.models.requestLog.find({ requestId: headers.get('x-request-id') ?? '' });

/** The row of a read in the request log, made without a request. */
const aRead = (partnerId: string): LoggedRequest => ({
  _id: newId('loggedRequest'),
  partnerId,
  integrationId: 'int_1',
  credentialId: `key_${partnerId}`,
  mode: 'TEST',
  type: 'READ',
  requestId: newId('request'),
  method: 'GET',
  path: '/',
  status: 200,
  code: 'OK',
  externalOrderId: null,
  eventId: null,
  receivedAt: new Date(),
  count: 1,
  minute: null,
  address: null,
  network: null,
});

/** Checks that a request has exactly one row in the request log. @returns the row */
async function hasOne(t: ExecutionContext, reply: Reply, sender: PartnerBackend, code: string) {
  await service.flushed();
  const found = await eventsOf(reply);
  t.is(found.length, 1, `${code}: ${reply.text}`);
  const [event] = found;
  t.like(event, {
    code,
    status: reply.status,
    partnerId: sender.partnerId,
    integrationId: sender.integrationId,
    credentialId: sender.credentialId,
    mode: sender.mode,
    method: 'POST',
  });
  return event;
}

test('an accepted purchase or refund has its row in the request log', async (t) => {
  const body = aPurchase();
  const { externalOrderId } = body;
  for (const [reply, path] of [
    [await partner.purchase(body), '/api/v1/partner/purchases'],
    [await partner.refund({ externalOrderId }), '/api/v1/partner/refunds'],
  ] as const) {
    await service.carriedOut(partner);
    const [event] = await eventsOf(reply);
    t.like(event, {
      code: 'ACCEPTED',
      status: 201,
      path,
      externalOrderId,
      eventId: reply.body.eventId,
    });
    await hasOne(t, reply, partner, 'ACCEPTED');
  }
});

test('a replay leaves a row of its own that names the recorded event', async (t) => {
  const body = aPurchase();
  const first = await partner.purchase(body, { idempotencyKey: 'replayed' });
  const replay = await partner.purchase(body, { idempotencyKey: 'replayed' });
  const event = await hasOne(t, replay, partner, 'REPLAYED');
  t.is(event?.eventId, first.body.eventId);
  t.is(event?.externalOrderId, body.externalOrderId);
});

test('a read leaves a row with the code OK and no event id', async (t) => {
  for (const name of ['plans', 'usage', 'billing']) {
    const path = `/api/v1/partner/${name}`;
    const reply = await partner.send(undefined, {
      method: 'GET',
      path,
      idempotencyKey: undefined,
    });
    t.is(reply.status, 200);
    await service.flushed();
    const events = await eventsOf(reply);
    t.is(events.length, 1);
    t.like(events[0], { code: 'OK', status: 200, method: 'GET', path, eventId: null });
  }
});

test('a row says which kind of request it was, and refusals are counted per kind', async (t) => {
  const sender = await service.partner();
  const headers = { 'X-Partner-Signature': `sha256=${'0'.repeat(64)}` };
  await sender.purchase(aPurchase(), { headers });
  await sender.refund({ externalOrderId: 'one' }, { headers });
  const path = '/api/v1/partner/usage';
  await sender.send(undefined, { method: 'GET', path, idempotencyKey: undefined, headers });
  await service.flushed();
  const { partnerId } = sender;
  const types = await service.models.requestLog.find({ partnerId }).distinct('type');
  t.deepEqual(types, ['PURCHASE', 'READ', 'REFUND']);
});

test('20 identical requests at once leave 20 rows: one accepted, 19 replayed', async (t) => {
  const sender = await service.partner();
  const body = aPurchase();
  await Promise.all(
    Array.from({ length: 20 }, () => sender.purchase(body, { idempotencyKey: 'twenty' })),
  );
  await service.flushed();
  await service.allStarted(sender);
  const { partnerId } = sender;
  const events = await service.models.requestLog.find({ partnerId });
  t.deepEqual(events.map(({ code }) => code).sort(), ['ACCEPTED', ...Array(19).fill('REPLAYED')]);
});

test('every refusal of a known key leaves exactly one row with its code', async (t) => {
  const { models, sealer } = service;
  const readOnly = await partner.withAnotherCredential(models, sealer, {
    scopes: ['events:read'],
  });
  const limited = await service.partner({ partner: { apiRateLimitPerMinute: 0 } });
  const suspended = await service.partner({ partner: { status: 'SUSPENDED' } });
  const ruleless = await service.partner({ rule: null });
  const revoked = await service.partner();
  await operate({ models, now: Date.now }, revokeCredential, {
    credentialId: revoked.credentialId,
  });
  const known = aPurchase();
  await partner.purchase(known, { idempotencyKey: 'known' });
  const { externalOrderId } = known;
  await partner.refund({ externalOrderId });

  const refusals: [PartnerBackend, string, (sender: PartnerBackend) => Promise<Reply>][] = [
    [partner, 'PAYLOAD_TOO_LARGE', (of) => of.purchase(' '.repeat(70_000))],
    [
      partner,
      'UNSUPPORTED_MEDIA_TYPE',
      (of) => of.purchase(known, { headers: { 'Content-Type': 'text/plain' } }),
    ],
    [
      partner,
      'AUTHENTICATION_MISSING',
      (of) => of.purchase(known, { headers: { 'X-Partner-Signature': null } }),
    ],
    [partner, 'INVALID_SIGNATURE', (of) => of.changed({ secret: 'sk_wrong' }).purchase()],
    [partner, 'TIMESTAMP_OUT_OF_RANGE', (of) => of.purchase(known, { nowSeconds: 1 })],
    [revoked, 'INVALID_API_KEY', (of) => of.purchase()],
    [readOnly, 'INSUFFICIENT_SCOPE', (of) => of.purchase()],
    [suspended, 'PARTNER_NOT_ACTIVE', (of) => of.purchase()],
    [limited, 'RATE_LIMITED', (of) => of.purchase()],
    [partner, 'UNEXPECTED_QUERY', (of) => of.purchase(known, { query: '?a=b' })],
    [
      partner,
      'IDEMPOTENCY_KEY_REQUIRED',
      (of) => of.purchase(known, { idempotencyKey: undefined }),
    ],
    [partner, 'IDEMPOTENCY_KEY_INVALID', (of) => of.purchase(known, { idempotencyKey: 'a b' })],
    [partner, 'INVALID_JSON', (of) => of.purchase('{')],
    [partner, 'VALIDATION_FAILED', (of) => of.purchase({})],
    [
      partner,
      'FORBIDDEN_METADATA_FIELD',
      (of) => of.purchase(aPurchase({ metadata: { cost: 1 } })),
    ],
    [
      partner,
      'IDEMPOTENCY_CONFLICT',
      (of) => of.purchase(aPurchase(), { idempotencyKey: 'known' }),
    ],
    [partner, 'DUPLICATE_EXTERNAL_ORDER', (of) => of.purchase(known)],
    [partner, 'DUPLICATE_EXTERNAL_REFUND', (of) => of.refund({ externalOrderId })],
    [partner, 'ORIGINAL_PURCHASE_NOT_FOUND', (of) => of.refund({ externalOrderId: 'nothing' })],
    [ruleless, 'NO_ACTIVE_EARNING_RULE', (of) => of.purchase()],
    [
      partner,
      'CURRENCY_MISMATCH',
      (of) => of.purchase(aPurchase({ order: { subtotalCents: 1, currency: 'EUR' } })),
    ],
  ];
  for (const [sender, code, send] of refusals) {
    const reply = await send(sender);
    t.is(reply.body?.error?.code, code, reply.text);
    await hasOne(t, reply, sender, code);
  }
});

test('the row of a refusal names the order once the fields are known', async (t) => {
  const body = aPurchase({ order: { subtotalCents: 1, currency: 'EUR' } });
  const event = await hasOne(t, await partner.purchase(body), partner, 'CURRENCY_MISMATCH');
  t.is(event?.externalOrderId, body.externalOrderId);
  t.is(event?.eventId, null);
});

test('refusals without a verified signature are one row per minute, credential and code', async (t) => {
  const sender = await service.partner();
  const api = await startAnotherApi(service);
  const forged = [{}, api].map((at) => sender.changed({ secret: 'sk_wrong', ...at }));
  const replies: Reply[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    const reply = await forged[attempt % 2]?.purchase();
    if (reply) replies.push(reply);
  }
  await sender.purchase(aPurchase(), { nowSeconds: 1 });
  await sender.purchase({});
  await sender.purchase({});
  await service.flushed();
  await api.stop();
  const { partnerId } = sender;
  const rows = await service.models.requestLog.find({ partnerId });
  const counted = new Map<string, number>();
  for (const { code, count } of rows) counted.set(code, (counted.get(code) ?? 0) + count);
  t.deepEqual(Object.fromEntries(counted), {
    INVALID_SIGNATURE: 6,
    TIMESTAMP_OUT_OF_RANGE: 1,
    VALIDATION_FAILED: 2,
  });
  // Two if a new minute has begun in between.
  t.true(rows.filter(({ code }) => code === 'INVALID_SIGNATURE').length <= 2);
  t.is(rows.filter(({ code }) => code === 'VALIDATION_FAILED').length, 2);
  const requestIds = replies.map(({ headers }) => headers.get('x-request-id'));
  t.true(rows.some(({ requestId }) => requestIds.includes(requestId)));
});

test('a row that counts several requests keeps the place and time of the first, and shows the newest', async (t) => {
  const { models, config } = service;
  const { partnerId } = await service.partner();
  const buffer = createRequestLog({ models, log: createLogger('test', config.log) });
  const minuteMs = Date.parse('2026-03-01T10:00:00Z');
  const refusalAt = (second: number): LoggedRequest => ({
    ...aRead(partnerId),
    status: 401,
    code: 'INVALID_SIGNATURE',
    _id: newId('loggedRequest', minuteMs + second * 1_000),
    requestId: `req_${second}`,
    receivedAt: new Date(minuteMs + second * 1_000),
    minute: new Date(minuteMs),
  });
  const first = refusalAt(5);
  for (const event of [first, refusalAt(20)]) buffer.add(event);
  await buffer.flush();
  for (const event of [refusalAt(40), refusalAt(55)]) buffer.add(event);
  await buffer.flush();
  const rows = await models.requestLog.find({ partnerId });
  t.is(rows.length, 1);
  t.like(rows[0], {
    _id: first._id,
    receivedAt: first.receivedAt,
    requestId: 'req_55',
    count: 4,
  });
});

test('requests beyond the rate limit are counted too', async (t) => {
  const sender = await service.partner({ partner: { apiRateLimitPerMinute: 1 } });
  for (let sent = 0; sent < 5; sent++) await sender.purchase({});
  await service.flushed();
  const { partnerId } = sender;
  const rows = await service.models.requestLog.find({ partnerId });
  const limited = rows.filter(({ code }) => code === 'RATE_LIMITED');
  t.is(
    limited.reduce((sum, { count }) => sum + count, 0),
    4,
  );
  t.true(limited.length <= 2);
});

test('refused requests are totalled by day and code, consistent with the log and across processes', async (t) => {
  const sender = await service.partner();
  const { partnerId } = sender;
  const { models, config } = service;
  const log = createLogger('test', config.log);
  // A row that counts several refusals adds its count; an accepted request adds nothing.
  await sender.purchase({});
  await sender.purchase(aPurchase());
  await service.flushed();
  const [example] = await models.requestLog.find({ partnerId, code: 'VALIDATION_FAILED' });
  if (!example) return t.fail('the refusal is not in the log');
  const before = { ...example, receivedAt: new Date(example.receivedAt.getTime() - 86_400_000) };
  const processes = Array.from({ length: 8 }, () => createRequestLog({ models, log }));
  for (const buffer of processes) {
    for (const row of [
      { ...before, code: 'NOT_FOUND' },
      { ...before, code: 'RATE_LIMITED', minute: example.receivedAt, count: 5 },
      { ...before, code: 'OK' },
    ]) {
      buffer.add({ ...row, _id: newId('loggedRequest'), requestId: newId('request') });
    }
  }
  await Promise.all(processes.map((buffer) => buffer.flush()));
  const dayOf = ({ receivedAt }: { receivedAt: Date }) => receivedAt.toISOString().slice(0, 10);
  const totals = await models.refusalTotals.find({ partnerId }).sort({ day: 1 });
  t.deepEqual(
    totals.map(({ mode, day, codes }) => ({ mode, day, codes })),
    [
      { mode: 'TEST', day: dayOf(before), codes: { NOT_FOUND: 8, RATE_LIMITED: 40 } },
      { mode: 'TEST', day: dayOf(example), codes: { VALIDATION_FAILED: 1 } },
    ],
  );
});

test('the caller’s address is in the request log, accepted or refused', async (t) => {
  const replies = [await partner.purchase(), await partner.purchase({})];
  await service.flushed();
  await service.allStarted(partner);
  for (const reply of replies) {
    const [event] = await eventsOf(reply);
    t.like(event, { address: '127.0.0.1', network: '127.0.0.0/24' });
  }
});

test('an address is shortened to its network after 30 days', async (t) => {
  const reply = await partner.purchase({});
  await service.flushed();
  const [event] = await eventsOf(reply);
  if (!event) return t.fail('the request has no row');
  // Its own database: in the shared one, it would shorten addresses that other tests read.
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  await models.requestLog.create(event);
  const stored = () => models.requestLog.findById(event._id);
  const dayMs = 86_400_000;
  await shortenAddresses(models, Date.now() + 29 * dayMs);
  t.is((await stored())?.address, '127.0.0.1');
  await shortenAddresses(models, Date.now() + 31 * dayMs);
  t.like(await stored(), { address: null, network: '127.0.0.0/24' });
});

test('the database drops rows of the request log after their retention, which can be changed', async (t) => {
  // Its own database: in the shared one, MongoDB would delete other tests' backdated events.
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  for (const days of [400, 90]) {
    await keepRequestLogFor(models, days);
    const indexes = await models.requestLog.collection.indexes();
    const [index] = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    t.like(index, { key: { receivedAt: 1 }, expireAfterSeconds: days * 86_400 });
  }
});

test('while nothing can be written, one partner’s flood displaces no other partner’s events', async (t) => {
  const { models, config } = service;
  const buffer = createRequestLog({ models, log: createLogger('test', config.log) }, 10);
  const eventOf = (partnerId: string, number: number): LoggedRequest => ({
    ...aRead(partnerId),
    externalOrderId: String(number),
  });
  for (const number of [1, 2]) buffer.add(eventOf('prt_quiet', number));
  for (let number = 1; number <= 100; number++) buffer.add(eventOf('prt_loud', number));
  await buffer.flush();
  const written = async (partnerId: string) =>
    (await models.requestLog.find({ partnerId }))
      .map(({ externalOrderId }) => Number(externalOrderId))
      .sort((a, b) => a - b);
  t.deepEqual(await written('prt_quiet'), [1, 2]);
  t.deepEqual(await written('prt_loud'), [93, 94, 95, 96, 97, 98, 99, 100]);
});

test('a request under an unknown key leaves no row in the request log: it belongs to no partner', async (t) => {
  const reply = await partner.changed({ key: 'pk_test_unknown' }).purchase();
  t.is(reply.status, 401);
  await service.flushed();
  t.deepEqual(await eventsOf(reply), []);
});
