import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ExecutionContext, TestFn } from 'ava';
import scenarioFile from '../../../clients/conformance/scenarios.json' with { type: 'json' };
import vectorFile from '../../../clients/conformance/vectors.json' with { type: 'json' };
import {
  answer,
  balanceAnswer,
  hangUp,
  key,
  purchaseAnswer,
  quoteAnswer,
  redemptionAnswer,
  reducedAnswer,
  refundAnswer,
  refuse,
  rewardAnswer,
  type SeenRequest,
  type Step,
  secret,
  stall,
  startServer,
} from '../typescript/scripted-server.ts';

/** One step of a scenario's server. */
interface ServerStep {
  answer?: string;
  refuse?: string;
  text?: string;
  do?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** A received webhook, and the client's result: the event or an error. */
interface WebhookVector {
  name: string;
  secrets: string[];
  headers: Record<string, string>;
  body: Body;
  /** Seconds since the Unix epoch. */
  now: number;
  event?: object;
  error?: string;
}

interface Body {
  utf8?: string;
  base64?: string;
}

export const webhookVectors: WebhookVector[] = vectorFile.webhooks.vectors;

export const bytesOf = ({ utf8, base64 }: Body): Buffer =>
  Buffer.from(utf8 ?? base64 ?? '', base64 === undefined ? 'utf8' : 'base64');

interface ExpectedRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  /** Headers that it does not have. */
  absent?: string[];
  /** The parsed body. */
  json?: object;
  /** The body as text. */
  text?: string;
  /** Whether the request has no body, media type or idempotency key. */
  bare?: boolean;
}

type Expected = Record<string, unknown> & { messageHas?: string[]; absent?: string[] };

interface Scenario {
  name: string;
  options?: object;
  basePath?: string;
  calls: object[];
  server: ServerStep[];
  /** The result of each call. */
  outcomes: Expected[];
  sleptMs: number[];
  /** What the hook was told of each attempt. */
  attempts?: Record<string, unknown>[];
  requests: ExpectedRequest[];
  /** Headers, or `body`, that are the same in all requests, and those that differ in each. */
  same?: string[];
  different?: string[];
}

const answers: Record<string, object> = {
  purchase: purchaseAnswer,
  /** For an integration that delivers the claim links itself. */
  purchaseWithLink: {
    ...purchaseAnswer,
    reward: { ...purchaseAnswer.reward, claimUrl: 'https://rewards.example.com/claim/token' },
  },
  refund: refundAnswer,
  reduced: reducedAnswer,
  reward: rewardAnswer,
  quote: quoteAnswer,
  balance: balanceAnswer,
  redemption: redemptionAnswer,
  plans: { success: true, plans: [] },
  order: {
    success: true,
    mode: 'TEST',
    externalOrderId: 'A/1 ü',
    reward: { id: 'PNR_1' },
    refunds: [],
  },
  reconciliation: {
    success: true,
    mode: 'TEST',
    reconciliation: { id: 'job_1', status: 'DONE', differences: [], pages: 2 },
  },
  differences: { success: true, mode: 'TEST', page: 2, differences: [] },
  orders: {
    success: true,
    mode: 'TEST',
    orders: [{ externalOrderId: 'A1', remainingCents: 3_790 }],
    nextCursor: 'bmV4dA',
  },
  lastOrders: {
    success: true,
    mode: 'TEST',
    orders: [{ externalOrderId: 'A0', remainingCents: 0 }],
    nextCursor: null,
  },
  redemptions: { success: true, mode: 'TEST', redemptions: [{ id: 'red_1' }], nextCursor: null },
  redemptionRead: { success: true, mode: 'TEST', redemption: { id: 'red_1' } },
  receipt: { success: true, mode: 'LIVE', receipt: { rewardId: 'PNR_1' } },
  rehearsal: { success: true, mode: 'TEST', rehearsal: { id: 'rhs_1', status: 'RUNNING' } },
};
const reads = [
  ...['plans', 'reward', 'quote', 'balance', 'order', 'reconciliation', 'differences'],
  ...['receipt', 'rehearsal', 'redemptionRead', 'orders', 'lastOrders', 'redemptions'],
];
const breakOff: Step = (response) => {
  response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
  response.write('{"success":', () => response.destroy());
};
const actions: Record<string, Step> = { hangUp, stall, breakOff, silence: () => {} };

function stepOf({
  answer: name,
  refuse: code,
  text,
  do: action,
  status,
  headers,
}: ServerStep): Step {
  if (name) return answer(status ?? (reads.includes(name) ? 200 : 201), answers[name], headers);
  if (code) return refuse(status ?? 400, code, headers);
  if (text !== undefined) return (response) => response.writeHead(status ?? 200, headers).end(text);
  return actions[action ?? ''] as Step;
}

/**
 * Declares the tests of one client: it signs the test vectors and passes every scenario.
 * @param command starts the client's driver, which reads questions and writes answers as lines of JSON
 */
