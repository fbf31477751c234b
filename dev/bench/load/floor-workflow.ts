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

/** The minimum that a purchase's workflow needs: it starts and waits for the end of its claim window. */
export async function emptyWorkflow(): Promise<void> {
  floor.waits();
  await sleep('30 days');
}

/** The same after one local activity. */
export async function workflowWithActivity(): Promise<void> {
  await doNothing();
  await emptyWorkflow();
}

/** The same after two. */
export async function workflowWithTwoActivities(): Promise<void> {
  await doNothing();
  await workflowWithActivity();
}
