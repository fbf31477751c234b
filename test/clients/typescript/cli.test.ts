import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { deriveIdempotencyKey } from '../../../clients/typescript/cli/idempotency-key.ts';
import { canonicalString, verifySignature } from '../../../clients/typescript/signature.ts';
import { runCli as run } from './run-cli.ts';
import {
  answer,
  key,
  purchaseAnswer,
  reducedAnswer,
  refundAnswer,
  refuse,
  type Step,
  secret,
  startServer,
} from './scripted-server.ts';

const order = ['purchase', '--order', 'A1', '--email', 'a@b.co', '--subtotal', '49.90'];

/** Starts a scripted server. @returns it, with the environment of a partner that uses it */
async function serve(t: ExecutionContext, ...steps: Step[]) {
  const server = await startServer(t, ...steps);
  const env = { PARTNER_URL: server.baseUrl, PARTNER_KEY: key, PARTNER_SECRET: secret };
  return { ...server, env };
}

/** Creates a data directory as the first `npm start` does. */
async function writeDemo(t: ExecutionContext, baseUrl: string): Promise<{ DATA_DIR: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-cli-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const demo = { baseUrl, test: { key: 'demo_test', secret }, live: { key: 'demo_live', secret } };
  await writeFile(join(directory, 'demo.json'), JSON.stringify(demo));
  return { DATA_DIR: directory };
}

test('purchase sends the order and shows the reward', async (t) => {
  const { env, seen } = await serve(t, answer(201, purchaseAnswer, { 'X-Request-Id': 'req_1' }));
  const { code, stdout } = await run(order, env);
  t.is(code, 0);
  for (const shown of [
    'A1',
    'PNR_1',
    'PENDING',
    '499',
    '2023-12-14 22:13:20 UTC',
    'req_1',
    'TEST',
  ]) {
    t.true(stdout.includes(shown), shown);
  }
  t.false(stdout.includes('(replayed)'));
  t.true(seen[0]?.isSignatureValid);
  t.deepEqual(JSON.parse(String(seen[0]?.body)), {
    externalOrderId: 'A1',
    customer: { email: 'a@b.co' },
    order: { subtotalCents: 4990 },
  });
});

test('repeating a command repeats its idempotency key and its bytes', async (t) => {
  const replay = answer(201, purchaseAnswer, { 'Idempotent-Replayed': 'true' });
  const { env, seen } = await serve(t, answer(201, purchaseAnswer), replay);
  await run(order, env);
  const { stdout } = await run(order, env);
  t.true(stdout.includes('(replayed)'));
  t.is(seen[0]?.headers['idempotency-key'], 'purchase:A1');
  t.is(seen[1]?.headers['idempotency-key'], 'purchase:A1');
  t.deepEqual(seen[1]?.body, seen[0]?.body);
});

test('a purchase whose link the shop delivers shows the link, as does its replay', async (t) => {
  const claimUrl = 'https://rewards.example/claim/token';
  const withLink = { ...purchaseAnswer, reward: { ...purchaseAnswer.reward, claimUrl } };
  const replay = answer(201, withLink, { 'Idempotent-Replayed': 'true' });
  const { env } = await serve(t, answer(201, withLink), replay);
  for (const repeat of ['first', 'again']) {
    const { stdout } = await run(order, env);
    t.regex(stdout, /Claim link +https:\/\/rewards\.example\/claim\/token/, repeat);
  }
});

test('every field of a purchase has an option', async (t) => {
  const { env, seen } = await serve(t, answer(201, purchaseAnswer));
  const more = ['--phone', '+49 30 1', '--currency', 'EUR', '--metadata', '{"a":[1]}'];
  const at = '2025-01-31T09:30:00+01:00';
  await run([...order, ...more, '--occurred-at', at, '--key', 'mine'], env);
  t.is(seen[0]?.headers['idempotency-key'], 'mine');
  t.deepEqual(JSON.parse(String(seen[0]?.body)), {
    externalOrderId: 'A1',
    customer: { email: 'a@b.co', phone: '+49 30 1' },
    order: { subtotalCents: 4990, currency: 'EUR' },
    occurredAt: at,
    metadata: { a: [1] },
  });
});

