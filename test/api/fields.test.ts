import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { signedHeaders } from '../../clients/typescript/signature.ts';
import { aPurchase, type PartnerBackend, type SendOptions } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
/** The sender of all accepted requests. */
let accepting: PartnerBackend;
/** The sender of all refused requests, for which nothing may be stored. */
let refused: PartnerBackend;
/** An order of this sender, for its refunds. */
let order: string;

test.before(async () => {
  service = await startService();
  accepting = await service.partner();
  refused = await service.partner();
  order = aPurchase().externalOrderId;
  await refused.purchase(aPurchase({ externalOrderId: order }));
});
test.after.always(() => service.stop());

const longText = (length: number) => 'x'.repeat(length);
const withOrder = (fields: object) =>
  aPurchase({ order: { subtotalCents: 100, currency: 'USD', ...fields } });
const withCustomer = (customer: unknown) => aPurchase({ customer });
/** A purchase without one of its fields. */
function without(field: string) {
  return { ...aPurchase(), [field]: undefined };
}

async function isAccepted(t: ExecutionContext, ...bodies: unknown[]): Promise<void> {
  for (const body of bodies) {
    const reply = await accepting.purchase(body);
    t.is(reply.status, 201, `${JSON.stringify(body).slice(0, 300)} ${reply.text}`);
  }
}

/** Checks that each body is refused as VALIDATION_FAILED with a message that names the field. */
async function isRefused(t: ExecutionContext, field: string, ...bodies: unknown[]): Promise<void> {
  for (const body of bodies) {
    const reply = await refused.purchase(body);
    const what = `${JSON.stringify(body).slice(0, 300)} ${reply.text.slice(0, 300)}`;
    t.is(reply.status, 400, what);
    t.is(reply.body.error.code, 'VALIDATION_FAILED', what);
    t.true(reply.body.error.message.includes(field), what);
  }
}

async function isRefusedRefund(
  t: ExecutionContext,
  field: string,
  ...changes: object[]
): Promise<void> {
  for (const change of changes) {
    const reply = await refused.refund({ externalOrderId: order, ...change });
    t.is(reply.body?.error?.code, 'VALIDATION_FAILED', `${JSON.stringify(change)} ${reply.text}`);
    t.true(reply.body.error.message.includes(field), reply.text);
  }
}

/** Refunds a fresh order each time. */
async function isAcceptedRefund(t: ExecutionContext, ...changes: object[]): Promise<void> {
  for (const change of changes) {
    const { externalOrderId } = aPurchase();
    await accepting.purchase(aPurchase({ externalOrderId }));
    const reply = await accepting.refund({ externalOrderId, ...change });
    t.is(reply.status, 201, `${JSON.stringify(change).slice(0, 300)} ${reply.text}`);
  }
}

test('externalOrderId is required', async (t) => {
  await isRefused(t, 'externalOrderId', without('externalOrderId'));
});

test('externalOrderId is a string of 1 to 160 characters', async (t) => {
  const id = (externalOrderId: unknown) => aPurchase({ externalOrderId });
  await isAccepted(t, id('1'), id(longText(160)), id('Bestellung № 7 – 東京'));
  await isRefused(t, 'externalOrderId', id(''), id(longText(161)), id(7), id(null), id(['a']));
});

test('ids contain no control characters and no lone surrogates', async (t) => {
  for (const bad of ['a\u0000b', 'a\nb', 'a\u007fb', 'a\ud800', '\udc00a']) {
    await isRefused(t, 'externalOrderId', aPurchase({ externalOrderId: bad }));
    await isRefusedRefund(t, 'externalRefundId', { externalRefundId: bad });
  }
});

test('customer is required and an object', async (t) => {
  await isRefused(t, 'customer', without('customer'));
  for (const wrong of [null, 'a@b.co', [], 1]) await isRefused(t, 'customer', withCustomer(wrong));
});

