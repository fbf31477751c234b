import { fileURLToPath } from 'node:url';
import { type ActivityInterceptorsFactory, NativeConnection, Worker } from '@temporalio/worker';
import type { ActivityDeps } from '../activities/deps.ts';
import { createActivities } from '../activities/index.ts';
import type { Config } from '../platform/config.ts';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/**
 * A worker ready to run. The limits come from the configuration (README, Configuration): local
 * activities are what answers wait for, so that they have slots of their own.
 */
export async function createWorker(
  config: Config,
  deps: ActivityDeps,
  connection: NativeConnection,
  activityInterceptors: ActivityInterceptorsFactory[] = [],
): Promise<Worker> {
  const { bundlePath, drainMs, ...limits } = config.worker;
  return await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: config.temporal.taskQueue,
    activities: createActivities(deps),
    interceptors: { activity: activityInterceptors },
    ...(bundlePath ? { workflowBundle: { codePath: bundlePath } } : { workflowsPath }),
    maxConcurrentWorkflowTaskExecutions: limits.maxConcurrentWorkflowTasks,
    maxConcurrentActivityTaskExecutions: limits.maxConcurrentActivities,
    maxConcurrentLocalActivityExecutions: limits.maxConcurrentLocalActivities,
    maxCachedWorkflows: limits.maxCachedWorkflows,
    shutdownGraceTime: drainMs,
  });
}

export async function connectWorker(temporal: Config['temporal']): Promise<NativeConnection> {
  return await NativeConnection.connect({
    address: temporal.address,
    tls: temporal.tls,
    ...(temporal.apiKey !== undefined && { apiKey: temporal.apiKey }),
  });
}
