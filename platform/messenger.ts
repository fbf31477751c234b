import type { Client } from '@temporalio/client';
import type { WalletRef } from '../domain/events.ts';
import { purchaseWorkflow, walletWorkflow, walletWorkflowId } from '../domain/workflow-names.ts';

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

    /** Tells a purchase workflow that its reward was funded, and starts it where it does not run. */
    async signalFunded(purchase: {
      workflowId: string;
      partnerId: string;
      purchaseEventId: string;
    }): Promise<void> {
      const { workflowId, partnerId, purchaseEventId } = purchase;
      await client.workflow.signalWithStart(purchaseWorkflow.type, {
        workflowId,
        taskQueue,
        args: [{ kind: 'RESUME', partnerId, purchaseEventId }],
        signal: purchaseWorkflow.rewardFunded,
        signalArgs: [],
      });
    },
  };
}
