import test, { type ExecutionContext } from 'ava';
import {
  PartnerApiError,
  PartnerClient,
  type PartnerClientOptions,
  PartnerNetworkError,
} from '../../partner-sdk/index.ts';
import {
  answer,
  hangUp,
  key,
  purchaseAnswer,
  refundAnswer,
  refuse,
  type Step,
  secret,
  stall,
  startServer,
} from './scripted-server.ts';

const purchase = {
  externalOrderId: 'A1',
  customer: { email: 'jürgen@müller.example' },
  order: { subtotalCents: 4990 },
};
const startMs = 1_700_000_000_000;

/** A client of a scripted server, whose clock moves only while it sleeps. */
async function connect(
  t: ExecutionContext,
  steps: Step[],
  options: Partial<PartnerClientOptions> = {},
) {
  const server = await startServer(t, ...steps);
  const sleptMs: number[] = [];
  let nowMs = startMs;
  const client = new PartnerClient({
    baseUrl: server.baseUrl,
    key,
    secret,
    now: () => nowMs,
    random: () => 0.5,
    sleep: async (delayMs) => {
      sleptMs.push(delayMs);
      nowMs += delayMs;
    },
    ...options,
  });
  return { ...server, client, sleptMs };
}

const accepted = answer(201, purchaseAnswer, { 'X-Request-Id': 'req_1' });

test('a purchase is sent signed, with the key, the timestamp and an idempotency key', async (t) => {
  const { client, seen } = await connect(t, [accepted]);
  const result = await client.purchase(purchase, { idempotencyKey: 'purchase:A1' });
  t.deepEqual(result as unknown, { ...purchaseAnswer, replayed: false, requestId: 'req_1' });
  const [request] = seen;
  t.is(request?.method, 'POST');
  t.is(request?.url, '/api/v1/partner/purchases');
  t.is(request?.headers['content-type'], 'application/json');
  t.is(request?.headers['x-partner-key'], key);
  t.is(request?.headers['x-partner-timestamp'], '1700000000');
  t.is(request?.headers['idempotency-key'], 'purchase:A1');
  t.true(request?.signatureHolds);
  t.deepEqual(JSON.parse(String(request?.body)), purchase);
});

test('a refund goes to its own endpoint', async (t) => {
  const { client, seen } = await connect(t, [answer(201, refundAnswer)]);
  const result = await client.refund({ externalOrderId: 'A1', reason: 'returned' });
  t.is(result.refund.status, 'CANCELLED');
  t.is(result.requestId, undefined);
  t.is(seen[0]?.url, '/api/v1/partner/refunds');
  t.true(seen[0]?.signatureHolds);
});

for (const resource of ['plans', 'usage', 'billing'] as const) {
  test(`${resource} is a signed GET without body and idempotency key`, async (t) => {
    const { client, seen } = await connect(t, [answer(200, { success: true, plans: [] })]);
    const result = await client[resource]();
    t.true(result.success);
    const [request] = seen;
    t.is(request?.method, 'GET');
    t.is(request?.url, `/api/v1/partner/${resource}`);
    t.is(request?.body.length, 0);
    t.is(request?.headers['idempotency-key'], undefined);
    t.is(request?.headers['content-type'], undefined);
    t.true(request?.signatureHolds);
  });
}

test('a path in the base URL is kept and signed', async (t) => {
  const { baseUrl, seen } = await connect(t, [answer(200, { success: true, plans: [] })]);
  await new PartnerClient({ baseUrl: `${baseUrl}/rewards/`, key, secret }).plans();
  t.is(seen[0]?.url, '/rewards/api/v1/partner/plans');
  t.true(seen[0]?.signatureHolds);
});

test('a replayed answer says so', async (t) => {
  const { client } = await connect(t, [
    answer(201, purchaseAnswer, { 'Idempotent-Replayed': 'true' }),
  ]);
  t.true((await client.purchase(purchase)).replayed);
});