test('refund sends its own id and reason, and shows the reward’s new state', async (t) => {
  const { env, seen } = await serve(t, answer(201, refundAnswer));
  const args = ['refund', '--order', 'A1', '--refund-id', 'R1', '--reason', 'returned'];
  const { code, stdout } = await run(args, env);
  t.is(code, 0);
  t.true(stdout.includes('CANCELLED'));
  t.is(seen[0]?.headers['idempotency-key'], 'refund:A1:R1');
  const sent = { externalOrderId: 'A1', externalRefundId: 'R1', reason: 'returned' };
  t.deepEqual(JSON.parse(String(seen[0]?.body)), sent);
});

test('refund --amount refunds a part, in a currency that is named and under an id of its own', async (t) => {
  const { env, seen } = await serve(t, answer(201, reducedAnswer));
  const args = ['refund', '--order', 'A1', '--amount', '12.00', '--currency', 'USD'];
  const { code, stdout } = await run([...args, '--refund-id', 'R2'], env);
  t.is(code, 0);
  for (const shown of ['R2, REDUCED', '1,200 minor units', '379'])
    t.true(stdout.includes(shown), shown);
  const sent = { externalOrderId: 'A1', externalRefundId: 'R2', amountCents: 1_200 };
  t.deepEqual(JSON.parse(String(seen[0]?.body)), sent);
  const refused = await run(args, env);
  t.not(refused.code, 0);
  t.true(refused.stderr.includes('--refund-id'), refused.stderr);
  const unnamed = await run(
    ['refund', '--order', 'A1', '--refund-id', 'R2', '--amount', '12'],
    env,
  );
  t.not(unnamed.code, 0);
  t.true(unnamed.stderr.includes('--amount needs --currency'), unnamed.stderr);
  t.is(seen.length, 1);
});

test('an amount is read with the decimals of its currency', async (t) => {
  const { env, seen } = await serve(t, answer(201, reducedAnswer));
  const refund = ['refund', '--order', 'A1', '--refund-id', 'R2'];
  await run([...refund, '--amount', '1200', '--currency', 'JPY'], env);
  t.like(JSON.parse(String(seen[0]?.body)), { amountCents: 1_200 });
  const refused = await run([...refund, '--amount', '12.50', '--currency', 'JPY'], env);
  t.true(refused.stderr.includes('an amount in JPY'), refused.stderr);
  t.is(seen.length, 1);
});

test('--json prints the response as JSON', async (t) => {
  const { env } = await serve(t, answer(201, purchaseAnswer, { 'X-Request-Id': 'req_1' }));
  const { stdout } = await run([...order, '--json'], env);
  t.deepEqual(JSON.parse(stdout), { ...purchaseAnswer, replayed: false, requestId: 'req_1' });
});

test('a refusal shows code, message, advice and the request id, and exits with 1', async (t) => {
  const { env } = await serve(t, refuse(409, 'IDEMPOTENCY_CONFLICT'));
  const { code, stdout, stderr } = await run(order, env);
  t.is(code, 1);
  t.is(stdout, '');
  for (const shown of ['IDEMPOTENCY_CONFLICT: Say: IDEMPOTENCY_CONFLICT.', '--order', 'req_9']) {
    t.true(stderr.includes(shown), shown);
  }
});

test('a refusal with --json is JSON', async (t) => {
  const { env } = await serve(t, refuse(422, 'CURRENCY_MISMATCH'));
  const { code, stderr } = await run([...order, '--json'], env);
  t.is(code, 1);
  const { error } = JSON.parse(stderr);
  t.is(error.code, 'CURRENCY_MISMATCH');
  t.is(error.status, 422);
  t.is(error.requestId, 'req_9');
});

test('an unreachable service exits with 1 and names the address', async (t) => {
  const env = { PARTNER_URL: 'http://127.0.0.1:2', PARTNER_KEY: key, PARTNER_SECRET: secret };
  const { code, stderr } = await run(['plans'], env);
  t.is(code, 1);
  t.regex(stderr, /NO_ANSWER: .*127\.0\.0\.1:2.*ECONNREFUSED/);
  t.true(stderr.includes('--url'));
});

test('without credentials the command uses the demo’s, TEST unless --live', async (t) => {
  const { baseUrl, seen } = await startServer(t, answer(201, purchaseAnswer));
  const env = await writeDemo(t, baseUrl);
  await run(order, env);
  await run([...order, '--live'], env);
  t.is(seen[0]?.headers['x-partner-key'], 'demo_test');
  t.is(seen[1]?.headers['x-partner-key'], 'demo_live');
});

