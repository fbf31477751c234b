import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Release } from './release.ts';
import type { ReleaseProcesses } from './release-processes.ts';

type WorkflowHistory = proto.temporal.api.history.v1.IHistory;
type Identities = Pick<ReleaseProcesses, 'releaseOf' | 'isHeld'>;

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const concurrency = 16;
/** The SDK's name for the marker that `patched` records. */
const patchMarker = 'core_patch';
/** A signal arrived while the workflow closed: the task is correctly retried with it. */
const usual = new Set([WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND]);

/** What the histories of all workflows show about the two releases. */
export interface HistoryFindings {
  read: number;
  /** Workflows that a worker of one release started or continued, and then one of the other. */
  passedOn: { forward: number; back: number };
  /** Recorded patches, and those recorded by a worker that was to hold them. */
  patches: { recorded: number; notHeld: string[] };
  /** Histories that the new release's code would not produce. */
  notReplayed: string[];
  /** Failed workflow tasks, by cause and message. */
  failed: string[];
}

/**
 * Reads the history of every workflow of a task queue, finds failed tasks, and replays them all.
 * @param identities maps a worker's identity to its release and whether it holds patches
 * @param present whose bundle replays them
 */
export async function checkHistories(
  temporal: Client,
  taskQueue: string,
  identities: Identities,
  present: Release,
): Promise<HistoryFindings> {
  const histories: { workflowId: string; history: WorkflowHistory }[] = [];
  const listed = temporal.workflow
    .list({ query: `TaskQueue = "${taskQueue}"` })
    .intoHistories({ concurrency: concurrency });
  for await (const { workflowId, history } of listed) {
    histories.push({ workflowId, history: history as WorkflowHistory });
  }
  const passedOn = { forward: 0, back: 0 };
  const patches = { recorded: 0, notHeld: [] as string[] };
  const failed: string[] = [];
  for (const { workflowId, history } of histories) {
    const turns = workedOnBy(history, identities);
    if (turns.some((release, at) => release === present && at > 0)) passedOn.forward += 1;
    if (turns.some((release, at) => release !== present && at > 0)) passedOn.back += 1;
    const recorders = patchesRecordedBy(history);
    patches.recorded += recorders.length;
    if (recorders.some(identities.isHeld)) patches.notHeld.push(workflowId);
    failed.push(...failuresIn(history).map((failure) => `${workflowId}: ${failure}`));
  }
  return {
    read: histories.length,
    passedOn,
    patches,
    failed,
    notReplayed: await replay(histories, present),
  };
}

/** The releases that completed its workflow tasks, in order, without repeats. */
function workedOnBy({ events }: WorkflowHistory, { releaseOf }: Identities): Release[] {
  const turns: Release[] = [];
  for (const { workflowTaskCompletedEventAttributes: completed } of events ?? []) {
    const release = releaseOf(completed?.identity ?? '');
    if (release && release !== turns.at(-1)) turns.push(release);
  }
  return turns;
}

/** By patch, the worker that recorded it. */
function patchesRecordedBy({ events }: WorkflowHistory): string[] {
  const done = new Map(
    (events ?? []).map(({ eventId, workflowTaskCompletedEventAttributes: completed }) => [
      String(eventId),
      completed?.identity ?? '',
    ]),
  );
  return (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) =>
    marker?.markerName === patchMarker
      ? [done.get(String(marker.workflowTaskCompletedEventId)) ?? '']
      : [],
  );
}

function failuresIn({ events }: WorkflowHistory): string[] {
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
    if (!failed?.cause || usual.has(failed.cause)) return [];
    return [`${WorkflowTaskFailedCause[failed.cause]}: ${failed.failure?.message ?? ''}`];
  });
}

async function replay(
  histories: { workflowId: string; history: WorkflowHistory }[],
  { bundle }: Release,
): Promise<string[]> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const found: string[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: { codePath: bundle } }, histories);
  for await (const { workflowId, error } of results) {
    if (error) found.push(`${workflowId}: ${error.message}`);
  }
  return found;
}
