import { fileURLToPath } from 'node:url';
import {
  DefaultLogger,
  type InjectedSinks,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { answerParent } from './child.ts';
import type { FloorSinks } from './floor-workflow.ts';

export type WorkerQuestion = { run: { address: string; taskQueue: string } } | { count: true };

let waiting = 0;
const sinks: InjectedSinks<FloorSinks> = {
  floor: { waits: { fn: () => void waiting++, callDuringReplay: false } },
};

/** A worker of the empty workflow alone, which says how many have come as far as their timer. */
answerParent<WorkerQuestion, number>(async (question) => {
  if ('run' in question) await run(question.run);
  return waiting;
});

async function run({ address, taskQueue }: { address: string; taskQueue: string }) {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./floor-workflow.ts', import.meta.url)),
    sinks,
  });
  void worker.run();
}