test('options, the brand word among them, take precedence over the environment', async (t) => {
  const { baseUrl, seen } = await startServer(t, answer(201, purchaseAnswer));
  const env = { PARTNER_URL: 'http://127.0.0.1:2', PARTNER_KEY: 'other', PARTNER_SECRET: 'other' };
  const options = ['--url', baseUrl, '--api-key', key, '--secret', secret, '--brand', 'Acme'];
  const { code } = await run([...order, ...options], env);
  t.is(code, 0);
  t.is(seen[0]?.headers['x-acme-key'], key);
});

const wrongCommands: [string, string[], RegExp][] = [
  ['a third decimal', [...order, '--subtotal', '49.905'], /can be read two ways/],
  ['a negative amount', [...order, '--subtotal', '-1'], /an amount in USD must be/],
  ['an exponent', [...order, '--subtotal', '1e3'], /an amount in USD must be/],
  ['metadata that is not an object', [...order, '--metadata', '[1]'], /JSON object/],
  ['metadata that is not JSON', [...order, '--metadata', '{'], /JSON object/],
  ['a missing order', ['purchase', '--subtotal', '1'], /--order/],
  ['an unknown option', [...order, '--colour', 'red'], /--colour/],
  ['an unknown command', ['buy'], /buy/],
  ['no command', [], /Usage/],
  ['a key without a secret', [...order, '--api-key', 'k', '--url', 'http://a'], /Set both/],
  ['--live with an explicit key', ['plans', '--live', '--api-key', 'k', '--secret', 's'], /--live/],
  ['no credentials at all', ['plans'], /npm start/],
  ['an invalid base URL', ['plans', '--url', 'a', '--api-key', 'k', '--secret', 's'], /URL/],
  ['a signed query', ['sign', '--method', 'GET', '--path', '/a?b'], /no query/],
];
for (const [what, args, message] of wrongCommands) {
  test(`${what} is a usage error: it exits with 2 and sends nothing`, async (t) => {
    const { code, stderr } = await run(args, { DATA_DIR: '/nonexistent' });
    t.is(code, 2);
    t.regex(stderr, message);
  });
}

test('the help fits a screen', async (t) => {
  const lines = (await run(['--help'])).stdout.trimEnd().split('\n');
  t.true(lines.length <= 40);
  t.deepEqual(
    lines.filter((line) => line.length > 100),
    [],
  );
});

test('help exits with 0 and says that repeating a command replays', async (t) => {
  const { code, stdout } = await run(['purchase', '--help']);
  t.is(code, 0);
  t.regex(stdout, /repeating the same command\s+replays/);
});

test('sign prints the headers of a request', async (t) => {
  const request = { method: 'POST', pathname: '/api/v1/partner/purchases', body: '{"ü":1}' };
  const args = ['sign', '--method', 'post', '--path', request.pathname, '--body', request.body];
  const env = { PARTNER_KEY: key, PARTNER_SECRET: secret };
  const { code, stdout } = await run([...args, '--key', 'k1'], env);
  t.is(code, 0);
  const headers = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  );
  t.is(headers['X-Partner-Key'], key);
  t.is(headers['Idempotency-Key'], 'k1');
  const canonical = canonicalString({ ...request, timestamp: headers['X-Partner-Timestamp'] });
  const signature = headers['X-Partner-Signature'];
  t.is(verifySignature({ secrets: [secret], signature, canonical }), 0);
});

const plan = {
  id: 'plv_1',
  planCode: 'growth',
  version: 2,
  name: 'Growth',
  currency: 'USD',
  monthlyPriceCents: 9900,
  annualPriceCents: 99_000,
  includedPoints: 50_000,
  overageRateMicrosPerPoint: 1500,
  apiRateLimitPerMinute: 600,
  supportClass: 'PRIORITY',
  features: ['reports'],
  publishedAt: '2023-01-01T00:00:00Z',
};

test('plans shows each plan with its prices', async (t) => {
  const { env } = await serve(t, answer(200, { success: true, plans: [plan] }));
  const { code, stdout } = await run(['plans'], env);
  t.is(code, 0);
  for (const shown of ['Growth', 'growth v2', '$99.00', '$990.00', '50000', '$0.0015', '600']) {
    t.true(stdout.includes(shown), shown);
  }
});

