import type { Client } from '@temporalio/client';
import type { PointsLinkRequest } from '../domain/customer.ts';
import type { JobRef } from '../domain/job.ts';
import {
  type EndOfPointsRef,
  jobWorkflow,
  jobWorkflowId,
  pointsEndWorkflow,
  pointsEndWorkflowId,
  pointsLinkWorkflow,
  pointsLinkWorkflowId,
  purchaseWorkflow,
  type SendAgainRequest,
  sendAgainWorkflow,
  sendAgainWorkflowId,
} from '../domain/workflow-names.ts';
import { newId } from '../platform/ids.ts';
import { type PurchaseWorkflowRef, purchaseStartOptions } from './purchase-start.ts';

/** After this, a call is abandoned; what it was about stays pending and is taken up again. */
const patienceMs = 5_000;

export type Messenger = ReturnType<typeof createMessenger>;

/** Starts workflows that somebody asks for. Every call may be repeated. */
export function createMessenger(client: Client, taskQueue: string) {
  return {
    /**
     * Starts a purchase's workflow, unless it is running.
     * @param isStuck whether to terminate a running workflow, which makes no progress, and start another
     */
    async startPurchase(purchase: PurchaseWorkflowRef, isStuck = false): Promise<void> {
      const options = purchaseStartOptions(purchase, taskQueue);
      const policy = isStuck ? 'TERMINATE_EXISTING' : options.workflowIdConflictPolicy;
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(purchaseWorkflow.type, {
          ...options,
          workflowIdConflictPolicy: policy,
        }),
      );
    },

    /** Starts a job's workflow, unless it is running. A job that is finished stays finished. */
    async startJob(job: JobRef): Promise<void> {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(jobWorkflow.type, {
          workflowId: jobWorkflowId(job.jobId),
          taskQueue,
          args: [job],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `job of ${job.partnerId}`,
        }),
      );
    },

    /**
     * Sends a customer the link to their points, unless one for the same reward is already being
     * sent.
     */
    async startPointsLink(request: PointsLinkRequest): Promise<void> {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(pointsLinkWorkflow.type, {
          workflowId: pointsLinkWorkflowId(request.rewardId),
          taskQueue,
          args: [{ id: newId('message'), ...request }],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `link to points, ${request.mode} reward ${request.rewardId}`,
        }),
      );
    },

    /** Gives a TEST customer the next notice that points end, or ends them, unless that is being done already. */
    async startPointsEnd(ref: EndOfPointsRef): Promise<void> {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(pointsEndWorkflow.type, {
          workflowId: pointsEndWorkflowId(ref.customerId),
          taskQueue,
          args: [ref],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `TEST clock, points of ${ref.customerId}`,
        }),
      );
    },

    /** Sends a claim link again, unless that is being done already. */
    async startSendAgain(request: Omit<SendAgainRequest, 'id'>): Promise<void> {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(sendAgainWorkflow.type, {
          workflowId: sendAgainWorkflowId(request.rewardId),
          taskQueue,
          args: [{ id: newId('message'), ...request }],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `claim link again, reward ${request.rewardId}`,
        }),
      );
    },
  };
}
