import { proxyLocalActivities, proxySinks, type Sinks, sleep } from '@temporalio/workflow';

/** Reports to the worker that a workflow has reached its timer. */
export interface FloorSinks extends Sinks {
  floor: { waits(): void };
}

/** An activity that costs only what Temporal and the SDK need for it. */
export interface FloorActivities {
  doNothing(): Promise<void>;
}

const { floor } = proxySinks<FloorSinks>();
const { doNothing } = proxyLocalActivities<FloorActivities>({ startToCloseTimeout: '10 seconds' });

/** The least that a purchase's workflow needs: one local activity, and the timer of its claim window. */
export async function floorWorkflow(): Promise<void> {
  await doNothing();
  floor.waits();
  await sleep('30 days');
}
