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

/** Slots of a worker, and how long it may take to finish running tasks once it stops. */
export interface WorkerLimits {
  activities: number;
  localActivities: number;
  slowActivities: number;
  drainMs: number;
}

/**
 * Slots only bound what is in memory: MongoDB and the event loop are busy long before a hundred
 * activities run at a time. Slow work waits for mail servers, of which twenty are enough.
 */
const usualLimits: WorkerLimits = {
  activities: 100,
  localActivities: 100,
  slowActivities: 20,
  // Half of what `runProcess` waits for; an activity takes milliseconds, and is safe to repeat.
  drainMs: 10_000,
};
/**
 * Enough for a worker that has its core, and few enough for one that has a tenth: each has to end within its time,
 * or all are done again (docs/operate/scale.md, Sizing).
 */
const maxWorkflowTasks = 10;
/** Each takes about a megabyte; the others are replayed from their history when something happens. */
const maxCachedWorkflows = 50;

const slotsOf = (work: SlowWork, usual: number): number =>
  work === 'jobs' ? maxJobs : work === 'webhooks' ? maxEndpoints : usual;

/** The workers of one process. */
export interface Workers {
  /** Settles when all workers have stopped, or any of them fails. */
  run(): Promise<void>;
  shutdown(): void;
}

/**
 * Creates the workers of a process: one for workflows and the activities they wait for, and one for
 * each kind of slow work, with its own queue and slots.
 */
export async function createWorkers(
  config: Config,
  deps: ActivityDeps,
  connection: NativeConnection,
  activityInterceptors: ActivityInterceptorsFactory[] = [],
  changedLimits: Partial<WorkerLimits> = {},
): Promise<Workers> {
  const { bundlePath } = config.worker;
  const limits = { ...usualLimits, ...changedLimits };
  const { namespace, taskQueue } = config.temporal;
  const activities = createActivities(deps);
  const interceptors = { activity: [...activityTracing(), ...activityInterceptors] };
  const common = {
    connection,
    namespace,
    activities,
    interceptors,
    shutdownGraceTime: limits.drainMs,
  };
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
      maxConcurrentWorkflowTaskExecutions: maxWorkflowTasks,
      maxConcurrentActivityTaskExecutions: limits.activities,
      maxConcurrentLocalActivityExecutions: limits.localActivities,
      maxCachedWorkflows,
    }),
    ...slowWork.map((work) =>
      Worker.create({
        ...common,
        taskQueue: slowQueueOf(taskQueue, work),
        maxConcurrentActivityTaskExecutions: slotsOf(work, limits.slowActivities),
      }),
    ),
  ]);
  return {
    async run() {
      await Promise.all(workers.map((worker) => worker.run()));
    },
    shutdown() {
      for (const worker of workers) worker.shutdown();
    },
  };
}
