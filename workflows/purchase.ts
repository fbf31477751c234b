import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PurchaseRef } from '../domain/purchase.ts';
import { type CarriedOver, PurchaseLifecycle } from './purchase-lifecycle.ts';

const isLong = (): boolean => workflowInfo().continueAsNewSuggested;

/**
 * Drives the reward of one purchase to its end (docs/domain.md, Purchases). The purchase was
 * recorded and answered before. Every move is decided by a write of the reward's document; the
 * workflow carries out what follows. It reads what is stored, so that signals only have to wake it,
 * and closes when nothing is pending.
 * @param carriedOver what the previous run left to do, if this run continues one
 * @returns the reward's status, for operators who read the list of workflows
 */
export async function purchase(ref: PurchaseRef, carriedOver?: CarriedOver): Promise<string> {
  // Cancelling the workflow must not leave a reward unattended: it only closes when its work is
  // done.
  return await CancellationScope.nonCancellable(async () => {
    const lifecycle = new PurchaseLifecycle(ref, carriedOver);
    await lifecycle.begin();
    await lifecycle.finish();
    for (;;) {
      await lifecycle.askOperators();
      await lifecycle.endSteps();
      if (lifecycle.isOver) {
        await lifecycle.endMails();
        if (lifecycle.isOver) return lifecycle.status;
      } else if (isLong() && !lifecycle.isWoken && !lifecycle.isNotifyingTakenBack) {
        await continueAsNew<typeof purchase>(ref, lifecycle.carriedOver);
      } else {
        await lifecycle.awaitNext();
      }
      await lifecycle.lookIfWoken();
    }
  });
}
