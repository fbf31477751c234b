import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { type PartnerErrorCode, partnerErrors } from '../../domain/error-codes.ts';
import { scopes } from '../../domain/partners.ts';
import { createModels } from '../../models/schemas/index.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { approved } from '../helpers/live-partner.ts';
import {
  aPurchase,
  type PartnerBackend,
  type Reply,
  type SendOptions,
  toReply,
} from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

const inReview = { ...approved, state: 'IN_REVIEW' as const };

let service: Service;
let partner: PartnerBackend;
/** Its customer has 499 points. */
let checkout: PartnerBackend;
let readOnly: PartnerBackend;
let limited: PartnerBackend;
let readOnlyAndLimited: PartnerBackend;
/** An accepted purchase. */
let known: ReturnType<typeof aPurchase>;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
  checkout = await service.partner({ scopes: [...scopes] });
  readOnly = await service.partner({ scopes: ['events:read'] });
  limited = await service.partner({ partner: { apiRateLimitPerMinute: 0 } });
  readOnlyAndLimited = await service.partner({
    partner: { apiRateLimitPerMinute: 0 },
    scopes: ['events:read'],
  });
  known = (await accepted()).body;
});
test.after.always(() => service.stop());

/** The code and status of every error that a test of this file got. */
const provoked = new Map<string, number>();

function isError(t: ExecutionContext, reply: Reply, status: number, code: PartnerErrorCode) {
  t.is(reply.status, status, reply.text);
  t.deepEqual(Object.keys(reply.body), ['error']);
  const { error } = reply.body;
  t.deepEqual(Object.keys(error).sort(), ['code', 'message']);
  t.is(error.code, code);
  t.is(typeof error.message, 'string');
  t.not(error.message, '');
  t.regex(reply.headers.get('content-type') ?? '', /^application\/json/);
  t.regex(reply.headers.get('x-request-id') ?? '', /^req_\w{26}$/);
  provoked.set(code, status);
}

const get = async (path: string): Promise<Reply> => toReply(await fetch(service.baseUrl + path));

/** Sends a purchase that is accepted. @returns its body and its event's id */
async function accepted(options: SendOptions = {}) {
  const body = aPurchase();
  const reply = await partner.purchase(body, options);
  if (reply.status !== 201) throw new Error(reply.text);
  return { body, eventId: reply.body.eventId as string };
}

const redeem = (changes: object): Promise<Reply> => {
  const { customer } = aPurchase();
  const body = { externalRedemptionId: 'one', customer, ...changes };
  return checkout.send(body, { path: '/api/v1/partner/redemptions' });
};

let firstRedemption: Promise<string> | undefined;

/** The id of a captured redemption of a point. */
function redeemed(): Promise<string> {
  firstRedemption ??= claimAndRedeem();
  return firstRedemption;
}

async function claimAndRedeem(): Promise<string> {
  const { body } = await checkout.purchase();
  await service.claim(await claimTokenOf(service, body.eventId));
  const reply = await redeem({ externalRedemptionId: 'first', points: 1 });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.redemption.id;
}

/** A response as a socket received it. */
function rawReply(received: string): Promise<Reply> {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
  return toReply(new Response(body, { status: Number(statusLine.split(' ')[1]), headers }));
}

const overSize = ' '.repeat(64 * 1024);

interface Row {
  code: PartnerErrorCode;
  status: number;
  when: string;
  provoke(): Promise<Reply>;
  also?(t: ExecutionContext, reply: Reply): void;
}

