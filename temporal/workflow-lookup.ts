import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** An answer that takes longer is given up. */
const patienceMs = 5_000;
/** Of a history whose first task was picked up: started, scheduled, and what came of it. */
const begunEvents = 3;

/**
 * A workflow task that was tried so often will not succeed: no worker can replay the history, or each dies
 * over it. Beginning the workflow anew does no harm.
 */
const stuckAttempts = 5;

export type WorkflowLookup = ReturnType<typeof createWorkflowLookup>;

/**
 * What Temporal knows of single workflows. It is asked for each by its id: the list of workflows is a
 * copy, which a restore may leave behind or ahead of what really runs.
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
    /** Whether it is open, and its tasks do not fail again and again; one that is not known is not. */
    async goesOn(workflowId: string): Promise<boolean> {
      const found = await find(workflowId);
      if (found === undefined || found.closeTime !== undefined) return false;
      return (found.raw.pendingWorkflowTask?.attempt ?? 0) < stuckAttempts;
    },

    /** Whether a worker has taken up what was started; one that is not known has nothing to begin. */
    async hasBegun(workflowId: string): Promise<boolean> {
      const found = await find(workflowId);
      return found === undefined || found.historyLength > begunEvents;
    },
  };
}
