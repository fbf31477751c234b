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
import { answerParent } from './child.ts';
import type { emptyPurchase, FloorSinks } from './floor-workflow.ts';

export type WorkerQuestion =
  | { run: { address: string; taskQueue: string } }
  /** Starts workflows for a time with limited concurrency, and returns how many. */
  | { start: { concurrency: number; forMs: number } }
  | { count: true };

let waiting = 0;
let startOne: () => Promise<void>;
const sinks: InjectedSinks<FloorSinks> = {
  floor: { waits: { fn: () => void waiting++, callDuringReplay: false } },
};

/**
 * A worker with only the empty workflow. It starts workflows eagerly, as the sweep starts purchases, and
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
    sinks,
  });
  void worker.run();
  const { workflow } = new Client({ connection });
  startOne = async () => {
    const workflowId = randomUUID();
    const options = { workflowId, taskQueue, requestEagerStart: true };
    await workflow.start<typeof emptyPurchase>('emptyPurchase', options);
  };
}

async function startMany({
  concurrency,
  forMs,
}: {
  concurrency: number;
  forMs: number;
}): Promise<number> {
  const startMs = performance.now();
  let started = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - startMs < forMs) {
      await startOne();
      started += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return started;
}