test('at least one of customer.email and customer.phone must be present; blank counts as absent', async (t) => {
  await isRefused(
    t,
    'customer.email or customer.phone',
    withCustomer({}),
    withCustomer({ email: '' }),
    withCustomer({ email: '  ', phone: '\t' }),
    withCustomer({ phone: '' }),
  );
  await isAccepted(
    t,
    withCustomer({ email: 'a@b.co', phone: '' }),
    withCustomer({ email: ' ', phone: '415 555 2671' }),
    withCustomer({ phone: '+1 (415) 555-2671' }),
  );
});

test('customer.email is a valid email address or a blank string', async (t) => {
  const email = (value: unknown) => withCustomer({ email: value, phone: '4155552671' });
  await isAccepted(
    t,
    ...[' a.b+c@sub.example.museum ', 'ü@b.co', '   ', '"a b"@c.co', null].map(email),
  );
  const tooLong = `${longText(250)}@b.co`;
  for (const wrong of [
    'a',
    'a@',
    '@b.co',
    'a b@c.co',
    'a@b',
    tooLong,
    '\ud800@b.co',
    'a\u200b@b.co',
    5,
  ]) {
    await isRefused(t, 'customer.email', email(wrong));
  }
});

test('customer.phone is up to 32 characters', async (t) => {
  const phone = (value: unknown) => withCustomer({ email: 'a@b.co', phone: value });
  await isAccepted(t, phone(`5${' '.repeat(30)}5`), phone('٣٣٣'), phone('none'), phone(null));
  await isRefused(t, 'customer.phone', phone('5'.repeat(33)), phone(5));
});

test('a phone that identifies nobody is not enough', async (t) => {
  for (const phone of ['0', 'n/a 1', '12-345', 'none']) {
    await isRefused(
      t,
      'customer.phone',
      withCustomer({ phone }),
      withCustomer({ phone, email: null }),
    );
  }
  await isAccepted(t, withCustomer({ phone: '1-800-FLOWERS' }), withCustomer({ phone: '1234567' }));
});

test('order is required and an object', async (t) => {
  await isRefused(t, 'order', without('order'));
  for (const wrong of [null, 100, [], 'x'])
    await isRefused(t, 'order', aPurchase({ order: wrong }));
});

test('order.subtotalCents is an integer from 0 to 100,000,000', async (t) => {
  await isAccepted(
    t,
    withOrder({ subtotalCents: 0 }),
    withOrder({ subtotalCents: 100_000_000 }),
    JSON.stringify(withOrder({})).replace('"subtotalCents":100', '"subtotalCents":1e2'),
  );
  for (const wrong of [100_000_001, 1.5, '5', -1, null, true, [5], undefined]) {
    await isRefused(t, 'order.subtotalCents', withOrder({ subtotalCents: wrong }));
  }
  for (const wrong of ['1e400', '-1e400', '9007199254740993', '0.1']) {
    const body = JSON.stringify(withOrder({ subtotalCents: 100 }));
    await isRefused(t, 'order.subtotalCents', body.replace(':100,', `:${wrong},`));
  }
});

test('order.currency is a three-letter code', async (t) => {
  await isAccepted(
    t,
    withOrder({ currency: 'usd' }),
    withOrder({ currency: undefined }),
    withOrder({ currency: null }),
  );
  for (const wrong of ['', 'US', 'USDX', 'U$D', 'US1', ' USD', 'ÜSD', 'ZZZ', 840]) {
    await isRefused(t, 'order.currency', withOrder({ currency: wrong }));
  }
});

test('unknown fields at the top level, in customer and in order are refused and named', async (t) => {
  await isRefused(t, 'externalOrderID', aPurchase({ externalOrderID: 'typo' }));
  await isRefused(t, 'customer.mail', withCustomer({ email: 'a@b.co', mail: 'a@b.co' }));
  await isRefused(t, 'order.subtotal', withOrder({ subtotal: 1 }));
  await isRefused(t, 'constructor', aPurchase({ constructor: {} }));
  await isRefused(t, 'toString', withOrder({ toString: 'x' }));
  await isRefusedRefund(t, 'refundId', { refundId: 'typo' });
});

