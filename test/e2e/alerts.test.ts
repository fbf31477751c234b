import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { parse, stringify } from 'yaml';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { buildPromtool } from '../../prove/alerts/programs.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const { groups } = parse(await readFile(new URL('deploy/prometheus/alerts.yml', root), 'utf8')) as {
  groups: { rules: { alert?: string }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules.flatMap(({ alert = [] }) => alert));

/** Series by their names, each with its values every half minute in promtool's notation. */
type Series = Record<string, string>;

const stepSeconds = 30;
const stepsOf = (minutes: number) => (minutes * 60) / stepSeconds;
const steps = stepsOf(150);
const always = (value: number) => `${value}x${steps}`;
const growing = (perStep: number) => `0+${perStep}x${steps}`;
/** When what a case breaks breaks: once most windows are full. */
const brokenAtMinutes = 70;
const brokenAtStep = stepsOf(brokenAtMinutes);
const then = (before: number, after: number) =>
  `${before}x${brokenAtStep - 1} ${after}x${steps - brokenAtStep}`;
/** Grows at one rate, and once broken at another, for some steps or for good. */
const growingThen = (before: number, after: number, forSteps = steps - brokenAtStep) => {
  const broken = before * brokenAtStep;
  const mended = broken + after * forSteps + before;
  const rest = steps - brokenAtStep - forSteps;
  const end = rest > 0 ? ` ${mended}+${before}x${rest}` : '';
  return `0+${before}x${brokenAtStep - 1} ${broken}+${after}x${forSteps}${end}`;
};
/** What it is while it is broken, and before and after. */
const meanwhile = (usual: number, broken: number, forSteps: number) =>
  `${usual}x${brokenAtStep - 1} ${broken}x${forSteps - 1} ${usual}x${steps - brokenAtStep - forSteps}`;
const vanishing = (value: number) => `${value}x${brokenAtStep - 1} stale`;
const day = 86_400;

/** An installation in which nothing is wrong. @param name the host of its portal */
function quiet(name: string): Series {
  const own = (metric: string, labels = '') =>
    `${metric}{partner_events="${name}"${labels === '' ? '' : `,${labels}`}}`;
  const of = (job: string, nth: number) => `job="${job}",instance="${job}-${nth}"`;
  const processes = ['api', 'worker', 'portal'].flatMap((job) =>
    [1, 2].flatMap((nth): [string, string][] => [
      [own('up', of(job, nth)), always(1)],
      [own('process_start_time_seconds', of(job, nth)), always(1)],
      [own('nodejs_eventloop_lag_p99_seconds', of(job, nth)), always(0.01)],
      [
        own('partner_events_mongodb_pool_wait_seconds_bucket', `${of(job, nth)},le="0.05"`),
        growing(100),
      ],
      [
        own('partner_events_mongodb_pool_wait_seconds_bucket', `${of(job, nth)},le="0.2"`),
        growing(100),
      ],
      [
        own('partner_events_mongodb_pool_wait_seconds_bucket', `${of(job, nth)},le="+Inf"`),
        growing(100),
      ],
      [
        own('partner_events_mongodb_pool_failures_total', `${of(job, nth)},reason="timeout"`),
        always(0),
      ],
    ]),
  );
  const expected = ['api', 'worker', 'portal'].map((job): [string, string] => [
    own('partner_events:expected', `job="${job}"`),
    always(2),
  ]);
  const api = of('api', 1);
  const gauges: [string, string, number][] = [
    ['server_up', 'server="mongodb"', 1],
    ['server_up', 'server="temporal"', 1],
    ['server_up', 'server="temporal_database"', 1],
    ['mongodb_member_up', 'member="mongodb-2:27017"', 1],
    ['mongodb_lag_seconds', 'member="mongodb-2:27017"', 9],
    ['disk_size_bytes', '', 100],
    ['disk_available_bytes', '', 40],
    ['certificate_expiry_timestamp_seconds', 'of="portal"', 60 * day],
    ['backup_last_timestamp_seconds', '', 0],
    ['due_oldest_seconds', 'of="purchase"', 1],
    ['due_set_apart', '', 0],
    ['reconciliation_last_started_again', '', 0],
    ['reconciliation_last_failed', '', 0],
    ['reconciliation_last_timestamp_seconds', '', 0],
    ['emails_waiting', '', 3],
    ['webhooks_waiting_oldest_seconds', '', 1],
    ['webhook_endpoints', 'status="failing"', 1],
    ['webhook_endpoints', 'status="well"', 5],
    ['audit_last_faults', '', 0],
    ['audit_last_timestamp_seconds', '', 0],
    ['funding_missing_cents', 'mode="LIVE",currency="USD"', 0],
    ['reviews_overdue', '', 0],
    ['figures_read', 'source="mongodb"', 1],
  ];
  const route = `${api},route="POST /api/v1/partner/purchases"`;
  const counters: [string, string, number][] = [
    ['request_duration_seconds_count', `${route},code="ACCEPTED"`, 3000],
    ['request_duration_seconds_bucket', `${route},le="0.1"`, 3000],
    ['request_duration_seconds_bucket', `${route},le="0.8"`, 3000],
    ['request_duration_seconds_bucket', `${route},le="+Inf"`, 3000],
    ['refusals_total', `${api},code="UNAVAILABLE"`, 1],
    ['refusals_total', `${api},code="INVALID_SIGNATURE"`, 10],
    ['page_duration_seconds_count', `${of('portal', 1)},status="200"`, 300],
    ['page_duration_seconds_count', `${of('portal', 1)},status="503"`, 0],
    ['funding_delay_seconds_bucket', `${of('worker', 1)},mode="LIVE",le="60"`, 100],
    ['funding_delay_seconds_count', `${of('worker', 1)},mode="LIVE"`, 100],
    ['activities_total', `${of('worker', 1)},activity="sendMail",outcome="failed"`, 1],
    ['activities_total', `${of('worker', 1)},activity="sendMail",outcome="done"`, 100],
  ];
  return Object.fromEntries([
    ...processes,
    ...expected,
    ...gauges.map(([metric, labels, value]): [string, string] => [
      own(`partner_events_${metric}`, labels === '' ? api : `${api},${labels}`),
      always(value),
    ]),
    ...counters.map(([metric, labels, perStep]): [string, string] => [
      own(`partner_events_${metric}`, labels),
      growing(perStep),
    ]),
    [
      own('temporal_worker_task_slots_available', `${of('worker', 1)},worker_type="Activity"`),
      always(50),
    ],
  ]);
}

