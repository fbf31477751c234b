import { setTimeout as delay } from 'node:timers/promises';
import type { ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** GET /healthz: the process is alive. */
export const healthz: ApiMiddleware = async (ctx) => {
  ctx.body = { status: 'ok' };
};

const patienceMs = 2_000;
/** A worker's poll lasts a minute at most; one that has not polled for longer is gone. */
const pollAgeMs = 70_000;
const workflowTasks = 1;

/** GET /readyz: MongoDB, Temporal and a polling worker are reached; else 503 and which is missing. */
export function readyz({ models, temporal, config, now }: ApiDeps): ApiMiddleware {
  const checks = {
    async mongodb() {
      await models.connection.db?.command({ ping: 1 });
      return models.connection.readyState === 1;
    },
    async temporal() {
      await temporal.workflowService.getSystemInfo({});
      return true;
    },
    async worker() {
      const { pollers } = await temporal.workflowService.describeTaskQueue({
        namespace: config.temporal.namespace,
        taskQueue: { name: config.temporal.taskQueue },
        taskQueueType: workflowTasks,
      });
      return (pollers ?? []).some(
        ({ lastAccessTime }) => now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < pollAgeMs,
      );
    },
  };
  const passes = (check: () => Promise<boolean>): Promise<boolean> =>
    Promise.race([
      temporal.withDeadline(now() + patienceMs, check).catch(() => false),
      delay(patienceMs, false, { ref: false }),
    ]);
  return async (ctx) => {
    const [mongodb, temporalReached, worker] = await Promise.all([
      passes(checks.mongodb),
      passes(checks.temporal),
      passes(checks.worker),
    ]);
    const ready = mongodb && temporalReached && worker;
    ctx.status = ready ? 200 : 503;
    ctx.body = {
      status: ready ? 'ready' : 'not ready',
      mongodb,
      temporal: temporalReached,
      worker,
    };
  };
}
