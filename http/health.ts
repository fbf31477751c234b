import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isAnyPending } from '../models/events/pending-events.ts';
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

const patienceMs = 2_000;
/**
 * However often the service's health is asked, the servers are not asked more often (docs/contract.md,
 * Health).
 */
const periodMs = 1_000;

const routes = new Set(['/healthz', '/readyz', '/statusz']);

/** Whether a request asks for the service's health; such requests come all the time and count as nothing. */
export const isHealthRoute = (route: string | undefined): boolean => routes.has(route ?? '');

/** The three answers on how the service is, which share what they ask the servers. */
export function createHealth({ models, temporal, config, now }: HealthDeps) {
  const passes = (check: () => Promise<boolean>): (() => Promise<boolean>) =>
    throttle(periodMs, Date.now, () =>
      Promise.race([
        temporal.withDeadline(Date.now() + patienceMs, check).catch(() => false),
        delay(patienceMs, false, { ref: false }),
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
  const workflowsBegin = passes(async () => {
    const limit = new Date(now() - config.workflowWaitLimitMs);
    return !(await isAnyPending(models, limit));
  });

  const approvals = throttle(periodMs, Date.now, async () => {
    if (!config.approvals.isOn) return 'OFF';
    const off = wereApprovalsOff(models).then((were) => (were ? 'WERE_OFF' : 'ON'));
    return await Promise.race([off.catch(() => null), delay(patienceMs, null, { ref: false })]);
  });

  return {
    /** GET /healthz: the process is alive. */
    healthz: (async (ctx) => {
      ctx.body = { status: 'ok' };
    }) satisfies HttpMiddleware,

    /** GET /readyz: it can answer partners, for which it needs MongoDB alone; else 503. */
    readyz: (async (ctx) => {
      const isReady = await mongodb();
      ctx.status = isReady ? 200 : 503;
      ctx.body = { status: isReady ? 'ready' : 'not ready', mongodb: isReady };
    }) satisfies HttpMiddleware,

    /** GET /statusz: everything is there; else 503, and what is not is `false`. */
    statusz: (async (ctx) => {
      const [hasMongodb, hasTemporal, hasWorker, isInTime, approved] = await Promise.all([
        mongodb(),
        temporalReached(),
        worker(),
        workflowsBegin(),
        approvals(),
      ]);
      const isWhole = hasMongodb && hasTemporal && hasWorker && isInTime;
      ctx.status = isWhole ? 200 : 503;
      ctx.body = {
        status: isWhole ? 'ok' : 'not ok',
        mongodb: hasMongodb,
        temporal: hasTemporal,
        worker: hasWorker,
        workflowsBegin: isInTime,
        // No part of whether it is whole: what was off once is said for ever.
        approvals: approved,
      };
    }) satisfies HttpMiddleware,
  };
}
