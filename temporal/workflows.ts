import { fileURLToPath } from 'node:url';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { reviewActivity } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';

const patienceMs = 5_000;
/**
 * The length of a history whose first task was picked up: workflow started, task scheduled, task
 * started.
 */
const begunEvents = 3;

/**
 * A workflow task that failed this often will not succeed: no worker can replay the history, or
 * each one crashes on it. Starting the workflow again from the beginning is safe.
 */
const stuckAttempts = 5;

export type WorkflowLookup = ReturnType<typeof createWorkflowLookup>;

/**
 * Looks up single workflows by id. The list of workflows is not used: it is a copy, which after a
 * restore may differ from what is running.
 */
export function createWorkflowLookup(client: Client) {
  async function find(workflowId: string) {
    try {
      return await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.getHandle(workflowId).describe(),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Whether a workflow is open, its tasks do not keep failing, and it does not wait for another review alone, which
     * a database that was replaced by an older one does not know; false if it does not exist.
     * @param reviewId the open review of its reward; null for none
     */
    async isProgressing(workflowId: string, reviewId: string | null): Promise<boolean> {
      const found = await find(workflowId);
      if (found === undefined || found.closeTime !== undefined) return false;
      const { pendingActivities, pendingWorkflowTask } = found.raw;
      const awaited = (pendingActivities ?? []).flatMap(({ activityType, activityId }) =>
        activityType?.name === reviewActivity ? [activityId] : [],
      );
      if (awaited.length > 0 && !awaited.includes(reviewId)) return false;
      return (pendingWorkflowTask?.attempt ?? 0) < stuckAttempts;
    },

    /**
     * Whether a worker has picked up a workflow's first task; true if the workflow does not exist.
     */
    async hasBegun(workflowId: string): Promise<boolean> {
      const found = await find(workflowId);
      return found === undefined || found.historyLength > begunEvents;
    },
  };
}

const pathOf = (module: string) =>
  fileURLToPath(new URL(`../workflows/${module}`, import.meta.url));
const workflowsPath = pathOf('index.ts');

/** What the workflow bundle is made of. */
export const workflowSource = {
  workflowsPath,
  workflowInterceptorModules: [pathOf('trace-header.ts')],
  /**
   * Evaluated once per thread instead of once per workflow, which saves a tenth of the worker's CPU per
   * purchase. Workflows share these modules, so none in `workflows/` or `domain/` may keep state.
   */
  preloadModules: [workflowsPath],
};

/** The URL of a workflow's history in the Temporal UI. */
export function temporalUrl({ temporal }: Pick<Config, 'temporal'>, workflowId: string): string {
  const base = temporal.uiUrl.replace(/\/$/, '');
  return `${base}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`;
}