test('a retry has the same idempotency key and the same bytes, and a signature of its own', async (t) => {
  const steps = [hangUp, refuse(503, 'UNAVAILABLE', { 'Retry-After': '2' }), accepted];
  const { client, seen } = await connect(t, steps);
  await client.purchase(purchase);
  t.is(seen.length, 3);
  t.is(new Set(seen.map((request) => request.headers['idempotency-key'])).size, 1);
  t.is(new Set(seen.map((request) => request.body.toString('hex'))).size, 1);
  t.true(seen.every((request) => request.signatureHolds));
  t.not(seen[2]?.headers['x-partner-timestamp'], seen[0]?.headers['x-partner-timestamp']);
  t.not(seen[2]?.headers['x-partner-signature'], seen[0]?.headers['x-partner-signature']);
});

test('two calls without a key of their own get two idempotency keys', async (t) => {
  const { client, seen } = await connect(t, [accepted]);
  await client.purchase(purchase);
  await client.purchase(purchase);
  t.not(seen[0]?.headers['idempotency-key'], seen[1]?.headers['idempotency-key']);
});

test('network errors are retried with exponential backoff and full jitter', async (t) => {
  const { client, sleptMs } = await connect(t, [hangUp, hangUp, hangUp, hangUp, accepted]);
  await client.purchase(purchase);
  t.deepEqual(sleptMs, [100, 200, 400, 800]);
});

test('Retry-After is honoured before the backoff', async (t) => {
  const { client, sleptMs } = await connect(t, [
    refuse(429, 'RATE_LIMITED', { 'Retry-After': '7' }),
    refuse(503, 'UNAVAILABLE', { 'Retry-After': new Date(startMs + 10_100).toUTCString() }),
    accepted,
  ]);
  await client.purchase(purchase);
  t.deepEqual(sleptMs, [7100, 2900 + 200]);
});

test('a Retry-After that cannot be read leaves the backoff', async (t) => {
  const { client, sleptMs } = await connect(t, [
    refuse(503, 'UNAVAILABLE', { 'Retry-After': 'soon' }),
    accepted,
  ]);
  await client.purchase(purchase);
  t.deepEqual(sleptMs, [100]);
});

test('a Retry-After of more than a minute is left to the caller', async (t) => {
  const { client, sleptMs } = await connect(t, [
    refuse(429, 'RATE_LIMITED', { 'Retry-After': '61' }),
  ]);
  const error = await t.throwsAsync(client.purchase(purchase), { instanceOf: PartnerApiError });
  t.is(error.retryAfterMs, 61_000);
  t.deepEqual(sleptMs, []);
});

test('INTERNAL is retried, since the key makes it safe', async (t) => {
  const { client, seen } = await connect(t, [refuse(500, 'INTERNAL'), accepted]);
  await client.purchase(purchase);
  t.is(seen.length, 2);
});

test('after the last attempt, the refusal is thrown', async (t) => {
  const { client, seen, sleptMs } = await connect(t, [refuse(503, 'UNAVAILABLE')], {
    maxAttempts: 3,
  });
  const call = client.purchase(purchase, { idempotencyKey: 'k' });
  const error = await t.throwsAsync(call, { instanceOf: PartnerApiError });
  t.is(error.code, 'UNAVAILABLE');
  t.is(error.idempotencyKey, 'k');
  t.is(seen.length, 3);
  t.is(sleptMs.length, 2);
});

test('a service that is slower than the timeout is tried again', async (t) => {
  const silence: Step = () => {};
  // Only the third request is answered; more attempts than that are for a busy machine.
  const options = { timeoutMs: 300, maxAttempts: 10 };
  const { client, seen } = await connect(t, [silence, stall, accepted], options);
  t.is((await client.purchase(purchase)).eventId, 'evt_1');
  t.is(new Set(seen.map((request) => request.headers['idempotency-key'])).size, 1);
});

