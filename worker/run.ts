import { fileURLToPath } from 'node:url';
import {
  type ActivityInterceptorsFactory,
  type NativeConnection,
  Worker,
} from '@temporalio/worker';
import type { ActivityDeps } from '../activities/deps.ts';
import { createActivities } from '../activities/index.ts';
import { type SlowWork, slowQueueOf, slowWork } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';
import { activityTracing } from '../temporal/tracing.ts';

const pathOf = (module: string) =>
  fileURLToPath(new URL(`../workflows/${module}`, import.meta.url));
const workflowsPath = pathOf('index.ts');
const workflowModules = [pathOf('trace-header.ts')];

/** A job holds the ids of some 100,000 orders in memory. */
const maxJobs = 2;
/** Endpoints that are delivered to at a time: each mostly waits for an answer. */
const maxEndpoints = 200;

const slotsOf = (work: SlowWork, usual: number): number =>
  work === 'jobs' ? maxJobs : work === 'webhooks' ? maxEndpoints : usual;

/** The workers of one process. */
export interface Workers {
  /** Settles when any of them ends. */
  run(): Promise<void>;
  /** Goes on by another connection to the same Temporal. */
  use(connection: NativeConnection): void;
  shutdown(): void;
}

/**
 * The workers of a process, ready to run: one for the workflows and what they wait for, and one for
 * each kind of slow work, whose queue and slots are its own. The limits come from the configuration
 * (docs/configuration.md).
 */
export async function createWorkers(
  config: Config,
  deps: ActivityDeps,
  connection: NativeConnection,
  activityInterceptors: ActivityInterceptorsFactory[] = [],
): Promise<Workers> {
  const { bundlePath, arePatchesHeld, drainMs, ...limits } = config.worker;
  const { namespace, taskQueue } = config.temporal;
  const activities = createActivities(deps);
  const interceptors = { activity: [...activityTracing(), ...activityInterceptors] };
  const common = { connection, namespace, activities, interceptors, shutdownGraceTime: drainMs };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      ...(bundlePath
        ? { workflowBundle: { codePath: bundlePath } }
        : { workflowsPath, interceptors: { ...interceptors, workflowModules } }),
      // The SDK asks about patches that a history does not have; where nobody is asked, they are active.
      ...(arePatchesHeld && { patchActivationCallback: () => false }),
      maxConcurrentWorkflowTaskExecutions: limits.maxConcurrentWorkflowTasks,
      maxConcurrentActivityTaskExecutions: limits.maxConcurrentActivities,
      maxConcurrentLocalActivityExecutions: limits.maxConcurrentLocalActivities,
      maxCachedWorkflows: limits.maxCachedWorkflows,
    }),
    ...slowWork.map((work) =>
      Worker.create({
        ...common,
        taskQueue: slowQueueOf(taskQueue, work),
        maxConcurrentActivityTaskExecutions: slotsOf(work, limits.maxSlowActivities),
      }),
    ),
  ]);
  return {
    async run() {
      await Promise.all(workers.map((worker) => worker.run()));
    },
    use(next) {
      for (const worker of workers) worker.connection = next;
    },
    shutdown() {
      for (const worker of workers) worker.shutdown();
    },
  };
}
