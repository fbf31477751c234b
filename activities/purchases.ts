import { mailPatienceMs } from '../domain/messages.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import { isClaimLinkDue, type RewardSnapshot, waitingFor } from '../domain/reward.ts';
import { createEventLoader } from '../models/store/loaders.ts';
import { type AccountingResult, createAccountReward } from './accounting.ts';
import { createCarryOut } from './carry-out.ts';
import { createRewardCreator } from './create-reward.ts';
import type { ActivityDeps } from './deps.ts';
import { createCustomerMessages } from './messages.ts';

/** The input of a step of a purchase's workflow, in addition to the purchase. */
export interface StepInput {
  /** ISO 8601, workflow time. */
  at: string;
  /** ISO 8601, the end of the claim window for which the claim link was sent or is being sent. */
  offeredUntil: string | null;
}

/** What a step of a purchase's workflow did. */
export interface StepResult {
  /** The reward afterwards. */
  reward: RewardSnapshot;
  /** Whether the claim link is still to be sent; null if it was not due. */
  isUnsent: boolean | null;
}

/** What to email the partner about funding. */
export type FundingNotice = Pick<AccountingResult, 'missingCents' | 'lowBalanceCents'>;

export interface BegunPurchase extends StepResult {
  fundingNotice: FundingNotice | null;
}

/** What the steps of a purchase's workflow consist of. */
export function createPurchaseParts(deps: ActivityDeps) {
  const events = createEventLoader(deps.models);
  return {
    now: deps.now,
    createReward: createRewardCreator(deps, events),
    accountReward: createAccountReward(deps),
    carryOutPending: createCarryOut(deps),
    customerMessages: createCustomerMessages(deps, events),
  };
}

export type PurchaseParts = ReturnType<typeof createPurchaseParts>;

/**
 * The steps of a purchase's workflow. Each does everything that is to be done at its time: an
 * activity costs the worker more than what it does (docs/decisions/005). Safe to repeat.
 */
export function purchaseActivities({
  now,
  createReward,
  accountReward,
  carryOutPending,
  customerMessages,
}: PurchaseParts) {
  return {
    /**
     * Creates the reward, reserves its money or puts it into its wallet's queue, and sends the
     * claim link. If a refund is already pending, the link has to wait for it.
     */
    async beginPurchase(ref: PurchaseRef, input: StepInput): Promise<BegunPurchase> {
      const created = await createReward(ref);
      const waits = waitingFor(created);
      if (waits !== 'CUSTOMER' && waits !== 'FUNDS') {
        return { reward: created, isUnsent: null, fundingNotice: null };
      }
      const accounted = await accountReward(created, input.at);
      const isPending = created.isPending || accounted.reward.isPending;
      const reward = { ...accounted.reward, isPending };
      const isUnsent = isPending ? null : await offer(reward, input);
      return { reward, isUnsent, fundingNotice: noticeOf(accounted, input.at) };
    },

    /** Carries out everything pending, and sends the claim link if it is due now. */
    async carryOut(ref: PurchaseRef, input: StepInput): Promise<StepResult> {
      const reward = await carryOutPending(ref, input.at);
      return { reward, isUnsent: await offer(reward, input) };
    },
  };

  /**
   * Attempted briefly: a slow or unavailable mail server costs little here. A step that was retried
   * for long may come after the claim window.
   */
  async function offer(
    reward: RewardSnapshot,
    { at, offeredUntil }: StepInput,
  ): Promise<boolean | null> {
    if (!isClaimLinkDue(reward, offeredUntil, Math.max(Date.parse(at), now()))) return null;
    return await customerMessages.tryClaimLink(reward);
  }
}

/** Null if there is nothing to notify the partner of, or that was decided long ago. */
function noticeOf(
  { missingCents, lowBalanceCents, decidedAt }: AccountingResult,
  at: string,
): FundingNotice | null {
  if (missingCents === null && lowBalanceCents === null) return null;
  const isTooOld = Date.parse(at) - Date.parse(decidedAt) > mailPatienceMs;
  return isTooOld ? null : { missingCents, lowBalanceCents };
}
