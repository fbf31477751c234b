import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Release } from './processes.ts';

type WorkflowHistory = proto.temporal.api.history.v1.IHistory;
type ReleaseOf = (identity: string) => Release | undefined;

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
/** A signal arrived while the workflow closed: the task is correctly retried with it. */
const usual = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND;

/** What the histories of all workflows show about two releases. */
export interface HistoryFindings {
  read: number;
  /** Workflows that workers of one release began or continued, and then ones of the other. */
  forward: number;
  back: number;
  /** Histories that the new release's code would not produce, and failed workflow tasks. */
  faults: string[];
}

/**
 * Reads the history of every workflow of a task queue, finds failed tasks, and replays them all.
 * @param releaseOf maps a worker's identity to its release
 * @param present whose bundle replays them
 */
export async function checkHistories(
  { temporal, taskQueue, releaseOf }: { temporal: Client; taskQueue: string; releaseOf: ReleaseOf },
  present: Release,
): Promise<HistoryFindings> {
  const histories: { workflowId: string; history: WorkflowHistory }[] = [];
  const listed = temporal.workflow.list({ query: `TaskQueue = "${taskQueue}"` });
  for await (const { workflowId, history } of listed.intoHistories({ concurrency: 16 })) {
    histories.push({ workflowId, history: history as WorkflowHistory });
  }
  const found: HistoryFindings = { read: histories.length, forward: 0, back: 0, faults: [] };
  for (const { workflowId, history } of histories) {
    const later = workedOnBy(history, releaseOf).slice(1);
    if (later.some((release) => release === present)) found.forward += 1;
    if (later.some((release) => release !== present)) found.back += 1;
    found.faults.push(...failuresIn(history).map((failure) => `${workflowId}: ${failure}`));
  }
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const bundle = { workflowBundle: { codePath: present.bundle } };
  for await (const { workflowId, error } of Worker.runReplayHistories(bundle, histories)) {
    if (error) found.faults.push(`${workflowId} does not replay: ${error.message}`);
  }
  if (found.forward === 0) found.faults.push('no workflow continued under the new release');
  if (found.back === 0) found.faults.push('no workflow continued under the previous release');
  return found;
}

/** The releases that completed its workflow tasks, in order, without repeats. */
function workedOnBy({ events }: WorkflowHistory, releaseOf: ReleaseOf): Release[] {
  const turns: Release[] = [];
  for (const { workflowTaskCompletedEventAttributes: completed } of events ?? []) {
    const release = releaseOf(completed?.identity ?? '');
    if (release && release !== turns.at(-1)) turns.push(release);
  }
  return turns;
}

function failuresIn({ events }: WorkflowHistory): string[] {
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
    if (!failed?.cause || failed.cause === usual) return [];
    return [`${WorkflowTaskFailedCause[failed.cause]}: ${failed.failure?.message ?? ''}`];
  });
}
