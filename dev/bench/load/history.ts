import { setTimeout as delay } from 'node:timers/promises';
import type { LoadSetup } from './setup.ts';

/** What follows the accounting is done within this. */
const settleMs = 2_000;

export interface HistorySize {
  events: number;
  workflowTasks: number;
}

/** What the history of one LIVE purchase holds that nobody has claimed. */
export async function measureHistory({ service }: LoadSetup): Promise<HistorySize> {
  const { models, temporal } = service;
  await delay(settleMs);
  const event = await models.orderEvents.findOne({ type: 'PURCHASE', mode: 'LIVE' }).lean();
  if (!event) throw new Error('nothing was sold');
  const { events } = await temporal.workflow.getHandle(event.workflowId).fetchHistory();
  return {
    events: events?.length ?? 0,
    workflowTasks: events?.filter((one) => one.workflowTaskCompletedEventAttributes).length ?? 0,
  };
}