test('without any answer, the network error says why and carries the idempotency key', async (t) => {
  const { client, sleptMs } = await connect(t, [stall], { timeoutMs: 50, maxAttempts: 2 });
  const call = client.purchase(purchase, { idempotencyKey: 'k' });
  const error = await t.throwsAsync(call, { instanceOf: PartnerNetworkError });
  t.regex(error.message, /POST http:.*purchases got no answer: none was complete within 50 ms/);
  t.is(error.idempotencyKey, 'k');
  t.is(sleptMs.length, 1);
});

test('a refused connection is a network error that says so', async (t) => {
  const baseUrl = 'http://127.0.0.1:2';
  const client = new PartnerClient({ baseUrl, key, secret, maxAttempts: 1 });
  const error = await t.throwsAsync(client.plans(), { instanceOf: PartnerNetworkError });
  t.regex(error.message, /ECONNREFUSED/);
});

const refusals: [number, string][] = [
  [400, 'VALIDATION_FAILED'],
  [401, 'INVALID_SIGNATURE'],
  [403, 'INSUFFICIENT_SCOPE'],
  [404, 'ORIGINAL_PURCHASE_NOT_FOUND'],
  [409, 'IDEMPOTENCY_CONFLICT'],
  [413, 'PAYLOAD_TOO_LARGE'],
  [422, 'NO_ACTIVE_EARNING_RULE'],
];
for (const [status, code] of refusals) {
  test(`${status} ${code} is a typed error and is not retried`, async (t) => {
    const { client, seen } = await connect(t, [refuse(status, code)]);
    const error = await t.throwsAsync(client.purchase(purchase), { instanceOf: PartnerApiError });
    t.is(error.status, status);
    t.is(error.code, code);
    t.is(error.message, `Say: ${code}.`);
    t.is(error.requestId, 'req_9');
    t.is(seen.length, 1);
  });
}

test('a wrong clock is not retried, and the message names both times', async (t) => {
  const message = 'The server says 2023-11-14T23:00:00Z.';
  const wrongClock = answer(401, { error: { code: 'TIMESTAMP_OUT_OF_RANGE', message } });
  const { client, seen } = await connect(t, [wrongClock]);
  const error = await t.throwsAsync(client.purchase(purchase), { instanceOf: PartnerApiError });
  t.true(error.message.startsWith(message));
  t.regex(error.message, /this machine's clock says 2023-11-14T22:13:20.000Z/);
  t.is(seen.length, 1);
});

const foreignAnswers: [string, Step][] = [
  ['a page of HTML', (response) => response.writeHead(404).end('<h1>Not here</h1>')],
  ['a success without the success field', answer(200, {})],
  ['an error that is only a text', answer(400, { error: 'no' })],
  ['JSON that is no object', answer(200, null)],
];
for (const [what, step] of foreignAnswers) {
  test(`${what} is an UNEXPECTED_RESPONSE`, async (t) => {
    const { client } = await connect(t, [step]);
    const error = await t.throwsAsync(client.plans(), { instanceOf: PartnerApiError });
    t.is(error.code, 'UNEXPECTED_RESPONSE');
  });
}

test('a redirect is not followed, since it would carry the signature elsewhere', async (t) => {
  const elsewhere = await startServer(t, accepted);
  const { client } = await connect(t, [
    (response) => response.writeHead(307, { Location: elsewhere.baseUrl }).end(),
  ]);
  const error = await t.throwsAsync(client.purchase(purchase), { instanceOf: PartnerApiError });
  t.is(error.status, 307);
  t.is(elsewhere.seen.length, 0);
});

test('the client refuses an empty key, an empty secret and what is no URL', (t) => {
  const good = { baseUrl: 'http://127.0.0.1', key, secret };
  t.throws(() => new PartnerClient({ ...good, key: '' }), { instanceOf: TypeError });
  t.throws(() => new PartnerClient({ ...good, secret: '' }), { instanceOf: TypeError });
  for (const baseUrl of ['', '127.0.0.1:3000', 'ftp://host', 'http://']) {
    t.throws(() => new PartnerClient({ ...good, baseUrl }), { instanceOf: TypeError });
  }
});
