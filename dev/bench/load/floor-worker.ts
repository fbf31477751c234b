import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  type InjectedSinks,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { purchaseStartOptions } from '../../../temporal/purchase-start.ts';
import { answerParent } from './child.ts';
import type * as workflows from './floor-workflow.ts';
import type { FloorActivities, FloorSinks } from './floor-workflow.ts';

export type FloorWorkflow = keyof typeof workflows;

interface StartJob {
  workflowType: FloorWorkflow;
  /** Whether with the search attributes, the summary and the fairness key of a purchase. */
  isDescribed: boolean;
  concurrency: number;
  forMs: number;
}

export type WorkerQuestion =
  | { run: { address: string; taskQueue: string } }
  /** Starts workflows for a time with limited concurrency, and returns how many. */
  | { start: StartJob }
  | { count: true };

const purchase = {
  partnerId: 'prt_00000000000000000000000000',
  purchaseEventId: 'evt_00000000000000000000000000',
  rewardId: 'PNR_00000000000000000000000000',
  externalOrderId: 'ORDER-1',
  mode: 'LIVE',
} as const;
let waiting = 0;
let startOne: (job: StartJob) => Promise<void>;
const activities: FloorActivities = { doNothing: async () => undefined };
const sinks: InjectedSinks<FloorSinks> = {
  floor: { waits: { fn: () => void waiting++, callDuringReplay: false } },
};

/**
 * A worker with only the floor's workflows. It starts them eagerly, as the sweep starts purchases, and
 * counts those that have reached their timer.
 */
answerParent<WorkerQuestion, number>(async (question) => {
  if ('run' in question) await run(question.run);
  if ('start' in question) return await startMany(question.start);
  return waiting;
});

async function run({ address, taskQueue }: { address: string; taskQueue: string }) {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./floor-workflow.ts', import.meta.url)),
    activities,
    sinks,
  });
  void worker.run();
  const { workflow } = new Client({ connection });
  startOne = async ({ workflowType, isDescribed }) => {
    const workflowId = randomUUID();
    const plain = { workflowId, taskQueue };
    const options = isDescribed
      ? purchaseStartOptions({ ...purchase, workflowId }, taskQueue)
      : plain;
    await workflow.start(workflowType, { ...options, requestEagerStart: true });
  };
}

async function startMany(job: StartJob): Promise<number> {
  const { concurrency, forMs } = job;
  const startMs = performance.now();
  let started = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startMs < forMs) {
      await startOne(job);
      started += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return started;
}