test('a field named __proto__ is refused and named, and replaces no other', async (t) => {
  const json = JSON.stringify(aPurchase());
  const { externalOrderId: _, ...rest } = aPurchase();
  const forged = JSON.stringify(rest).replace('{', '{"__proto__":{"externalOrderId":"forged"},');
  await isRefused(
    t,
    '__proto__',
    json.replace('{', '{"__proto__":{"polluted":true},'),
    json.replace('"customer":{', '"customer":{"\\u005f_proto__":{"phone":"1"},'),
    json.replace('"order":{', '"order":{"__proto__":null,'),
    forged,
  );
  t.is(({} as { polluted?: unknown }).polluted, undefined);
});

test('occurredAt, when given, is an ISO 8601 date-time with a timezone offset', async (t) => {
  const at = (occurredAt: unknown) => aPurchase({ occurredAt });
  await isAccepted(
    t,
    at('2026-01-31T09:30:00+01:00'),
    at('2026-01-31T09:30:00.123456Z'),
    at('2026-01-31T09:30Z'),
    at('2026-01-31T09:30:00-0830'),
    at('2024-02-29T23:59:59+14:00'),
    at('1970-01-01T00:00:00Z'),
    at(new Date(Date.now() + 23 * 3_600_000).toISOString()),
    at(null),
  );
  for (const wrong of [
    '2026-01-31T09:30:00',
    '2026-01-31',
    '2026-02-30T09:30:00Z',
    '2026-13-01T09:30:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T09:30:00+25:00',
    '2026-01-31T09:30:00+01:60',
    '31/01/2026 09:30 Z',
    'now',
    '',
    1_767_225_600,
    '1969-12-31T23:59:59Z',
    '9999-01-01T00:00:00Z',
    new Date(Date.now() + 25 * 3_600_000).toISOString(),
  ]) {
    await isRefused(t, 'occurredAt', at(wrong));
    await isRefusedRefund(t, 'occurredAt', { occurredAt: wrong });
  }
});

const nested = (levels: number): Record<string, unknown> =>
  levels === 1 ? {} : { deeper: nested(levels - 1) };

test('metadata is an object of at most 16 KiB and 8 levels', async (t) => {
  const metadata = (value: unknown) => aPurchase({ metadata: value });
  const room = 16 * 1024 - JSON.stringify({ note: '' }).length;
  await isAccepted(
    t,
    metadata({}),
    metadata(nested(8)),
    metadata(null),
    metadata({ note: longText(room) }),
    metadata({ any: [1, 'two', null, { three: true }], '\ud83d': '\ud83d' }),
  );
  await isRefused(
    t,
    'metadata',
    metadata(nested(9)),
    metadata({ note: longText(room + 1) }),
    metadata({ note: 'é'.repeat(room / 2 + 1) }),
    metadata([]),
    metadata('text'),
  );
  await isAcceptedRefund(t, { metadata: nested(8) }, { metadata: { note: longText(room) } });
  await isRefusedRefund(t, 'metadata', { metadata: nested(9) }, { metadata: [] });
});

