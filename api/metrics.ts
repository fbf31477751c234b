import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { slowQueueOf } from '../domain/workflow-names.ts';
import { codeOf } from '../http/context.ts';
import { isHealthRoute } from '../http/health.ts';
import { lastBackup } from '../models/store/backups.ts';
import { isDatabaseReachable } from '../models/store/health.ts';
import { recordModelMetrics } from '../models/store/record-metrics.ts';
import { readWebhookFigures } from '../models/webhooks/endpoints.ts';
import { observeMembers } from '../platform/member-metrics.ts';
import { answerBuckets, createRegistry, metricPrefix, serveMetrics } from '../platform/metrics.ts';
import { passes } from '../platform/passes.ts';
import { observePool } from '../platform/pool-metrics.ts';
import { throttle } from '../platform/throttle.ts';
import { reachesTemporal } from '../temporal/reachable.ts';
import { activityBacklogOf } from '../temporal/task-queues.ts';
import { readFigures } from '../views/figures.ts';
import type { ApiMiddleware } from './context.ts';
import type { ApiDeps } from './deps.ts';
import { certificateEnds, diskOf, temporalReachesDatabase } from './surroundings.ts';

/** The figures are read at most this often, however often they are scraped. */
const figuresPeriodMs = 10_000;
/** How often certificates are read. */
const certificatePeriodMs = 600_000;
/** What something is due about, as operators call it. */
const subjects = {
  orderEvents: 'purchase',
  rewards: 'reward',
  redemptions: 'redemption',
  wallets: 'wallet',
} as const;
/** Shorter than the timeout of a scrape. */
const temporalTimeoutMs = 2_000;

type BusinessMetricsDeps = Pick<ApiDeps, 'models' | 'temporal' | 'config' | 'log' | 'now'>;

/**
 * Figures of the business over all partners, in Prometheus' text format. Every API process exports the
 * same figures, so aggregate them with `max`, never with `sum`. The API exports them because a backlog
 * must be visible even when no worker runs.
 */
export function businessMetrics(deps: BusinessMetricsDeps): () => Promise<string> {
  const certificates = throttle(certificatePeriodMs, deps.now, () => certificateEnds(deps.config));
  return throttle(figuresPeriodMs, deps.now, () => readAll(deps, certificates));
}

/** Uses a new registry each time, so that a figure that cannot be read is missing rather than stale. */
async function readAll(
  deps: BusinessMetricsDeps,
  certificates: () => ReturnType<typeof certificateEnds>,
): Promise<string> {
  const registry = new Registry();
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ) => new Gauge({ name: metricPrefix + name, help, labelNames, registers: [registry] });

  const read = gauge('figures_read', 'Whether the figures from a source could be read', ['source']);
  const readSource = async (source: string, readInto: () => Promise<void>): Promise<void> => {
    const isRead = await readInto().then(
      () => true,
      (error: unknown) => {
        deps.log.warn({ err: error, source }, 'could not read the figures');
        return false;
      },
    );
    read.set({ source }, isRead ? 1 : 0);
  };

  const up = gauge('server_up', 'Whether a server can be reached', ['server']);
  const checks = {
    mongodb: () => passes(() => isDatabaseReachable(deps.models)),
    temporal: () => reachesTemporal(deps.temporal),
    temporal_database: () => temporalReachesDatabase(deps.temporal),
  };
  const checked = Object.entries(checks).map(async ([server, check]) =>
    up.set({ server }, (await check()) ? 1 : 0),
  );

  await Promise.all([
    ...checked,
    readSource('disk', async () => {
      const { size, available } = await diskOf(deps.config.mail.messageDir);
      gauge('disk_size_bytes', 'Size of the disk with the message folder').set(size);
      gauge('disk_available_bytes', 'What is available on it').set(available);
    }),
    readSource('certificates', async () => {
      const expiry = gauge('certificate_expiry_timestamp_seconds', 'When a certificate ends', [
        'of',
      ]);
      for (const { of, endsAt } of await certificates()) {
        expiry.set({ of }, endsAt.getTime() / 1000);
      }
    }),
    readSource('mongodb', async () => {
      const backup = await lastBackup(deps.models);
      if (backup !== null) {
        gauge('backup_last_timestamp_seconds', 'When the newest noted backup ended').set(
          backup.getTime() / 1000,
        );
      }
      const figures = await readFigures(deps.models, deps.now());
      const waiting = gauge('due', 'What is due, by what it is about', ['of']);
      const oldest = gauge('due_oldest_seconds', 'Age of the oldest of it', ['of']);
      for (const { of, count, oldestSince } of figures.due.waiting) {
        const ageMs = oldestSince === null ? 0 : Math.max(0, deps.now() - oldestSince.getTime());
        waiting.set({ of: subjects[of] }, count);
        oldest.set({ of: subjects[of] }, ageMs / 1000);
      }
      gauge('due_set_apart', 'What is due and was given up after many attempts').set(
        figures.due.setApart,
      );
      const open = gauge('rewards_open', 'Open rewards, by state', ['state']);
      for (const { state, count } of figures.openRewards) open.set({ state }, count);
      gauge('rewards_stored', 'Rewards ever created, estimated by the database').set(
        figures.rewards,
      );
      const missing = gauge(
        'funding_missing_cents',
        'Money that the rewards awaiting funding need',
        ['mode', 'currency'],
      );
      for (const { cents, ...labels } of figures.missingFunds) missing.set(labels, cents);
      gauge('reviews_open', 'Reviews waiting for an operator').set(figures.reviews.open);
      gauge('reviews_overdue', 'Open reviews past their due time').set(figures.reviews.overdue);
      const { lastAudit, lastReconciliation } = figures;
      if (lastAudit) {
        gauge('audit_last_timestamp_seconds', 'When the newest audit of all partners ended').set(
          lastAudit.endedAt.getTime() / 1000,
        );
        gauge('audit_last_faults', 'Faults found by the newest audit of all partners').set(
          lastAudit.faults,
        );
      }
      if (lastReconciliation) {
        const { endedAt, startedAgain, failed } = lastReconciliation;
        gauge('reconciliation_last_timestamp_seconds', 'When the newest reconciliation ended').set(
          endedAt.getTime() / 1000,
        );
        gauge(
          'reconciliation_last_started_again',
          'Workflows that the newest reconciliation restarted',
        ).set(startedAgain);
        gauge(
          'reconciliation_last_failed',
          'Workflows that the newest reconciliation could not start',
        ).set(failed);
      }
    }),
    readSource('webhooks', async () => {
      const { endpoints, waitingMs } = await readWebhookFigures(deps.models, deps.now());
      const endpointCount = gauge('webhook_endpoints', 'Webhook endpoints of partners', ['status']);
      for (const [status, count] of Object.entries(endpoints)) endpointCount.set({ status }, count);
      gauge(
        'webhooks_waiting_oldest_seconds',
        'How long the oldest unsent webhook has been due',
      ).set(waitingMs / 1000);
    }),
    readSource('temporal', async () => {
      const queue = slowQueueOf(deps.config.temporal.taskQueue, 'mail');
      const count = await deps.temporal.withDeadline(Date.now() + temporalTimeoutMs, () =>
        activityBacklogOf(deps.temporal, queue),
      );
      gauge(
        'emails_waiting',
        'Emails that no worker has picked up yet, not counting those between attempts',
      ).set(count);
    }),
  ]);
  return await registry.metrics();
}

