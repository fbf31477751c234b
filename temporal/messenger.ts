import { ActivityNotFoundError, type Client } from '@temporalio/client';
import type { JobRef } from '../domain/job.ts';
import type { PointsLinkRequest } from '../domain/points-link.ts';
import type { WalletRef } from '../domain/wallet.ts';
import {
  jobWorkflow,
  jobWorkflowId,
  type PurchaseSignal,
  pointsLinkWorkflow,
  pointsLinkWorkflowId,
  purchaseWorkflow,
  walletWorkflow,
  walletWorkflowId,
} from '../domain/workflow-names.ts';
import { goOnFrom } from '../platform/tracing.ts';
import { type PurchaseHeading, purchaseStartOptions } from './purchase-start.ts';

/** What takes longer is given up; what it was about stays marked, and is taken up again. */
const patienceMs = 5_000;

export type Messenger = ReturnType<typeof createMessenger>;

/** Tells workflows that money moved. A message may arrive twice; each is safe to repeat. */
export function createMessenger(client: Client, taskQueue: string) {
  return {
    /** Lets the wallet's workflow look whether it can fund what waits for it. */
    async wakeWallet(wallet: WalletRef): Promise<void> {
      await client.workflow.signalWithStart(walletWorkflow.type, {
        workflowId: walletWorkflowId(wallet),
        taskQueue,
        args: [wallet],
        signal: walletWorkflow.fundsChanged,
        staticSummary: `${wallet.mode} funding of ${wallet.partnerId}`,
      });
    },

    /**
     * Starts a purchase's workflow, unless it runs.
     * @param isStuck whether one that runs does not go on: it is terminated, and begun anew
     */
    async startPurchase(purchase: PurchaseHeading, isStuck = false): Promise<void> {
      const options = purchaseStartOptions(purchase, taskQueue);
      const policy = isStuck ? 'TERMINATE_EXISTING' : options.workflowIdConflictPolicy;
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(purchaseWorkflow.type, {
          ...options,
          workflowIdConflictPolicy: policy,
        }),
      );
    },

    /** Starts a job's workflow, unless it runs. Once more it does no harm: a job that is over stays so. */
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

    /** Has a customer sent the link to their points; where one is on its way for that reward, that is it. */
    async startPointsLink(request: PointsLinkRequest): Promise<void> {
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.start(pointsLinkWorkflow.type, {
          workflowId: pointsLinkWorkflowId(request.rewardId),
          taskQueue,
          args: [request],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `link to points, ${request.mode} reward ${request.rewardId}`,
        }),
      );
    },

    /** Tells a purchase's workflow what happened to its reward, and starts it where it does not run. */
    async signalPurchase(purchase: PurchaseHeading, signal: PurchaseSignal): Promise<void> {
      await goOnFrom(purchase.traceparent, () =>
        client.withDeadline(Date.now() + patienceMs, () =>
          client.workflow.signalWithStart(purchaseWorkflow.type, {
            ...purchaseStartOptions(purchase, taskQueue),
            signal,
            signalArgs: [],
          }),
        ),
      );
    },

    /**
     * Completes the activity by which a review is before the operators.
     * @returns false where none waits for it: it is over, or being put before them again
     */
    async completeReview(workflowId: string, reviewId: string): Promise<boolean> {
      try {
        await client.withDeadline(Date.now() + patienceMs, () =>
          client.activity.complete({ workflowId, activityId: reviewId }, undefined),
        );
        return true;
      } catch (error) {
        if (error instanceof ActivityNotFoundError) return false;
        throw error;
      }
    },
  };
}
