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
import { workflowSource } from '../temporal/workflows.ts';

/** Few, since a job holds the ids of some 100,000 orders in memory. */
const maxJobs = 2;
/** Many, since delivering to an endpoint is mostly waiting. */
const maxEndpoints = 200;

const slotsOf = (work: SlowWork, usual: number): number =>
  work === 'jobs' ? maxJobs : work === 'webhooks' ? maxEndpoints : usual;

/** The workers of one process. */
export interface Workers {
  /** Settles when all workers have stopped, or any of them fails. */
  run(): Promise<void>;
  /** Switches to another connection to the same Temporal. */
  use(connection: NativeConnection): void;
  shutdown(): void;
}

/**
 * Creates the workers of a process: one for workflows and the activities they wait for, and one for
 * each kind of slow work, with its own queue and slots. The limits come from the configuration
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
        : {
            workflowsPath: workflowSource.workflowsPath,
            interceptors: {
              ...interceptors,
              workflowModules: workflowSource.workflowInterceptorModules,
            },
            bundlerOptions: { preloadModules: workflowSource.preloadModules },
          }),
      // The SDK asks about patches that are not in the history. Without a callback they are active.
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