test('endless nesting is refused, not followed', async (t) => {
  const depth = 30_000;
  const deep = `{"metadata":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const reply = await refused.purchase(deep);
  t.is(reply.status, 400, reply.text);
});

const costFields = `cost costCents unitCost partnerCost partnerCostCents rewardCost rewardCostCents
  costPerPoint pointCost fundingCost merchantCost margin commission payout`.split(/\s+/);

test("a purchase's metadata must not contain a partner cost field, at any depth and in any spelling", async (t) => {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const spellings = [
    ...costFields,
    ...costFields.map((name) => name.toUpperCase()),
    ...costFields.map(snake),
    'cost-per-point',
    '__COST__',
  ];
  for (const name of spellings) {
    for (const metadata of [{ [name]: 1 }, { lines: [{ a: { [name]: null } }] }]) {
      const reply = await refused.purchase(aPurchase({ metadata }));
      t.is(reply.body?.error?.code, 'FORBIDDEN_METADATA_FIELD', `${name} ${reply.text}`);
      t.true(reply.body.error.message.includes(name));
    }
  }
  await isAccepted(t, aPurchase({ metadata: { costume: 1, marginal: 2, note: 'cost' } }));
});

test("a refund's metadata is an arbitrary JSON object", async (t) => {
  await isAcceptedRefund(t, { metadata: { cost: 1, nested: { margin: 2 } } });
});

test('externalRefundId is 1 to 160 characters', async (t) => {
  await isAcceptedRefund(
    t,
    { externalRefundId: randomUUID().slice(0, 1) },
    { externalRefundId: longText(160) },
  );
  for (const wrong of ['', longText(161), 5]) {
    await isRefusedRefund(t, 'externalRefundId', { externalRefundId: wrong });
  }
});

test('the default refund id of any order is one that the API takes', async (t) => {
  for (const externalOrderId of [longText(153), longText(160)]) {
    await accepting.purchase(aPurchase({ externalOrderId }));
    const { body } = await accepting.refund({ externalOrderId });
    const { externalRefundId } = body.refund;
    t.is(externalRefundId, `refund:${externalOrderId}`);
    const again = await accepting.refund({ externalOrderId, externalRefundId });
    t.is(again.body.error.code, 'DUPLICATE_EXTERNAL_REFUND');
  }
  const externalRefundId = `refund:${longText(160)}`;
  await isRefusedRefund(t, 'externalRefundId', { externalRefundId });
});

test('reason is up to 500 characters', async (t) => {
  await isAcceptedRefund(t, {
    reason: null,
    metadata: null,
    externalRefundId: null,
    occurredAt: null,
  });
  await isAcceptedRefund(t, { reason: '' }, { reason: longText(500) }, { reason: 'line\nbreak' });
  for (const wrong of [longText(501), 'broken \ud800', 5]) {
    await isRefusedRefund(t, 'reason', { reason: wrong });
  }
});

test("a refund's externalOrderId is required and 1 to 160 characters", async (t) => {
  for (const externalOrderId of [undefined, '', longText(161), 5, null]) {
    await isRefusedRefund(t, 'externalOrderId', { externalOrderId });
  }
});

test('the body is one JSON object', async (t) => {
  for (const wrong of ['null', '[]', '"text"', '5', 'true', JSON.stringify([aPurchase()])]) {
    await isRefused(t, 'body', wrong);
  }
});

test('a body that is not JSON in UTF-8 is INVALID_JSON', async (t) => {
  const json = JSON.stringify(aPurchase());
  for (const wrong of [
    '',
    '{',
    `${json}x`,
    json.replace('{', "{'a':1,"),
    `\ufeff${json}`,
    Buffer.from(json.replace('customer@', 'caf\u00e9@'), 'latin1'),
    Buffer.concat([Buffer.from('{"externalOrderId":"'), Buffer.from([0xed, 0xa0, 0x80])]),
    Buffer.from(json, 'utf16le'),
  ]) {
    const reply = await refused.purchase(wrong, {
      headers: { 'Content-Type': 'application/json' },
    });
    t.is(reply.status, 400, reply.text);
    t.is(reply.body.error.code, 'INVALID_JSON');
  }
});

test('Idempotency-Key is 1 to 255 visible ASCII characters', async (t) => {
  const send = async (idempotencyKey: string, options: SendOptions = {}) =>
    await accepting.purchase(aPurchase(), { idempotencyKey, ...options });
  t.is((await send(`!~${longText(253)}`)).status, 201);
  t.is((await send('k')).status, 201);
  for (const wrong of [longText(256), 'two words', 'caf\u00e9', 'a\tb']) {
    const reply = await send(wrong);
    t.is(reply.body.error.code, 'IDEMPOTENCY_KEY_INVALID', wrong);
  }
  t.is((await send('')).body.error.code, 'IDEMPOTENCY_KEY_REQUIRED');
});

test('a repeated header is refused', async (t) => {
  const path = '/api/v1/partner/purchases';
  const body = JSON.stringify(aPurchase());
  const { key, secret } = refused;
  const headers = signedHeaders({
    key,
    secret,
    method: 'POST',
    pathname: path,
    body,
    nowSeconds: Date.now() / 1000,
    idempotencyKey: 'twice',
  });
  const codeWithTwo = (name: string) =>
    new Promise<string>((resolve, reject) => {
      const twice = { ...headers, [name]: [headers[name] ?? '', headers[name] ?? ''] };
      const sent = request(service.baseUrl + path, { method: 'POST', headers: twice }, (reply) => {
        let text = '';
        reply.on('data', (part) => {
          text += part;
        });
        reply.on('end', () => resolve(JSON.parse(text).error?.code));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  t.is(await codeWithTwo('X-Partner-Key'), 'INVALID_API_KEY');
  t.is(await codeWithTwo('X-Partner-Timestamp'), 'TIMESTAMP_OUT_OF_RANGE');
  t.is(await codeWithTwo('X-Partner-Signature'), 'INVALID_SIGNATURE');
  t.is(await codeWithTwo('Idempotency-Key'), 'IDEMPOTENCY_KEY_INVALID');
});

test.after('nothing is written for a refused request', async (t) => {
  const { partnerId } = refused;
  t.is(await service.models.orderEvents.countDocuments({ partnerId }), 1);
  await service.allStarted(refused);
  t.is(await service.models.rewards.countDocuments({ partnerId }), 1);
  t.is((await service.temporal.workflow.count(`PartnerId = '${partnerId}'`)).count, 1);
});

test('a refusal names every invalid field once, up to ten', async (t) => {
  const wrong = {
    externalOrderId: '',
    customer: { email: 7, fax: 1 },
    order: { currency: 'EURO' },
  };
  const reply = await refused.purchase({ ...wrong, metadata: { cost: 1 } });
  t.is(reply.body.error.code, 'VALIDATION_FAILED');
  const named = ['externalOrderId', 'customer.email', 'customer.fax'].concat(
    ...['order.subtotalCents', 'order.currency'],
  );
  const { message } = reply.body.error;
  t.deepEqual(
    message.split('; ').map((part: string) => part.split(' ')[0]),
    named,
    message,
  );
  const unknown = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x${index}`, 1]));
  const many = await refused.purchase({ ...aPurchase(), ...unknown });
  t.regex(
    many.body.error.message,
    /^x0 is not a known field; .*x9 is not a known field; and 2 more fields are wrong$/,
  );
  const one = await refused.purchase({ ...aPurchase(), ...unknown, x11: undefined });
  t.regex(one.body.error.message, /; and 1 more field is wrong$/);
});

test('a refusal says in plain words what is wrong with a field, without repeating its value', async (t) => {
  const messageFor = async (body: unknown) => (await refused.purchase(body)).body.error.message;
  t.is(
    await messageFor({
      ...aPurchase({ externalOrderId: '', order: { subtotalCents: -1 }, metadata: 3 }),
      customer: { email: 'nobody', phone: longText(33) },
    }),
    [
      'externalOrderId must not be empty',
      'customer.email must be a valid email address or blank',
      'customer.phone must have at most 32 characters',
      'order.subtotalCents must be at least 0',
      'metadata must be an object',
    ].join('; '),
  );
  t.is(
    await messageFor(withOrder({ subtotalCents: 100_000_001, discount: 1 })),
    ['order.subtotalCents must be at most 100000000', 'order.discount is not a known field'].join(
      '; ',
    ),
  );
  t.is(await messageFor([]), 'body must be an object');
});
