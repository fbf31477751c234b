import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  type InjectedSinks,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import pMap from 'p-map';
import { purchaseStartOptions } from '../../temporal/purchase-start.ts';
import { answerParent } from './child.ts';
import type { FloorActivities, FloorSinks } from './floor-workflow.ts';

export type WorkerQuestion =
  /** The address of Temporal. */
  | { run: string }
  /** Starts this many workflows. */
  | { start: number }
  /** How many have reached their timer. */
  | 'COUNT';

const taskQueue = 'bench-floor';
/** As many as the service starts at a time. */
const startsAtOnce = 4;
const purchase = {
  partnerId: 'prt_00000000000000000000000000',
  purchaseEventId: 'evt_00000000000000000000000000',
  rewardId: 'PNR_00000000000000000000000000',
  externalOrderId: 'ORDER-1',
  mode: 'LIVE',
} as const;
let waiting = 0;
let client: Client;
const activities: FloorActivities = { doNothing: async () => undefined };
const sinks: InjectedSinks<FloorSinks> = {
  floor: { waits: { fn: () => void waiting++, callDuringReplay: false } },
};

/**
 * A worker with only the floor's workflow, which it starts eagerly and with the search attributes, summary
 * and fairness key of a purchase, as the service does.
 */
answerParent<WorkerQuestion, number>(async (question) => {
  if (question === 'COUNT') return waiting;
  if ('run' in question) await run(question.run);
  else await start(question.start);
  return 0;
});

async function run(address: string): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./floor-workflow.ts', import.meta.url));
  const worker = await Worker.create({ connection, taskQueue, workflowsPath, activities, sinks });
  void worker.run();
  client = new Client({ connection });
}

async function start(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await pMap(
    ids,
    async (workflowId) => {
      const options = purchaseStartOptions({ ...purchase, workflowId }, taskQueue);
      await client.workflow.start('floorWorkflow', { ...options, requestEagerStart: true });
    },
    { concurrency: startsAtOnce },
  );
}