test('usage shows the period, the projection, the recommendation and the newest events', async (t) => {
  const at = '2023-11-14T22:13:20Z';
  const usage = {
    success: true,
    mode: 'LIVE',
    currency: 'USD',
    billingPeriod: { start: '2023-11-01T00:00:00Z', end: '2023-12-01T00:00:00Z' },
    includedPoints: 50_000,
    includedPointsConsumed: 499,
    overagePoints: 0,
    accruedOverageCents: 0,
    rewardLiabilityCents: 499,
    projection: { points: 998, overagePoints: 0, overageCents: 0, basisDays: 14 },
    recommendation: {
      action: 'STAY',
      planVersionId: null,
      estimatedSavingsCents: 0,
      reason: 'The plan fits.',
    },
    recentEvents: [
      {
        eventId: 'evt_1',
        type: 'PURCHASE',
        externalOrderId: 'A1',
        points: 499,
        occurredAt: null,
        receivedAt: at,
      },
    ],
  };
  const { env } = await serve(t, answer(200, usage));
  const { code, stdout } = await run(['usage'], env);
  t.is(code, 0);
  for (const shown of [
    'LIVE',
    '499 of 50000',
    '$4.99',
    '998 points',
    'STAY: The plan fits.',
    'evt_1',
  ]) {
    t.true(stdout.includes(shown), shown);
  }
  for (const [currency, liability] of [
    ['JPY', '¥499'],
    ['KWD', 'KWD\u00a00.499'],
  ] as const) {
    const { env } = await serve(t, answer(200, { ...usage, currency }));
    t.regex((await run(['usage'], env)).stdout, new RegExp(`Liability +${liability}\n`));
  }
});

test('billing shows the plan, the wallet and the invoices', async (t) => {
  const at = '2023-12-01T00:00:00Z';
  const billing = {
    success: true,
    mode: 'LIVE',
    subscription: {
      id: 'sub_1',
      status: 'ACTIVE',
      interval: 'MONTH',
      currentPeriodStart: '2023-11-01T00:00:00Z',
      currentPeriodEnd: at,
      pendingPlanVersionId: null,
      endsAt: null,
    },
    planVersion: plan,
    wallet: {
      currency: 'USD',
      balanceCents: 10_000,
      reservedCents: 499,
      availableCents: 9501,
      asOf: at,
    },
    rewardFunding: { balanceCents: 9501, lowBalanceThresholdCents: 1000, runwayDays: 19 },
    invoices: [
      {
        id: 'inv_1',
        number: '2023-0001',
        status: 'ISSUED',
        paymentStatus: 'DUE',
        kind: 'PERIOD',
        currency: 'USD',
        lines: [],
        totalCents: 9900,
        periodStart: at,
        periodEnd: at,
        issuedAt: at,
        dueAt: at,
      },
    ],
  };
  const { env } = await serve(t, answer(200, billing));
  const { code, stdout } = await run(['billing'], env);
  t.is(code, 0);
  for (const shown of [
    'Growth',
    'sub_1',
    '$100.00, $4.99 reserved, $95.01 available',
    '$95.01, low below $10.00',
    '19 days',
    '2023-0001',
    '$99.00',
  ]) {
    t.true(stdout.includes(shown), shown);
  }
});

test('billing of a partner without a plan says so', async (t) => {
  const money = { currency: 'USD', balanceCents: 0, reservedCents: 0, availableCents: 0, asOf: '' };
  const billing = {
    success: true,
    mode: 'TEST',
    subscription: null,
    planVersion: null,
    wallet: money,
    rewardFunding: { balanceCents: 0, lowBalanceThresholdCents: 0, runwayDays: null },
    invoices: [],
  };
  const { env } = await serve(t, answer(200, billing));
  const { code, stdout } = await run(['billing'], env);
  t.is(code, 0);
  t.regex(stdout, /Plan +none/);
  t.notRegex(stdout, /Subscription|Runway|Invoice/);
});

test('a derived idempotency key is 1 to 255 visible ASCII characters, unique per input', (t) => {
  t.is(deriveIdempotencyKey('refund', 'A1', 'R 1'), 'refund:A1:R%201');
  t.not(deriveIdempotencyKey('refund', 'A1:R1'), deriveIdempotencyKey('refund', 'A1', 'R1'));
  const longest = deriveIdempotencyKey('purchase', '東'.repeat(160));
  t.regex(longest, /^[\x21-\x7e]{1,255}$/);
  t.not(longest, deriveIdempotencyKey('purchase', '東'.repeat(159)));
});