const rows: Row[] = [
  {
    code: 'INVALID_JSON',
    status: 400,
    when: 'a body that is not JSON',
    provoke: () => partner.purchase('{"externalOrderId":'),
  },
  {
    code: 'VALIDATION_FAILED',
    status: 400,
    when: 'an invalid field',
    provoke: () => partner.purchase(aPurchase({ order: { subtotalCents: -1 } })),
    also: (t, reply) => t.regex(reply.body.error.message, /order\.subtotalCents/),
  },
  {
    code: 'FORBIDDEN_METADATA_FIELD',
    status: 400,
    when: 'a partner cost field in metadata',
    provoke: () => partner.purchase(aPurchase({ metadata: { lines: [{ Unit_Cost: 5 }] } })),
    also: (t, reply) => t.regex(reply.body.error.message, /Unit_Cost/),
  },
  {
    code: 'IDEMPOTENCY_KEY_REQUIRED',
    status: 400,
    when: 'a POST without an Idempotency-Key',
    provoke: () => partner.purchase(aPurchase(), { idempotencyKey: undefined }),
  },
  {
    code: 'IDEMPOTENCY_KEY_INVALID',
    status: 400,
    when: 'an Idempotency-Key of more than 255 characters',
    provoke: () => partner.purchase(aPurchase(), { idempotencyKey: 'k'.repeat(256) }),
  },
  {
    code: 'UNEXPECTED_QUERY',
    status: 400,
    when: 'a query string, which is not signed',
    provoke: () => partner.purchase(aPurchase(), { query: '?dryRun=true' }),
  },
  {
    code: 'AUTHENTICATION_MISSING',
    status: 401,
    when: 'a missing signature header',
    provoke: () => partner.purchase(aPurchase(), { headers: { 'X-Partner-Signature': null } }),
    also: (t, reply) => t.regex(reply.body.error.message, /X-Partner-Signature/),
  },
  {
    code: 'INVALID_API_KEY',
    status: 401,
    when: 'an unknown key',
    provoke: () => partner.changed({ key: 'pk_test_unknown' }).purchase(),
  },
  {
    code: 'INVALID_SIGNATURE',
    status: 401,
    when: 'a signature made with another secret',
    provoke: () => partner.changed({ secret: 'sk_another' }).purchase(),
  },
  {
    code: 'TIMESTAMP_OUT_OF_RANGE',
    status: 401,
    when: 'a timestamp outside the clock window',
    provoke: () => partner.purchase(aPurchase(), { nowSeconds: 1_600_000_000 }),
  },
  {
    code: 'INSUFFICIENT_SCOPE',
    status: 403,
    when: 'a POST under a key without events:write',
    provoke: () => readOnly.purchase(),
    also: (t, reply) => t.regex(reply.body.error.message, /events:write/),
  },
  {
    code: 'PARTNER_NOT_ACTIVE',
    status: 403,
    when: 'a suspended partner',
    provoke: async () => (await service.partner({ partner: { status: 'SUSPENDED' } })).purchase(),
  },
  {
    code: 'PARTNER_NOT_ACTIVE',
    status: 403,
    when: 'a LIVE key of a partner that is not live',
    provoke: async () =>
      (await service.partner({ partner: { goLive: inReview }, mode: 'LIVE' })).purchase(),
  },
  {
    code: 'NOT_FOUND',
    status: 404,
    when: 'an unknown path',
    provoke: () => get('/api/v1/partner/nothing'),
  },
  {
    code: 'ORIGINAL_PURCHASE_NOT_FOUND',
    status: 404,
    when: 'a refund of an unknown order',
    provoke: () => partner.refund({ externalOrderId: 'never-reported' }),
  },
  {
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    when: 'a method that the path does not allow',
    provoke: () => get('/api/v1/partner/purchases'),
    also: (t, reply) => t.is(reply.headers.get('allow'), 'POST'),
  },
  {
    code: 'IDEMPOTENCY_CONFLICT',
    status: 409,
    when: 'an Idempotency-Key used again with another body',
    provoke: async () => {
      await accepted({ idempotencyKey: 'errors-conflict' });
      return await partner.purchase(aPurchase(), { idempotencyKey: 'errors-conflict' });
    },
  },
  {
    code: 'DUPLICATE_EXTERNAL_ORDER',
    status: 409,
    when: 'an order reported again under another key',
    provoke: async () => partner.purchase((await accepted()).body),
  },
  {
    code: 'TOO_MANY_REFUNDS',
    status: 409,
    when: 'the 101st refund of an order',
    provoke: async () => {
      const { body, eventId } = await accepted();
      await service.allStarted(partner);
      const at = new Date();
      const refunds = Array.from({ length: 100 }, (_, nth) => ({
        move: 'REFUND' as const,
        at,
        state: 'CANCELLED' as const,
        refundEventId: `${eventId}/${nth}`,
      }));
      await service.models.rewards.updateOne(
        { purchaseEventId: eventId },
        { $push: { moves: { $each: refunds } }, $set: { state: 'CANCELLED' } },
      );
      const { externalOrderId } = body;
      return await partner.refund({ externalOrderId, externalRefundId: 'one more' });
    },
  },
  {
    code: 'REFUND_EXCEEDS_ORDER',
    status: 422,
    when: 'a refund of more than is left of the order',
    provoke: async () => {
      const { externalOrderId, order } = (await accepted()).body;
      const amountCents = order.subtotalCents + 1;
      return await partner.refund({ externalOrderId, externalRefundId: 'too much', amountCents });
    },
  },
  {
    code: 'DUPLICATE_EXTERNAL_REFUND',
    status: 409,
    when: 'a refund reported again under another key',
    provoke: async () => {
      const { externalOrderId } = (await accepted()).body;
      await partner.refund({ externalOrderId });
      return await partner.refund({ externalOrderId });
    },
  },
  {
    code: 'DUPLICATE_EXTERNAL_REDEMPTION',
    status: 409,
    when: 'a redemption reported again under another key',
    provoke: async () => {
      await redeemed();
      return await redeem({ externalRedemptionId: 'first', points: 1 });
    },
  },
  {
    code: 'REDEMPTION_ENDED',
    status: 409,
    when: 'the release of a captured redemption',
    provoke: async () => {
      const path = `/api/v1/partner/redemptions/${await redeemed()}/release`;
      return await checkout.send({}, { path });
    },
  },
  {
    code: 'INSUFFICIENT_POINTS',
    status: 422,
    when: 'more points than the customer has',
    provoke: () => redeem({ points: 1_000_000 }),
    also: (t, reply) => t.regex(reply.body.error.message, /can spend \d+ points/),
  },
  {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    when: 'a body of more than 64 KiB',
    provoke: () => partner.purchase(JSON.stringify(aPurchase()) + overSize),
  },
  {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    when: 'a body that is not application/json',
    provoke: () => partner.purchase(aPurchase(), { headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    when: 'a compressed body',
    provoke: () => partner.purchase(aPurchase(), { headers: { 'Content-Encoding': 'gzip' } }),
  },
  {
    code: 'NO_ACTIVE_EARNING_RULE',
    status: 422,
    when: 'a purchase of a partner without an active rule',
    provoke: async () => (await service.partner({ rule: null })).purchase(),
  },
  {
    code: 'CURRENCY_MISMATCH',
    status: 422,
    when: 'a purchase in a currency without an active rule',
    provoke: () => partner.purchase(aPurchase({ order: { subtotalCents: 100, currency: 'EUR' } })),
    also: (t, reply) => t.regex(reply.body.error.message, /active in EUR\. Accepted: USD\./),
  },
  {
    code: 'REQUEST_TIMEOUT',
    status: 408,
    when: 'a body that stalls',
    provoke: async () => {
      const http = { ...service.config.http, responseTimeoutMs: 300 };
      const api = await startAnotherApi(service, { config: { ...service.config, http } });
      try {
        const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
        const lines = ['POST /api/v1/partner/purchases HTTP/1.1', 'Host: here'];
        const headers = ['Content-Type: application/json', 'Content-Length: 9'];
        const key = ['Idempotency-Key: one'];
        socket.write([...lines, ...headers, ...key, '', '{'].join('\r\n'));
        return rawReply(await text(socket));
      } finally {
        await api.stop();
      }
    },
    also(t, { headers, body }) {
      t.regex(headers.get('retry-after') ?? '', /^[1-9]\d?$/);
      t.is(headers.get('connection'), 'close');
      t.regex(body.error.message, /Send the same request again\. Use the same Idempotency-Key\.$/);
    },
  },
  {
    code: 'RATE_LIMITED',
    status: 429,
    when: 'more requests than the plan allows',
    provoke: () => limited.purchase(),
    also: (t, reply) => t.regex(reply.headers.get('retry-after') ?? '', /^[1-9]\d?$/),
  },
  {
    code: 'INTERNAL',
    status: 500,
    when: 'an internal error, without details,',
    provoke: async () => {
      const seal = (): never => {
        throw new Error('the vault is shut');
      };
      const api = await startAnotherApi(service, { sealer: { ...service.sealer, seal } });
      try {
        return await partner.changed(api).purchase();
      } finally {
        await api.stop();
      }
    },
    also: (t, reply) => t.notRegex(reply.text, /vault/),
  },
  {
    code: 'UNAVAILABLE',
    status: 503,
    when: 'an unreachable MongoDB',
    provoke: async () => {
      const { config } = service;
      const mongo = await startCuttableProxy(new URL(config.mongodbUri).host);
      const path = `${new URL(config.mongodbUri).pathname}?directConnection=true`;
      const connection = await connectMongo(`mongodb://${mongo.address}${path}`);
      const http = { ...config.http, responseTimeoutMs: 500 };
      const models = createModels(connection);
      const api = await startAnotherApi(service, { models, config: { ...config, http } });
      mongo.silence();
      try {
        return await partner.changed(api).refund({ externalOrderId: known.externalOrderId });
      } finally {
        mongo.mend();
        await api.stop();
        await connection.close();
        await mongo.stop();
      }
    },
    also: (t, reply) => t.regex(reply.headers.get('retry-after') ?? '', /^[1-9]\d?$/),
  },
];

for (const { code, status, when, provoke, also } of rows) {
  test.serial(`${when} returns ${status} ${code}`, async (t) => {
    const reply = await provoke();
    isError(t, reply, status, code);
    also?.(t, reply);
  });
}

test.serial(
  'the error table is complete: every code was provoked, each with a single status',
  (t) => {
    const statuses = Object.entries(partnerErrors).map(([code, { status }]) => [code, status]);
    t.deepEqual([...provoked].sort(), statuses.sort());
  },
);

test('a body of exactly 64 KiB is not too large', async (t) => {
  const json = JSON.stringify(aPurchase());
  const reply = await partner.purchase(json + ' '.repeat(64 * 1024 - json.length));
  t.is(reply.status, 201, reply.text);
});

test('a chunked body without a length is limited too', async (t) => {
  const chunk = new TextEncoder().encode(' '.repeat(16 * 1024));
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ < 5) controller.enqueue(chunk);
      else controller.close();
    },
  });
  const reply = await fetch(`${service.baseUrl}/api/v1/partner/purchases`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  t.is(reply.status, 413, await reply.text());
});