export function conformance(
  test: TestFn,
  client: string,
  command: () => Promise<{ command: string; args: string[]; env?: NodeJS.ProcessEnv }>,
): void {
  let ask: (question: object) => Promise<{ [field: string]: unknown }>;
  let driver: ChildProcess;
  test.before(async (t) => {
    t.timeout(10 * 60_000);
    const { command: program, args, env } = await command();
    driver = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    ask = askerOf(driver);
  });
  test.after.always(async () => {
    if (driver?.exitCode !== null) return;
    driver.stdin?.end();
    await once(driver, 'exit');
  });

  test(`${client} signs the test vectors`, async (t) => {
    for (const { name, body, bodySha256: _, ...vector } of vectorFile.vectors) {
      const bytes = bytesOf(body);
      const { canonical, signature, ...request } = vector;
      const signed = await ask({ vector: { ...request, bodyHex: bytes.toString('hex') } });
      t.deepEqual(signed, { canonical, signature }, name);
    }
  });

  test(`${client} accepts the webhooks of the test vectors, and no others`, async (t) => {
    for (const { name, body, event, error, ...webhook } of webhookVectors) {
      const bodyHex = bytesOf(body).toString('hex');
      const expected = error ? { error } : { event };
      t.deepEqual(await ask({ webhook: { ...webhook, bodyHex } }), expected, name);
    }
  });

  test(`${client} signs webhooks as the test vectors are`, async (t) => {
    const ofOne = webhookVectors.filter(({ event, secrets }) => event && secrets.length === 1);
    let signed = 0;
    for (const { name, body, secrets, headers } of ofOne) {
      const named = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]);
      const expected: Record<string, string> = Object.fromEntries(named);
      if (expected['webhook-signature']?.includes(' ')) continue;
      signed += 1;
      const sign = {
        id: expected['webhook-id'],
        secret: secrets[0],
        at: Number(expected['webhook-timestamp']),
        bodyHex: bytesOf(body).toString('hex'),
      };
      t.deepEqual(await ask({ sign }), { headers: expected }, name);
    }
    t.true(signed > 1);
  });

  for (const scenario of scenarioFile.scenarios as unknown as Scenario[]) {
    test(`${client}: ${scenario.name}`, async (t) => {
      const { seen, baseUrl } = await startServer(t, ...scenario.server.map(stepOf));
      const { options = {}, calls, basePath = '' } = scenario;
      const answer = await ask({ baseUrl: baseUrl + basePath, key, secret, options, calls });
      t.deepEqual(answer.sleptMs, scenario.sleptMs);
      const attempts = answer.attempts as Record<string, unknown>[];
      t.is(attempts.length, seen.length, 'the hook is told of each attempt');
      t.false(JSON.stringify(attempts).includes(secret), 'and of no secret');
      for (const [index, expected] of (scenario.attempts ?? []).entries()) {
        t.deepEqual(attempts[index], expected);
      }
      compareOutcomes(t, answer.outcomes as Record<string, unknown>[], scenario.outcomes);
      compareRequests(t, seen, scenario);
    });
  }
}

/** Asks one question at a time, because a driver answers them in order. */
function askerOf({ stdin, stdout }: ChildProcess) {
  if (!stdin || !stdout) throw new Error('the driver has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  let before: Promise<unknown> = Promise.resolve();
  return async (question: object) => {
    const reply = before.then(async () => {
      stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the driver has ended');
      return JSON.parse(value);
    });
    before = reply.catch(() => {});
    return await reply;
  };
}

function compareOutcomes(
  t: ExecutionContext,
  outcomes: Record<string, unknown>[],
  expected: Expected[],
): void {
  t.is(outcomes.length, expected.length);
  expected.forEach(({ messageHas = [], absent = [], ...fields }, index) => {
    const outcome = outcomes[index] ?? {};
    t.is(outcome.error ?? null, fields.error ?? null, JSON.stringify(outcome));
    if (Object.keys(fields).length > 0) t.like(outcome, fields);
    for (const part of messageHas) t.true(String(outcome.message).includes(part), part);
    for (const name of absent) t.is(outcome[name] ?? null, null);
  });
}

function compareRequests(
  t: ExecutionContext,
  seen: SeenRequest[],
  { requests, same = [], different = [] }: Scenario,
): void {
  t.is(seen.length, requests.length);
  requests.forEach(({ method, path, headers = {}, absent = [], json, text, bare }, index) => {
    const request = seen[index];
    if (!request) return;
    t.true(request.isSignatureValid);
    if (method) t.is(request.method, method);
    if (path) t.is(request.url, path);
    for (const [name, value] of Object.entries(headers)) t.is(request.headers[name], value, name);
    if (text !== undefined) t.is(String(request.body), text);
    for (const name of absent) t.is(request.headers[name], undefined, name);
    if (json) t.deepEqual(JSON.parse(String(request.body)), json);
    if (!bare) return;
    t.is(request.body.length, 0);
    t.is(request.headers['content-type'], undefined);
    t.is(request.headers['idempotency-key'], undefined);
  });
  const all = (what: string) =>
    seen.map(({ body, headers }) => (what === 'body' ? body.toString('hex') : headers[what]));
  for (const what of same) t.is(new Set(all(what)).size, 1, what);
  for (const what of different) t.is(new Set(all(what)).size, seen.length, what);
}
