import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isDueSince, workflowWaitLimitMs } from '../models/due.ts';
import type { Models } from '../models/schemas/index.ts';
import { isDatabaseReachable, wereApprovalsOff } from '../models/store/health.ts';
import type { Config } from '../platform/config.ts';
import { checkPatienceMs, passes } from '../platform/passes.ts';
import { throttle } from '../platform/throttle.ts';
import { reachesTemporal } from '../temporal/reachable.ts';
import { pollersOf } from '../temporal/task-queues.ts';
import type { HttpMiddleware } from './context.ts';

interface HealthDeps {
  models: Models;
  temporal: Client;
  config: Config;
  now: () => number;
}

/** The servers are checked at most this often, however many health checks arrive (docs/operate/install.md, Health checks). */
const periodMs = 1_000;

const routes = new Set(['/healthz', '/readyz', '/statusz']);

/** Whether a route is a health check. These are so frequent that they are neither logged nor counted. */
export const isHealthRoute = (route: string | undefined): boolean => routes.has(route ?? '');

/**
 * Handlers of the three health checks, which share the results of their checks of the servers.
 * @param tellsApprovals whether the status says whether approvals are on, which only operators may know
 */
export function createHealth(
  { models, temporal, config, now }: HealthDeps,
  { tellsApprovals = false }: { tellsApprovals?: boolean } = {},
) {
  const often = (check: () => Promise<boolean>) => throttle(periodMs, Date.now, check);
  const mongodb = often(() => passes(() => isDatabaseReachable(models)));
  const temporalReached = often(() => reachesTemporal(temporal));
  const pollers = () => pollersOf(temporal, config.temporal.taskQueue, now());
  const worker = often(() =>
    passes(async () => {
      const found = await temporal.withDeadline(Date.now() + checkPatienceMs, pollers);
      return found.length > 0;
    }),
  );
  const workflowsStart = often(() =>
    passes(async () => {
      const limit = new Date(now() - workflowWaitLimitMs);
      return !(await isDueSince(models, limit));
    }),
  );

  const approvals = throttle(periodMs, Date.now, async () => {
    if (!config.approvals.isOn) return 'OFF';
    const off = wereApprovalsOff(models).then((were) => (were ? 'WERE_OFF' : 'ON'));
    return await Promise.race([
      off.catch(() => null),
      delay(checkPatienceMs, null, { ref: false }),
    ]);
  });

  return {
    /** GET /healthz: the process is alive. */
    healthz: (async (ctx) => {
      ctx.body = { status: 'ok' };
    }) satisfies HttpMiddleware,

    /** GET /readyz: 200 if it can serve partners, for which it only needs MongoDB; otherwise 503. */
    readyz: (async (ctx) => {
      const isReady = await mongodb();
      ctx.status = isReady ? 200 : 503;
      ctx.body = { status: isReady ? 'ready' : 'not ready', mongodb: isReady };
    }) satisfies HttpMiddleware,

    /** GET /statusz: 200 if every part works; otherwise 503, with `false` for the parts that do not. */
    statusz: (async (ctx) => {
      const [hasMongodb, hasTemporal, hasWorker, isInTime, approved] = await Promise.all([
        mongodb(),
        temporalReached(),
        worker(),
        workflowsStart(),
        tellsApprovals ? approvals() : undefined,
      ]);
      const isWhole = hasMongodb && hasTemporal && hasWorker && isInTime;
      ctx.status = isWhole ? 200 : 503;
      ctx.body = {
        status: isWhole ? 'ok' : 'not ok',
        mongodb: hasMongodb,
        temporal: hasTemporal,
        worker: hasWorker,
        workflowsStart: isInTime,
        // Not part of the status: `WERE_OFF` never goes away.
        ...(tellsApprovals && { approvals: approved }),
      };
    }) satisfies HttpMiddleware,
  };
}
