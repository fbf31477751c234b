import type { Client } from '@temporalio/client';
import type { JobRef, WalletRef } from '../domain/events.ts';
import {
  jobWorkflow,
  jobWorkflowId,
  purchaseWorkflow,
  walletWorkflow,
  walletWorkflowId,
} from '../domain/workflow-names.ts';
import { type PurchaseHeading, purchaseStartOptions } from './purchase-start.ts';

/** A start that takes longer is given up; the purchase stays marked, and is started again. */
const startPatienceMs = 5_000;

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

    /** Starts a purchase's workflow, unless it runs. */
    async startPurchase(purchase: PurchaseHeading): Promise<void> {
      await client.withDeadline(Date.now() + startPatienceMs, () =>
        client.workflow.start(purchaseWorkflow.type, purchaseStartOptions(purchase, taskQueue)),
      );
    },

    /** Starts a job's workflow, unless it runs. Once more it does no harm: a job that is over stays so. */
    async startJob(job: JobRef): Promise<void> {
      await client.withDeadline(Date.now() + startPatienceMs, () =>
        client.workflow.start(jobWorkflow.type, {
          workflowId: jobWorkflowId(job.jobId),
          taskQueue,
          args: [job],
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `job of ${job.partnerId}`,
        }),
      );
    },

    /** Tells a purchase workflow that its reward was funded, and starts it where it does not run. */
    async signalFunded(purchase: PurchaseHeading): Promise<void> {
      await client.workflow.signalWithStart(purchaseWorkflow.type, {
        ...purchaseStartOptions(purchase, taskQueue),
        signal: purchaseWorkflow.rewardFunded,
        signalArgs: [],
      });
    },
  };
}
