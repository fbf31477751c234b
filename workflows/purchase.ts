import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PurchaseRef } from '../domain/purchase.ts';
import { PurchaseStory, type Untold } from './purchase-story.ts';

const isLong = (): boolean => workflowInfo().continueAsNewSuggested;

/**
 * One purchase, one reward, from the purchase to its end (docs/domain.md, Purchases).
 * The purchase is recorded and answered before it begins. What moves the reward is decided by whoever
 * it happens to, on the reward's own document; this carries out what follows. It looks at what is
 * stored, so that a signal only has to wake it, and it closes when nothing is pending.
 * @param untold what the run before this one had not told anybody yet, where there was one
 * @returns how the reward stands, for the operator who reads the list
 */
export async function purchase(ref: PurchaseRef, untold?: Untold): Promise<string> {
  // An operator's cancellation must not leave a reward that nobody watches: only business closes it.
  return await CancellationScope.nonCancellable(async () => {
    const story = new PurchaseStory(ref, untold);
    await story.begin();
    await story.account();
    for (;;) {
      await story.carryOut();
      await story.offer();
      if (story.isOver) {
        await story.endMails();
        if (story.isOver) return story.status;
      } else if (isLong() && !story.isWoken && !story.isTellingTakenBack) {
        await continueAsNew<typeof purchase>(ref, story.untold);
      } else {
        await story.awaitNext();
      }
    }
  });
}