test('application/json allows the charset UTF-8 and no other', async (t) => {
  const as = (type: string) => partner.purchase(aPurchase(), { headers: { 'Content-Type': type } });
  for (const type of [
    'application/json; charset=utf-8',
    'application/json; charset=UTF8',
    'application/json; charset="utf-8"',
    'application/json;charset=utf_8',
    'Application/JSON ; Charset=Utf-8',
  ]) {
    t.is((await as(type)).status, 201, type);
  }
  t.is((await as('application/json; charset=latin1')).status, 415);
});

/** What can be wrong with a request, in the order of the contract's checks. */
const faults = [
  { name: 'size', code: 'PAYLOAD_TOO_LARGE', stage: 1 },
  { name: 'media type', code: 'UNSUPPORTED_MEDIA_TYPE', stage: 1 },
  { name: 'authentication', code: 'INVALID_SIGNATURE', stage: 2 },
  { name: 'scope', code: 'INSUFFICIENT_SCOPE', stage: 3 },
  { name: 'rate limit', code: 'RATE_LIMITED', stage: 4 },
  { name: 'idempotency key', code: 'IDEMPOTENCY_KEY_REQUIRED', stage: 5 },
  { name: 'JSON', code: 'INVALID_JSON', stage: 6 },
  { name: 'fields', code: 'VALIDATION_FAILED', stage: 7 },
  { name: 'event', code: 'DUPLICATE_EXTERNAL_ORDER', stage: 8 },
] as const;
type Fault = (typeof faults)[number]['name'];