test('reconcile sends a list, waits for the result, and says what to send', async (t) => {
  const queued = { id: 'job_1', status: 'QUEUED', unknownStatuses: [], differences: [], pages: 0 };
  const difference = {
    kind: 'MISSING',
    externalOrderId: 'A1',
    externalRefundId: null,
    row: 2,
    eventId: null,
    what: 'was never reported',
    repair: {
      method: 'POST',
      path: '/purchases',
      body: { externalOrderId: 'A1' },
      add: ['customer'],
    },
  };
  const counts = { rows: 2, matched: 1, missing: 1, notInFile: 0, duplicate: 0, mismatched: 0 };
  const nothing = { checkedFrom: null, checkedTo: null, isCut: false, problem: null };
  const done = {
    ...queued,
    ...nothing,
    status: 'DONE',
    counts,
    differences: [difference],
    pages: 1,
  };
  const body = (reconciliation: object) => ({ success: true, mode: 'TEST', reconciliation });
  const steps = [answer(202, body(queued)), answer(200, body(done))];
  const directory = await mkdtemp(join(tmpdir(), 'partner-cli-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'orders.jsonl');
  await writeFile(file, '{"externalOrderId":"A1","subtotalCents":1}\n');
  const { env, seen } = await serve(t, ...steps);
  const { code, stdout } = await run(['reconcile', file], env);
  t.is(code, 3);
  t.is(seen[0]?.headers['content-type'], 'application/x-ndjson');
  t.true(seen.every(({ isSignatureValid }) => isSignatureValid));
  t.regex(
    stdout,
    /Reconciliation job_1, TEST\n.*DONE[\s\S]*Missing +1[\s\S]*MISSING: was never reported/,
  );
  t.regex(stdout, /POST \/purchases \{"externalOrderId":"A1"\} and customer/);
  const clean = { ...done, differences: [], pages: 0 };
  const same = await serve(t, answer(202, body(clean)));
  t.is((await run(['reconcile', file, '--json'], same.env)).code, 0);
  t.is((await run(['reconcile', join(directory, 'none.csv')], same.env)).code, 2);
});

const rehearsalAnswer = (verdict: string, problems: object[] = []) => ({
  success: true,
  mode: 'TEST',
  rehearsal: {
    id: 'rhs_1',
    status: 'ENDED',
    startedAt: '2026-01-01T12:00:00.000Z',
    endsAt: '2026-01-01T12:10:00.000Z',
    report: {
      faults: { LOST: 3, UNAVAILABLE: 2, RATE_LIMITED: 1, SLOW: 0 },
      retried: 5,
      webhooks: {
        DOUBLED: { sent: 2, accepted: 1 },
        REORDERED: { sent: 0, accepted: 0 },
        LATE: { sent: 0, accepted: 0 },
        ROTATED: { sent: 0, accepted: 0 },
      },
      missingOrders: null,
      problems,
      verdict,
    },
  },
});

test('rehearse starts a rehearsal, waits for its end, and says what to mend', async (t) => {
  const problems = [{ problem: 'OTHER_BYTES', count: 1, requestIds: ['req_9'] }];
  const answers = ['PROBLEMS', 'PASSED'].map((verdict) =>
    rehearsalAnswer(verdict, verdict === 'PASSED' ? [] : problems),
  );
  for (const [place, code] of [3, 0].entries()) {
    const one = answers[place] ?? {};
    const { env, seen } = await serve(t, answer(201, one), answer(200, one));
    const ran = await run(['rehearse', '--minutes', '5'], env);
    t.is(ran.code, code, ran.stderr);
    t.deepEqual(JSON.parse(String(seen[0]?.body)), { minutes: 5 });
    t.is(seen[1]?.url, '/api/v1/partner/test/rehearsals/rhs_1');
    t.regex(ran.stdout, /LOST 3, UNAVAILABLE 2, RATE_LIMITED 1, SLOW 0/);
    t.regex(ran.stdout, /DOUBLED 1 of 2/);
    t.is(/OTHER_BYTES: store the body.*req_9/.test(ran.stdout), code === 3);
  }
});

test('rehearse --orders sells meanwhile, and retries as a client should', async (t) => {
  const passed = rehearsalAnswer('PASSED');
  const { env, seen } = await serve(
    t,
    answer(201, passed),
    refuse(503, 'UNAVAILABLE', { 'Retry-After': '0' }),
    answer(201, purchaseAnswer),
    answer(200, passed),
  );
  const { code } = await run(['rehearse', '--orders', '1'], env);
  t.is(code, 0);
  t.deepEqual(seen[2]?.body, seen[1]?.body);
  t.is(seen[2]?.headers['idempotency-key'], seen[1]?.headers['idempotency-key']);
});
