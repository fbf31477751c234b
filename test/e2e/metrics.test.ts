import { readFile } from 'node:fs/promises';
import test from 'ava';
import { parse } from 'yaml';
import { workerCommand } from '../../worker/command.ts';
import { eventually } from '../helpers/eventually.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

let service: OwnService;

test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
});
test.after.always(async () => {
  await service.stop();
});

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Parses the parts of Prometheus' text format that the service uses. */
function parseMetrics(text: string) {
  const samples = [...text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]): Sample => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, is]) => [label, is]),
      ),
      value: Number(value),
    }),
  );
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return { names: new Set(names), samples };
}

/** The metric names in a PromQL expression, which remain when everything else is removed. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(?:by|on|without)\s*\([^)]*\)/g, ' ')
    .replace(/\b\w+\s*\(/g, '(');
  const words = ['or', 'and', 'unless'];
  return [...bare.matchAll(/[a-z_][\w:]*/g)]
    .map(([name]) => name)
    .filter((name) => !words.includes(name));
}

async function expressions(): Promise<string[]> {
  const { groups } = parse(await read('deploy/prometheus/alerts.yml'));
  const { panels } = JSON.parse(await read('deploy/grafana/dashboards/service.json'));
  return [
    ...groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    ...panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
  ];
}

/** The allowed labels: each has few values, and none identifies a partner or customer. */
const boundedLabels = new Set([
  // The service's own.
  ...['route', 'code', 'mode', 'status', 'currency', 'source', 'reason'],
  ...['move', 'state', 'of', 'activity', 'outcome', 'le', 'server', 'member'],
  // Node's.
  ...['version', 'major', 'minor', 'patch', 'kind', 'type', 'space', 'quantile'],
  // Those of Temporal's SDK.
  ...['namespace', 'task_queue', 'service_name', 'operation', 'workflow_type', 'activity_type'],
  ...['worker_type', 'poller_type', 'status_code', 'failure_reason', 'eager', 'client_name'],
]);

