import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type EndOfPointsRef, slowQueueOf } from '../domain/workflow-names.ts';

const activities = (summary: string) =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'reconciliation'),
    startToCloseTimeout: '1 day',
    heartbeatTimeout: '5 minutes',
    retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes' },
    summary,
  });

/**
 * Tells customers whose points end soon, and ends those whose time has come; started by its schedule
 * (docs/decisions/054-points-that-end.md).
 * @param ref the TEST clock moves the points of this customer, instead of the schedule
 * @returns the result, for operators who read the list of workflows
 */
export async function endPoints(ref?: EndOfPointsRef): Promise<string> {
  if (ref !== undefined) {
    await activities('move the end of TEST points').moveEnd(ref);
    return `the points of ${ref.customerId} were moved towards their end`;
  }
  const { told, ended, failed } = await activities(
    'tell of points that end, and end them',
  ).lookAtEnds();
  const summary = `${told} customers told, the points of ${ended} ended, ${failed} failed`;
  setCurrentDetails(summary);
  return summary;
}