/** What is broken: how the values of the series with these words differ from a quiet installation's. */
interface Case {
  /** The alert that this is the reason for. */
  alert: string;
  change: Record<string, string>;
  /** How many minutes after its reason it must have fired. It is silent just before the reason. */
  withinMinutes: number;
  /** What has to fire as well, because it is also true. */
  also?: string[];
}

const cases: Case[] = [
  // One of two ends, and its target with it.
  { alert: 'ApiDown', change: { 'up api-2': vanishing(1) }, withinMinutes: 2 },
  { alert: 'WorkerDown', change: { 'up worker-2': then(1, 0) }, withinMinutes: 3 },
  {
    alert: 'PortalDown',
    change: { 'up portal-1': vanishing(1), 'up portal-2': vanishing(1) },
    withinMinutes: 3,
  },
  {
    alert: 'ProcessesRestart',
    change: { 'process_start_time_seconds worker-1': growingThen(0, 30, 10) },
    withinMinutes: 6,
  },
  {
    alert: 'EventLoopBlocked',
    change: { 'nodejs_eventloop_lag_p99_seconds api-1': then(0.01, 0.4) },
    withinMinutes: 11,
  },
  { alert: 'MongodbDown', change: { 'server_up "mongodb"': then(1, 0) }, withinMinutes: 2 },
  { alert: 'MongodbMemberDown', change: { mongodb_member_up: then(1, 0) }, withinMinutes: 6 },
  { alert: 'ReplicationLags', change: { mongodb_lag_seconds: then(9, 90) }, withinMinutes: 6 },
  {
    alert: 'TemporalDown',
    change: { 'server_up "temporal"': then(1, 0), 'server_up temporal_database': then(1, 0) },
    withinMinutes: 3,
  },
  {
    alert: 'PostgresqlDown',
    change: { 'server_up temporal_database': then(1, 0) },
    withinMinutes: 3,
  },
  { alert: 'DiskFills', change: { disk_available_bytes: then(40, 10) }, withinMinutes: 11 },
  { alert: 'DiskFull', change: { disk_available_bytes: then(40, 4) }, withinMinutes: 2 },
  {
    alert: 'CertificateEnds',
    change: { certificate_expiry: then(60 * day, 13 * day) },
    withinMinutes: 61,
  },
  // Its newest was taken some 26 hours before the reason.
  { alert: 'BackupOld', change: { backup_last_timestamp: then(0, -25 * 3600) }, withinMinutes: 61 },
  {
    alert: 'RequestsFail',
    change: { 'refusals_total UNAVAILABLE': growingThen(1, 1500) },
    withinMinutes: 3,
  },
  {
    alert: 'PagesFail',
    change: { 'page_duration_seconds_count 503': growingThen(0, 300) },
    withinMinutes: 12,
  },
  {
    alert: 'PurchasesSlow',
    change: { 'request_duration_seconds_bucket "0.1"': growingThen(3000, 0) },
    withinMinutes: 16,
  },
  {
    alert: 'SignaturesRefused',
    change: { 'refusals_total INVALID_SIGNATURE': growingThen(10, 600) },
    withinMinutes: 26,
  },
  {
    alert: 'MongodbPoolExhausted',
    change: { 'pool_failures api-1': growingThen(0, 5) },
    withinMinutes: 6,
  },
  { alert: 'WorkflowsStartLate', change: { due_oldest_seconds: then(1, 60) }, withinMinutes: 6 },
  {
    alert: 'WorkflowsDoNotStart',
    change: { due_oldest_seconds: then(1, 600) },
    withinMinutes: 6,
    also: ['WorkflowsStartLate'],
  },
  { alert: 'WorkflowsNotTold', change: { due_set_apart: then(0, 1) }, withinMinutes: 6 },
  { alert: 'WorkflowsLost', change: { started_again: then(0, 2) }, withinMinutes: 1 },
  {
    alert: 'WorkflowsNotStarted',
    change: { reconciliation_last_failed: then(0, 2) },
    withinMinutes: 11,
  },
  {
    alert: 'ReconciliationMissing',
    change: { reconciliation_last_timestamp: then(0, -6 * 3600) },
    withinMinutes: 31,
  },
  {
    alert: 'FundingLate',
    change: { funding_delay_seconds_bucket: growingThen(100, 50) },
    withinMinutes: 13,
  },
  {
    alert: 'ActivitiesFail',
    change: { 'activities_total failed': growingThen(1, 100) },
    withinMinutes: 16,
  },
  { alert: 'EmailsWait', change: { emails_waiting: then(3, 2000) }, withinMinutes: 16 },
  { alert: 'WebhooksWait', change: { webhooks_waiting: then(1, 120) }, withinMinutes: 6 },
  { alert: 'WebhooksFail', change: { 'webhook_endpoints failing': then(1, 9) }, withinMinutes: 16 },
  { alert: 'WorkersFull', change: { task_slots_available: then(50, 0) }, withinMinutes: 11 },
  { alert: 'LedgerWrong', change: { audit_last_faults: then(0, 1) }, withinMinutes: 1 },
  { alert: 'AuditMissing', change: { audit_last_timestamp: vanishing(0) }, withinMinutes: 36 },
  { alert: 'FundsMissing', change: { funding_missing_cents: then(0, 900) }, withinMinutes: 61 },
  { alert: 'ReviewsOverdue', change: { reviews_overdue: then(0, 1) }, withinMinutes: 16 },
  { alert: 'FiguresUnread', change: { figures_read: then(1, 0) }, withinMinutes: 6 },
];