async function sendWrong(...wrong: Fault[]): Promise<Reply> {
  const has = (fault: Fault) => wrong.includes(fault);
  let sender = partner;
  if (has('rate limit')) sender = limited;
  if (has('scope')) sender = has('rate limit') ? readOnlyAndLimited : readOnly;
  const body = {
    ...aPurchase(has('event') ? { externalOrderId: known.externalOrderId } : {}),
    ...(has('fields') && { order: {} }),
  };
  const text = has('JSON') ? '{"externalOrderId":' : JSON.stringify(body);
  return await sender
    .changed(has('authentication') ? { secret: 'sk_another' } : {})
    .purchase(has('size') ? text + overSize : text, {
      ...(has('idempotency key') && { idempotencyKey: undefined }),
      ...(has('media type') && { headers: { 'Content-Type': 'text/plain' } }),
    });
}

for (const first of faults.slice(0, -1)) {
  const later = faults.filter(({ stage }) => stage > first.stage);
  test(`${first.name} is checked before ${later.map(({ name }) => name).join(', ')}`, async (t) => {
    const alone = await sendWrong(first.name);
    t.is(alone.body.error.code, first.code);
    for (const second of later) {
      const reply = await sendWrong(first.name, second.name);
      t.is(reply.body.error.code, first.code, `${first.name} and ${second.name}`);
    }
  });
}

test('nothing about the partner is revealed before the signature is verified', async (t) => {
  const suspended = await service.partner({ partner: { status: 'SUSPENDED' }, rule: null });
  for (const [sender, code] of [
    [suspended, 'INVALID_SIGNATURE'],
    [readOnly, 'INVALID_SIGNATURE'],
    [limited, 'INVALID_SIGNATURE'],
  ] as const) {
    const reply = await sender.changed({ secret: 'sk_another' }).purchase();
    t.is(reply.body.error.code, code);
    t.is(reply.headers.get('ratelimit'), null);
  }
});
