import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import { parsePoints } from '../../../clients/typescript/cli/arguments.ts';
import { follow } from '../../../clients/typescript/cli/log/follow.ts';
import { amountOf, minorUnitsText } from '../../../clients/typescript/cli/money.ts';
import {
  ConnectionError,
  PartnerClient,
  type WebhookEvent,
} from '../../../clients/typescript/index.ts';
import type { LogEvent, LogQuery } from '../../../clients/typescript/portal-client.ts';
import { key, refuse, secret, stall, startServer } from './scripted-server.ts';

// What all clients have in common is tested by the scenarios in clients/conformance.

test('without a response, the network error gives the reason', async (t) => {
  const { baseUrl } = await startServer(t, stall);
  const client = new PartnerClient({ baseUrl, key, secret, timeoutMs: 50, maxAttempts: 1 });
  const error = await t.throwsAsync(client.plans(), { instanceOf: ConnectionError });
  t.regex(error.message, /GET http:.*plans got no response: none was complete within 50 ms/);
});

test('a refused connection is a network error that says so', async (t) => {
  const baseUrl = 'http://127.0.0.1:2';
  const client = new PartnerClient({ baseUrl, key, secret, maxAttempts: 1 });
  const error = await t.throwsAsync(client.plans(), { instanceOf: ConnectionError });
  t.regex(error.message, /ECONNREFUSED/);
});

test('a signal ends a call, during an attempt and between two, with its reason', async (t) => {
  const { baseUrl, seen } = await startServer(t, stall);
  const gone = new Error('the customer went away');
  const during = new AbortController();
  const client = new PartnerClient({ baseUrl, key, secret });
  const call = client.plans({ signal: during.signal });
  while (seen.length === 0) await setImmediate();
  during.abort(gone);
  t.is(await t.throwsAsync(call), gone);

  const between = new AbortController();
  const retried = new PartnerClient({
    baseUrl: (await startServer(t, refuse(503, 'UNAVAILABLE'))).baseUrl,
    key,
    secret,
    onAttempt: () => between.abort(gone),
    sleep: async () => t.fail('it does not wait'),
  });
  t.is(await t.throwsAsync(retried.plans({ signal: between.signal })), gone);
  const waiting = new AbortController();
  const patient = new PartnerClient({
    baseUrl: (await startServer(t, refuse(503, 'UNAVAILABLE'))).baseUrl,
    key,
    secret,
    sleep: () => {
      waiting.abort(gone);
      return new Promise(() => {});
    },
  });
  t.is(await t.throwsAsync(patient.plans({ signal: waiting.signal })), gone);
  t.is(await t.throwsAsync(client.plans({ signal: AbortSignal.abort(gone) })), gone);
});

test('a call has a time of its own', async (t) => {
  const { baseUrl } = await startServer(t, stall);
  const client = new PartnerClient({ baseUrl, key, secret });
  const limits = { timeoutMs: 50, maxAttempts: 1 };
  const error = await t.throwsAsync(client.plans(limits), { instanceOf: ConnectionError });
  t.regex(error.message, /within 50 ms/);
});

test('an event is narrowed by its type', (t) => {
  const read = (event: WebhookEvent): number | string => {
    if (event.type === 'reward.claimed') return event.data.points;
    if (event.type === 'usage.threshold') return event.data.percent;
    return event.type;
  };
  const all = {
    id: 'whk_1',
    apiVersion: 'v1',
    mode: 'TEST',
    createdAt: '',
    sequence: null,
  } as const;
  t.is(read({ ...all, type: 'test.ping', data: { endpointId: 'whe_1' } }), 'test.ping');
});

test('the client refuses an empty key, an empty secret and an invalid URL', (t) => {
  const good = { baseUrl: 'http://127.0.0.1', key, secret };
  t.throws(() => new PartnerClient({ ...good, key: '' }), { instanceOf: TypeError });
  t.throws(() => new PartnerClient({ ...good, secret: '' }), { instanceOf: TypeError });
  for (const baseUrl of ['', '127.0.0.1:3000', 'ftp://host', 'http://']) {
    t.throws(() => new PartnerClient({ ...good, baseUrl }), { instanceOf: TypeError });
  }
});

test('an amount is at most what an order may have', (t) => {
  t.is(amountOf('1000000,00'), 100_000_000);
  t.throws(() => amountOf('1000000.01'), { instanceOf: RangeError });
  t.throws(() => amountOf('1,000'), { message: /can be read two ways/ });
  t.throws(() => parsePoints('1.000'), { message: /can be read two ways: write 1000/ });
  t.is(parsePoints('1,000,000'), 1_000_000);
  t.throws(() => amountOf('-1'), {
    message: 'an amount in USD must be 0 to 1000000 (100,000,000 minor units), such as 49.90',
  });
  t.throws(() => amountOf('4.9', 'jpy'), {
    message: 'an amount in JPY must be 0 to 100000000 (100,000,000 minor units), such as 4990',
  });
  t.is(minorUnitsText(123456), '123,456 minor units');
});