const ours = 'rewards.example.com';

function broken({ change }: Pick<Case, 'change'>): Series {
  const series = quiet(ours);
  for (const [words, values] of Object.entries(change)) {
    const names = Object.keys(series).filter((name) =>
      words.split(' ').every((word) => name.includes(word)),
    );
    const [name, ...others] = names.filter((one) => !/^up/.test(words) || one.startsWith('up{'));
    if (name === undefined || others.length > 0) throw new Error(`${words}: ${names.join(', ')}`);
    series[name] = values;
  }
  return series;
}

/** Other people's jobs, all of which are broken. */
const foreign: Series = {
  ...Object.fromEntries(
    ['api', 'worker', 'portal'].flatMap((job) => [
      [`up{job="${job}",instance="theirs"}`, always(0)],
      [`nodejs_eventloop_lag_p99_seconds{job="${job}",instance="theirs"}`, always(5)],
      [`process_start_time_seconds{job="${job}",instance="theirs"}`, growing(30)],
    ]),
  ),
  'temporal_worker_task_slots_available{job="worker",instance="theirs",worker_type="Activity"}':
    always(0),
};

/** promtool's test of a case. It compares every alert, so that nothing else fires. */
function testOf(name: string, series: Series, firing: Record<string, string[]>) {
  return {
    name,
    interval: `${stepSeconds}s`,
    input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
    promql_expr_test: Object.entries(firing).map(([at, names]) => ({
      expr: 'count by (alertname, partner_events) (ALERTS{alertstate="firing"})',
      eval_time: at,
      exp_samples: names.map((alertname) => ({
        labels: `{alertname="${alertname}", partner_events="${ours}"}`,
        value: 1,
      })),
    })),
  };
}

