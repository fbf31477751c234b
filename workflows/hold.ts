import { CancellationScope, sleep } from '@temporalio/workflow';
import type { RedemptionRef } from '../domain/redemption.ts';
import { step } from './purchase-steps.ts';

/**
 * Ends a hold when its time is over (docs/concepts/rewards.md, Redemptions). Capturing or releasing it before is
 * written by whoever does it, and need not be told here: then nothing is left to end.
 * @returns the redemption's status, for operators who read the list of workflows
 */
export async function hold(ref: RedemptionRef): Promise<string> {
  return await CancellationScope.nonCancellable(async () => {
    const { expiresAt } = await step('look at the hold').beginHold(ref);
    const waitMs = Date.parse(expiresAt) - Date.now();
    if (waitMs > 0) await sleep(waitMs, { summary: `the points are held until ${expiresAt}` });
    const at = new Date(Date.now()).toISOString();
    return await step('give back what is still held').endHold(ref, at);
  });
}