/** Other methods are counted as `OTHER`: clients must not be able to create new label values. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Counts and times requests by route pattern, code and mode, each of which has a bounded number of
 * values. Health checks are not counted.
 */
export function requestMetrics(registry: Registry): ApiMiddleware {
  const registers = [registry];
  const duration = new Histogram({
    name: `${metricPrefix}request_duration_seconds`,
    help: 'Requests by route, by the code of their response (OK, ACCEPTED, REPLAYED or a refusal) and by mode',
    labelNames: ['route', 'code', 'mode'],
    buckets: answerBuckets,
    registers,
  });
  const replays = new Counter({
    name: `${metricPrefix}replays_total`,
    help: 'Responses replayed from storage',
    labelNames: ['mode'],
    registers,
  });
  const refusals = new Counter({
    name: `${metricPrefix}refusals_total`,
    help: 'Refusals, by code',
    labelNames: ['code'],
    registers,
  });
  const inFlight = new Gauge({
    name: `${metricPrefix}requests_in_flight`,
    help: 'Requests in progress',
    registers,
  });
  return async (ctx, next) => {
    const startedAt = performance.now();
    inFlight.inc();
    try {
      await next();
    } finally {
      inFlight.dec();
    }
    const { route, keyHolder } = ctx.state;
    if (isHealthRoute(route)) return;
    const method = methods.has(ctx.method) ? ctx.method : 'OTHER';
    const code = codeOf(ctx);
    const mode = keyHolder?.mode ?? 'none';
    duration.observe(
      { route: `${method} ${route ?? '(none)'}`, code, mode },
      (performance.now() - startedAt) / 1000,
    );
    if (code === 'REPLAYED') replays.inc({ mode });
    if (ctx.status >= 400) refusals.inc({ code });
  };
}

/**
 * Serves the metrics of an API process, if the configuration has a port for them.
 * @returns the middleware that counts requests; undefined without a port
 */
export async function startApiMetrics(
  deps: ApiDeps,
): Promise<{ recordRequests: ApiMiddleware; close(): Promise<void> } | undefined> {
  const { host, port } = deps.config.metrics;
  if (port === undefined) return undefined;
  const registry = createRegistry();
  observePool(deps.models.connection, registry);
  observeMembers(deps.models.connection.getClient(), registry);
  recordModelMetrics(registry);
  const sources = [() => registry.metrics(), businessMetrics(deps)];
  const { close } = await serveMetrics({ host, port }, sources, deps.log);
  return { recordRequests: requestMetrics(registry), close };
}
