import { setTimeout as delay } from 'node:timers/promises';
import type { LoadSetup } from './setup.ts';

/** Everything after the accounting is done within this time. */
const settleMs = 2_000;

export interface HistorySize {
  events: number;
  workflowTasks: number;
}

/** The history of one unclaimed LIVE purchase. */
export async function measureHistory({ service }: LoadSetup): Promise<HistorySize> {
  const { models, temporal } = service;
  await delay(settleMs);
  const event = await models.orderEvents.findOne({ type: 'PURCHASE', mode: 'LIVE' });
  if (!event) throw new Error('there is no purchase');
  const { events } = await temporal.workflow.getHandle(event.workflowId).fetchHistory();
  return {
    events: events?.length ?? 0,
    workflowTasks: events?.filter((one) => one.workflowTaskCompletedEventAttributes).length ?? 0,
  };
}
