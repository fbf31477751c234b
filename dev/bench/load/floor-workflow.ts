import { proxySinks, type Sinks, sleep } from '@temporalio/workflow';

/** Reports to the worker that a workflow has reached its timer. */
export interface FloorSinks extends Sinks {
  floor: { waits(): void };
}

const { floor } = proxySinks<FloorSinks>();

/** The minimal equivalent of a purchase's workflow: it starts and waits for the end of its claim window. */
export async function emptyPurchase(): Promise<void> {
  floor.waits();
  await sleep('30 days');
}
