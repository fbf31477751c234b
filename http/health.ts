import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isDueSince, workflowWaitLimitMs } from '../models/due.ts';
import type { Models } from '../models/schemas/index.ts';
import { isDatabaseReachable, wereApprovalsOff } from '../models/store/health.ts';
import type { Config } from '../platform/config.ts';
import { throttle } from '../platform/throttle.ts';
import { pollersOf } from '../temporal/task-queues.ts';
import type { HttpMiddleware } from './context.ts';

interface HealthDeps {
  models: Models;
  temporal: Client;
  config: Config;
  now: () => number;
}

const checkTimeoutMs = 2_000;
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
  const passes = (check: () => Promise<boolean>): (() => Promise<boolean>) =>
    throttle(periodMs, Date.now, () =>
      Promise.race([
        temporal.withDeadline(Date.now() + checkTimeoutMs, check).catch(() => false),
        delay(checkTimeoutMs, false, { ref: false }),
      ]),
    );

  const mongodb = passes(() => isDatabaseReachable(models));
  const temporalReached = passes(async () => {
    await temporal.workflowService.getSystemInfo({});
    return true;
  });
  const worker = passes(async () => {
    return (await pollersOf(temporal, config.temporal.taskQueue, now())).length > 0;
  });
  const workflowsStart = passes(async () => {
    const limit = new Date(now() - workflowWaitLimitMs);
    return !(await isDueSince(models, limit));
  });

  const approvals = throttle(periodMs, Date.now, async () => {
    if (!config.approvals.isOn) return 'OFF';
    const off = wereApprovalsOff(models).then((were) => (were ? 'WERE_OFF' : 'ON'));
    return await Promise.race([off.catch(() => null), delay(checkTimeoutMs, null, { ref: false })]);
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