test('all processes report metrics with bounded labels, and no names', async (t) => {
  const api = startOwnProcess(service, ['api/server.ts'], {
    METRICS_PORT: '0',
    RESPONSE_TIMEOUT_MS: '30000',
  });

  const worker = startOwnProcess(service, workerCommand, {
    METRICS_PORT: '0',
  });
  const portal = startOwnProcess(service, ['portal/server.ts'], {
    METRICS_PORT: '0',
  });
  t.teardown(async () => {
    if (!t.passed) t.log(api.output() + worker.output() + portal.output());
    await Promise.all([api.end(), worker.end(), portal.end()]);
  });
  const baseUrl = await api.address('API is listening');
  await eventually(async () => {
    if (api.hasEnded() || worker.hasEnded()) throw new Error(api.output() + worker.output());
    return (await fetch(`${baseUrl}/statusz`).catch(() => undefined))?.ok;
  }, 'the service is up');

  const portalUrl = await portal.address('portal is listening');
  const [apiMetrics, workerMetrics, portalMetrics] = await Promise.all(
    [api, worker, portal].map((one) => one.address('metrics are served')),
  );
  await eventually(
    async () => (await fetch(`${portalUrl}/readyz`).catch(() => undefined))?.ok,
    'the portal is up',
  );
  const partner = (await service.partner({ mode: 'LIVE', fundingCents: 600 })).changed({ baseUrl });
  const purchase = aPurchase();
  const send = () => partner.purchase(purchase, { idempotencyKey: 'metrics-1' });
  const { body } = await send();
  await send();
  await partner.purchase();
  await partner.changed({ secret: 'another' }).purchase();
  await fetch(`${baseUrl}/nowhere/${partner.partnerId}`, { method: 'PROPFIND' });
  await eventually(
    async () =>
      (await service.models.rewards.countDocuments({ state: 'FUNDED' })) === 1 &&
      (await service.models.rewards.countDocuments({ state: 'AWAITING_FUNDING' })) === 1,
    'one reward is funded, and one is waiting for funds',
  );

  const scrape = async (url = '') => {
    const response = await fetch(`${url}/metrics`);
    t.is(response.status, 200);
    t.regex(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    return await response.text();
  };
  for (const path of ['/sign-in', '/claim/nowhere', `/${partner.partnerId}`]) {
    await fetch(portalUrl + path);
  }
  /** Repeats until these are included: slow queries are left out, and counters lag behind. */
  const scrapeOnce = (url: string | undefined, ...has: string[]) =>
    eventually(
      async () => {
        const text = await scrape(url);
        return has.every((sample) => text.includes(`partner_events_${sample}`)) && text;
      },
      `the metrics have ${has.join(' and ')}`,
    );
  const texts = {
    api: await scrapeOnce(
      apiMetrics,
      'figures_read{source="mongodb"} 1',
      'figures_read{source="temporal"} 1',
      'server_up{server="mongodb"} 1',
      'server_up{server="temporal"} 1',
      'server_up{server="temporal_database"} 1',
      'mongodb_lag_seconds{',
      'disk_available_bytes ',
      'figures_read{source="webhooks"} 1',
    ),
    worker: await scrapeOnce(workerMetrics, 'funding_delay_seconds_count{mode="LIVE"} 1'),
    portal: await scrapeOnce(portalMetrics, 'page_duration_seconds_count{route="GET (none)"'),
  };
  const scraped = {
    api: parseMetrics(texts.api),
    worker: parseMetrics(texts.worker),
    portal: parseMetrics(texts.portal),
  };
  const total = (
    process: keyof typeof scraped,
    name: string,
    labels: Record<string, string> = {},
  ) =>
    scraped[process].samples
      .filter((sample) => sample.name === `partner_events_${name}`)
      .filter((sample) => Object.entries(labels).every(([key, is]) => sample.labels[key] === is))
      .reduce((sum, { value }) => sum + value, 0);

  const route = 'POST /api/v1/partner/purchases';
  const requests = (code: string) =>
    total('api', 'request_duration_seconds_count', { route, code, mode: 'LIVE' });
  t.deepEqual(['ACCEPTED', 'REPLAYED', 'INVALID_SIGNATURE'].map(requests), [2, 1, 1]);
  t.is(total('api', 'replays_total', { mode: 'LIVE' }), 1);
  t.is(total('api', 'refusals_total', { code: 'INVALID_SIGNATURE' }), 1);
  t.is(total('api', 'request_duration_seconds_count', { route: 'OTHER (none)' }), 1);
  t.is(total('api', 'requests_in_flight'), 0);
  t.true(total('api', 'mongodb_pool_wait_seconds_count') > 0);
  t.is(total('api', 'rewards_open', { state: 'AWAITING_FUNDING' }), 1);
  t.is(total('api', 'rewards_open', { state: 'FUNDED' }), 1);
  t.true(total('api', 'funding_missing_cents', { mode: 'LIVE', currency: 'USD' }) > 0);
  t.is(total('api', 'figures_read', { source: 'mongodb' }), 1);
  t.is(total('api', 'figures_read', { source: 'temporal' }), 1);
  t.true(total('worker', 'activities_total', { outcome: 'done' }) > 0);
  t.is(total('worker', 'reward_moves_total', { move: 'FUND', mode: 'LIVE' }), 1);
  t.is(total('worker', 'funding_delay_seconds_count', { mode: 'LIVE' }), 1);
  t.true(total('worker', 'ledger_entries_total', { mode: 'LIVE' }) >= 1);

  const pages = (route: string, status: string) =>
    total('portal', 'page_duration_seconds_count', { route, status });
  t.is(pages('GET /sign-in', '200'), 1);
  t.is(pages('GET /claim/:token', '404'), 1);
  t.is(pages('GET (none)', '404'), 1);
  t.true(total('portal', 'mongodb_pool_wait_seconds_count') > 0);

  for (const [name, text] of Object.entries(texts)) {
    const { credentialId, integrationId, partnerId, key } = partner;
    for (const secret of [credentialId, integrationId, partnerId, key, 'Corner Shop']) {
      t.false(text.includes(secret), `${name} reveals ${secret}`);
    }
    const ofThePurchase = [purchase.externalOrderId, body.eventId, body.reward.id, '@'];
    for (const secret of ofThePurchase) t.false(text.includes(secret), `${name} reveals ${secret}`);
    t.notRegex(text, /\b(?:prt|int|key|evt|txn|cus)_[0-9A-Z]{10}|PNR_/, name);
  }
  const labels = new Set(
    Object.values(scraped)
      .flatMap(({ samples }) => samples)
      .flatMap((one) => Object.keys(one.labels)),
  );
  t.deepEqual(
    [...labels].filter((label) => !boundedLabels.has(label)),
    [],
  );

  const exported = new Set([...Object.values(scraped).flatMap(({ names }) => [...names]), 'up']);
  // The audit has not run here, and the reconciliation may not have finished a run.
  for (const runMetric of [
    'audit_last_faults',
    'audit_last_timestamp_seconds',
    'reconciliation_last_started_again',
    'reconciliation_last_failed',
    'reconciliation_last_timestamp_seconds',
  ]) {
    t.true((await read('api/metrics.ts')).includes(`'${runMetric}'`));
    exported.add(`partner_events_${runMetric}`);
  }
  // Recorded by rules, and known once a backup has been noted.
  for (const file of ['alerts.yml', 'expected.yml']) {
    const { groups } = parse(await read(`deploy/prometheus/${file}`));
    const rules: { record?: string }[] = groups.flatMap(({ rules }: { rules: object[] }) => rules);
    for (const { record } of rules) if (record !== undefined) exported.add(record);
  }
  exported.add('partner_events_backup_last_timestamp_seconds');
  t.true((await read('api/metrics.ts')).includes("'backup_last_timestamp_seconds'"));
  const named = new Set((await expressions()).flatMap(metricsIn));
  t.true(named.size > 25);
  t.deepEqual(
    [...named].filter((name) => !exported.has(name)),
    [],
    'alerts and dashboards use only exported metrics',
  );

  t.deepEqual(await Promise.all([api.end(), worker.end(), portal.end()]), [0, 0, 0]);
});
