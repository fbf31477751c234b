import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Release } from './release.ts';

type History = proto.temporal.api.history.v1.IHistory;

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const atOnce = 16;
/** A signal came as the workflow closed: the task is done again with it, as it should be. */
const usual = new Set([WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND]);

/** What the histories of all workflows say about two releases that worked on them. */
export interface Histories {
  read: number;
  /** Workflows that a worker of one release began or went on with, and then one of the other. */
  passedOn: { forward: number; back: number };
  /** Those that the present code would not have made. */
  notReplayed: string[];
  /** Workflow tasks that failed, by cause and message. */
  failed: string[];
}

/**
 * Reads the history of every workflow of a task queue, looks for tasks that failed, and replays all of it.
 * @param releaseOf a worker's identity
 * @param present whose bundle replays them
 */
export async function lookAtHistories(
  temporal: Client,
  taskQueue: string,
  releaseOf: (identity: string) => Release | undefined,
  present: Release,
): Promise<Histories> {
  const histories: { workflowId: string; history: History }[] = [];
  const listed = temporal.workflow
    .list({ query: `TaskQueue = "${taskQueue}"` })
    .intoHistories({ concurrency: atOnce });
  for await (const { workflowId, history } of listed) {
    histories.push({ workflowId, history: history as History });
  }
  const passedOn = { forward: 0, back: 0 };
  const failed: string[] = [];
  for (const { workflowId, history } of histories) {
    const turns = workedOnBy(history, releaseOf);
    if (turns.some((release, at) => release === present && at > 0)) passedOn.forward += 1;
    if (turns.some((release, at) => release !== present && at > 0)) passedOn.back += 1;
    failed.push(...failuresIn(history).map((failure) => `${workflowId}: ${failure}`));
  }
  return {
    read: histories.length,
    passedOn,
    failed,
    notReplayed: await replay(histories, present),
  };
}

/** Whose workers did its workflow tasks, each as often as it changed. */
function workedOnBy(
  { events }: History,
  releaseOf: (identity: string) => Release | undefined,
): Release[] {
  const turns: Release[] = [];
  for (const { workflowTaskCompletedEventAttributes: completed } of events ?? []) {
    const release = releaseOf(completed?.identity ?? '');
    if (release && release !== turns.at(-1)) turns.push(release);
  }
  return turns;
}

function failuresIn({ events }: History): string[] {
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
    if (!failed?.cause || usual.has(failed.cause)) return [];
    return [`${WorkflowTaskFailedCause[failed.cause]}: ${failed.failure?.message ?? ''}`];
  });
}

async function replay(
  histories: { workflowId: string; history: History }[],
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
