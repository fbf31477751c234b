import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { openFloorEvents } from './floor-events.ts';
import type { emptyPurchase } from './floor-workflow.ts';
import type { Opened, Work } from './work.ts';

const done = 201;
const poolSize = 50;

/** The bare insert: the driver, and nothing before it. */
export async function openInserts({
  mongodbUri,
}: Extract<Work, { kind: 'inserts' }>): Promise<Opened> {
  const events = await openFloorEvents(mongodbUri, poolSize);
  return {
    async doing() {
      await events.insert();
      return done;
    },
    close: () => events.close(),
  };
}

/** Starts of the empty workflow, under ids of their own. */
export async function openStarts({
  address,
  taskQueue,
}: Extract<Work, { kind: 'starts' }>): Promise<Opened> {
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  return {
    async doing() {
      await workflow.start<typeof emptyPurchase>('emptyPurchase', {
        workflowId: randomUUID(),
        taskQueue,
      });
      return done;
    },
    close: () => connection.close(),
  };
}
