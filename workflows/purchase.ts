import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PurchaseRef } from '../domain/purchase.ts';
import { type CarriedOver, PurchaseLifecycle } from './purchase-lifecycle.ts';

const isLong = (): boolean => workflowInfo().continueAsNewSuggested;

/**
 * One purchase, one reward, from the purchase to its end (docs/domain.md, Purchases).
 * The purchase is recorded and answered before it begins. What moves the reward is decided by whoever
 * it happens to, on the reward's own document; this carries out what follows. It looks at what is
 * stored, so that a signal only has to wake it, and it closes when nothing is pending.
 * @param carriedOver what the run before this one left to do, if this run continues one
 * @returns the reward's state, for the operator who reads the list of workflows
 */
export async function purchase(ref: PurchaseRef, carriedOver?: CarriedOver): Promise<string> {
  // An operator's cancellation must not leave a reward that nobody watches: only business closes it.
  return await CancellationScope.nonCancellable(async () => {
    const lifecycle = new PurchaseLifecycle(ref, carriedOver);
    await lifecycle.begin();
    await lifecycle.account();
    await lifecycle.finish();
    for (;;) {
      await lifecycle.offer();
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