/** A request, which appears in the log some time after it is received. */
interface Arrival {
  atMs: number;
  lateMs: number;
  /** Counted refusals share the row of their minute. */
  isCounted: boolean;
}

const minuteMs = 60_000;
const startMs = Date.UTC(2025, 0, 1, 12);
const idAt = (atMs: number, index: number): string =>
  `iev_${String(atMs).padStart(14, '0')}${String(index).padStart(12, '0')}`;

/** The log at a time: the rows written until then. */
function logAt(arrivals: readonly Arrival[], nowMs: number): LogEvent[] {
  const rows = new Map<string, LogEvent>();
  const written = arrivals
    .map((arrival, index) => ({ ...arrival, index }))
    .filter(({ atMs, lateMs }) => atMs + lateMs <= nowMs)
    .toSorted((a, b) => a.atMs + a.lateMs - (b.atMs + b.lateMs));
  for (const { atMs, isCounted, index } of written) {
    const key = isCounted ? `minute ${Math.floor(atMs / minuteMs)}` : String(index);
    const row = rows.get(key) ?? eventAt(atMs, index);
    const receivedAt = new Date(atMs).toISOString();
    rows.set(key, { ...row, count: row.count + 1, receivedAt });
  }
  return [...rows.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function eventAt(atMs: number, index: number): LogEvent {
  return {
    id: idAt(atMs, index),
    receivedAt: new Date(atMs).toISOString(),
    mode: 'TEST',
    count: 0,
    type: 'PURCHASE',
    method: 'POST',
    path: '/',
    status: 201,
    code: 'ACCEPTED',
    externalOrderId: null,
    eventId: null,
    requestId: '',
    integrationId: '',
    credentialId: '',
  };
}

/** Follows such a log until a time. @returns the earlier events, and those that were reported */
async function followed(arrivals: readonly Arrival[], untilMs: number, partRows: number) {
  let nowMs = startMs;
  const read = async ({ newer, limit = 100 }: LogQuery) => {
    const rows = logAt(arrivals, nowMs);
    const rowsInPart = Math.min(limit, partRows);
    const events =
      newer === undefined
        ? rows.toReversed().slice(0, rowsInPart)
        : rows.filter(({ id }) => id > newer).slice(0, rowsInPart);
    const next = events.length < rowsInPart ? null : (events.at(-1)?.id ?? null);
    return { events, next };
  };
  const next = async () => {
    nowMs += 1_000;
    return nowMs <= untilMs;
  };
  const before = logAt(arrivals, startMs);
  const reported: LogEvent[] = [];
  for await (const event of follow({ read, next })) reported.push(event);
  return { before, reported };
}

const countsOf = (events: readonly LogEvent[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { id, count } of events) counts.set(id, (counts.get(id) ?? 0) + count);
  return counts;
};

/** The first row's count grows after a long round, and other rows arrive before the next long round. */
const countedBetweenLongRounds: Arrival[] = [
  { atMs: startMs + 700, lateMs: 0, isCounted: true },
  { atMs: startMs + 20_000, lateMs: 0, isCounted: false },
  { atMs: startMs + 47_000, lateMs: 0, isCounted: false },
  { atMs: startMs + 59_900, lateMs: 5_000, isCounted: true },
  { atMs: startMs + 78_000, lateMs: 0, isCounted: false },
];

test('each request is reported once, however late its row is written and even if one row counts several', async (t) => {
  const durationMs = 5 * minuteMs;
  const arrival = fc.record({
    atMs: fc.integer({ min: startMs - 2 * minuteMs, max: startMs + durationMs }),
    lateMs: fc.integer({ min: 0, max: 5_000 }),
    isCounted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { maxLength: 60 }), async (arrivals) => {
      const untilMs = startMs + durationMs + 2 * minuteMs;
      const { before, reported } = await followed(arrivals, untilMs, 500);
      const logged = countsOf(logAt(arrivals, untilMs));
      const known = countsOf(before);
      const expected = new Map(
        [...logged].flatMap(([id, count]) => {
          const left = count - (known.get(id) ?? 0);
          return left > 0 ? [[id, left] as const] : [];
        }),
      );
      t.deepEqual(Object.fromEntries(countsOf(reported)), Object.fromEntries(expected));
    }),
    { numRuns: 60, examples: [[countedBetweenLongRounds]] },
  );
});

test('several pages are read to the end, and earlier requests are not reported', async (t) => {
  const many = Array.from({ length: 900 }, (_, index) => ({
    atMs: startMs - 300_000 + index * 1_000,
    lateMs: 0,
    isCounted: false,
  }));
  const { reported } = await followed(many, startMs + 700_000, 20);
  t.is(reported.length, 900 - 301);
  t.deepEqual(
    reported.map(({ id }) => id),
    reported.map(({ id }) => id).toSorted(),
  );
});

test('the partner command ends quietly when its output is closed', async (t) => {
  const path = fileURLToPath(new URL('../../../clients/typescript/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [path, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  t.is(stderr, '');
  t.is(code, 0);
});
