import test from 'ava';
import {
  type FaultyRequest,
  type RehearsalProblem,
  rehearsalReportOf,
  requestFaultOf,
  retryWithinMs,
  webhookFaultOf,
} from '../../domain/rehearsal.ts';

const at = new Date('2026-11-27T12:00:00.000Z');
const after = (ms: number) => new Date(at.getTime() + ms);
const nowMs = after(2 * retryWithinMs).getTime();

/** A refused request that was sent again, as it should be. */
const request = (changes: Partial<FaultyRequest> = {}): FaultyRequest => ({
  fault: 'UNAVAILABLE',
  requestId: 'req_1',
  key: 'PURCHASE/a',
  payloadHash: 'same',
  retryAfterSeconds: 2,
  at,
  retry: { at: after(2_100), payloadHash: 'same', isRefused: false },
  ...changes,
});
const recorded = new Set(['PURCHASE/a']);
const report = (one: FaultyRequest, keys = recorded, missing: number | null = null, now = nowMs) =>
  rehearsalReportOf({ faults: [one], webhooks: {} }, keys, missing, now);

test('an integration that sends the same request again after Retry-After passes', (t) => {
  for (const [fault, retryAfterSeconds] of [
    ['LOST', null],
    ['UNAVAILABLE', 2],
    ['RATE_LIMITED', 2],
  ] as const) {
    const { verdict, problems, retried, faults } = report(request({ fault, retryAfterSeconds }));
    t.is(verdict, 'PASSED', fault);
    t.deepEqual(problems, []);
    t.is(retried, 1);
    t.is(faults[fault], 1);
  }
  t.is(report(request({ fault: 'SLOW', retry: null })).verdict, 'PASSED');
});

const retry = { at: after(2_100), payloadHash: 'same', isRefused: false };
const nothing = new Set<string>();
const wrong: [
  what: string,
  request: Partial<FaultyRequest>,
  keys: Set<string>,
  problems: RehearsalProblem[],
][] = [
  ['never', { retry: null }, nothing, ['NOT_RETRIED', 'LOST_FOR_GOOD']],
  ['never, after a lost answer', { fault: 'LOST', retry: null }, recorded, ['NOT_RETRIED']],
  ['with other bytes', { retry: { ...retry, payloadHash: 'other' } }, recorded, ['OTHER_BYTES']],
  ['too early', { retry: { ...retry, at: after(900) } }, recorded, ['TOO_EARLY']],
  ['and refused for its content', { retry: { ...retry, isRefused: true } }, nothing, []],
];
for (const [what, changes, keys, problems] of wrong) {
  test(`a request that is sent again ${what}: ${problems.join(', ') || 'no problem'}`, (t) => {
    const found = report(request(changes), keys);
    t.deepEqual(
      found.problems.map(({ problem, requestIds }) => [problem, requestIds]),
      problems.map((problem) => [problem, ['req_1']]),
    );
    t.is(found.verdict, problems.length > 0 ? 'PROBLEMS' : 'PASSED');
  });
}

test('a retry may take a minute', (t) => {
  const fresh = report(request({ retry: null }), nothing, null, after(30_000).getTime());
  t.deepEqual(fresh.problems, []);
});

test('refused webhooks and missing orders are problems, and nothing is no success', (t) => {
  const webhooks = { DOUBLED: { sent: 3, accepted: 2 }, LATE: { sent: 1, accepted: 1 } };
  const found = rehearsalReportOf({ faults: [], webhooks }, nothing, 4, nowMs);
  t.deepEqual(
    found.problems.map(({ problem, count }) => [problem, count]),
    [
      ['WEBHOOK_REFUSED', 1],
      ['MISSING_ORDERS', 4],
    ],
  );
  t.is(
    rehearsalReportOf({ faults: [], webhooks: {} }, nothing, 0, nowMs).verdict,
    'NOTHING_HAPPENED',
  );
});

test('each fault happens to one in six requests and webhooks', (t) => {
  const first = Array.from({ length: 6 }, (_, byte) => Uint8Array.of(byte));
  t.deepEqual(first.map(requestFaultOf), [
    ...['LOST', 'UNAVAILABLE', 'RATE_LIMITED', 'SLOW'],
    ...[null, null],
  ] as never);
  t.deepEqual(first.map(webhookFaultOf), [
    ...['DOUBLED', 'REORDERED', 'LATE', 'ROTATED'],
    ...[null, null],
  ] as never);
});