async function promtool(tests: object[]): Promise<string> {
  const program = await buildPromtool();
  const folder = await mkdtemp(join(throwawayFolder(), 'alerts-'));
  try {
    const file = join(folder, 'test.yml');
    const rules = new URL('deploy/prometheus/alerts.yml', root).pathname;
    const text = stringify({ rule_files: [rules], evaluation_interval: `${stepSeconds}s`, tests });
    await writeFile(file, text);
    return await run(program, ['test', 'rules', file], { maxBuffer: 64 * 1024 * 1024 }).then(
      () => '',
      (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('each alert fires for its reason, in time, and no other does, whatever runs beside the service', async (t) => {
  t.timeout(30 * 60_000);
  t.deepEqual(cases.map(({ alert }) => alert).toSorted(), alerts.toSorted());
  const beside = { ...quiet('other.example.com'), ...foreign };
  const tests = cases.map(({ change, alert, withinMinutes, also = [] }) =>
    testOf(
      alert,
      { ...broken({ change }), ...beside },
      {
        [`${brokenAtMinutes - 1}m`]: [],
        [`${brokenAtMinutes + withinMinutes}m`]: [alert, ...also].toSorted(),
      },
    ),
  );
  t.is(await promtool(tests), '');
});

test('an outage does not begin to page once it is over', async (t) => {
  t.timeout(30 * 60_000);
  const times = Array.from({ length: 60 }, (_, minute) => `${brokenAtMinutes + minute}m`);
  const outage = (forSteps: number) =>
    broken({ change: { 'refusals_total UNAVAILABLE': growingThen(1, 1500, forSteps) } });
  const short = testOf('half a minute', outage(1), Object.fromEntries(times.map((at) => [at, []])));
  const long = testOf('five minutes', outage(10), {
    [`${brokenAtMinutes + 3}m`]: ['RequestsFail'],
    [`${brokenAtMinutes + 5}m`]: ['RequestsFail'],
    ...Object.fromEntries(times.slice(8).map((at) => [at, []])),
  });
  t.is(await promtool([short, long]), '');
});

test('while MongoDB is away, and until the windows after it end, only that it is away is told', async (t) => {
  t.timeout(30 * 60_000);
  const awaySteps = stepsOf(5);
  const away = broken({
    change: {
      'server_up "mongodb"': meanwhile(1, 0, awaySteps),
      'refusals_total UNAVAILABLE': growingThen(1, 3000, awaySteps),
      'page_duration_seconds_count 503': growingThen(0, 900, awaySteps),
    },
  });
  const at = (minutes: number) => `${(brokenAtMinutes + minutes) * 60}s`;
  const isTold = (alert: string, times: readonly number[], value: number) =>
    times.map((minutes) => ({
      expr: `count(ALERTS{alertname=~"${alert}",alertstate="firing"}) or vector(0)`,
      eval_time: at(minutes),
      exp_samples: [{ labels: '{}', value }],
    }));
  const beside = Array.from({ length: 40 }, (_, step) => step / 2).map((minutes) => ({
    expr: 'ALERTS{alertname=~"RequestsFail|PagesFail",alertstate="firing"} unless on (partner_events) ALERTS{alertname="MongodbDown",alertstate="firing"}',
    eval_time: at(minutes),
    exp_samples: [],
  }));
  const one = testOf('MongoDB away for five minutes', away, {});
  one.promql_expr_test.push(
    ...isTold('MongodbDown', [2, 5, 7], 1),
    ...isTold('MongodbDown', [9], 0),
    // They are true, and held back.
    ...isTold('RequestsFail|PagesFail', [6], 2),
    ...beside,
  );
  t.is(await promtool([one]), '');
});
