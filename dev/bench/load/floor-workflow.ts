import { proxySinks, type Sinks, sleep } from '@temporalio/workflow';

/** How the worker learns that a workflow came as far as its timer. */
export interface FloorSinks extends Sinks {
  floor: { waits(): void };
}

const { floor } = proxySinks<FloorSinks>();

/** The least that a purchase's workflow can be: it starts, and waits for the end of its claim window. */
export async function emptyPurchase(): Promise<void> {
  floor.waits();
  await sleep('30 days');
}
