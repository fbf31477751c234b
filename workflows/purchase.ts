import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { StepResult } from '../activities/purchases.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import {
  isCorrectionDue,
  isHeldAt,
  isHoldNoticeDue,
  type RewardSnapshot,
  reminderAtMs,
  statusOf,
  waitingFor,
} from '../domain/reward.ts';
import { rewardStatusKey, stateQuery, wakingSignals } from './messages.ts';
import { messages, operators, step } from './purchase-steps.ts';

/** What a run has told, which the run that continues it must not tell again. */
export interface Told {
  /** ISO 8601, the end of the claim window in the claim link that was sent. */
  offeredUntil: string | null;
  isPartnerNotified: boolean;
  isCorrectionTold: boolean;
  /** ISO 8601, when the reward on hold was funded or corrected that the customer was told of; absent without one. */
  holdToldOf?: string;
}

/**
 * Drives the reward of one purchase to its end (docs/concepts/how-it-works.md, Purchases). What happens to the reward
 * is written by whoever decides it: the workflow begins it, waits, looks at what is stored when it is
 * woken, ends the claim window, has operators decide reviews, and tells people. It closes when the reward
 * is final and everybody is told.
 * @param told by the run that this one continues
 * @returns the reward's status, for operators who read the list of workflows
 */
export async function purchase(ref: PurchaseRef, told?: Told): Promise<string> {
  // Cancelling the workflow must not leave a reward unattended.
  return await CancellationScope.nonCancellable(() => drive(ref, told));
}

async function drive(ref: PurchaseRef, before?: Told): Promise<string> {
  const told: Told = before ?? {
    offeredUntil: null,
    isPartnerNotified: false,
    isCorrectionTold: false,
  };
  let reward: RewardSnapshot | undefined;
  let isWoken = false;
  let sending = 0;
  let reminded: string | undefined;
  let asked: string | undefined;
  let takenBack: string | undefined;

  for (const [signal, description] of Object.entries(wakingSignals)) {
    const wake = () => {
      isWoken = true;
    };
    setHandler(defineSignal(signal), wake, { description });
  }
  setHandler(stateQuery, () => ({ reward: reward ?? null, waitingFor: waitOf(reward) }));

  let now = await take(step('create the reward, reserve its money, send the claim link').begin);
  for (;;) {
    if (waitingFor(now.state) === 'OPERATOR') ask(now);
    if (waitingFor(now.state) === 'NOBODY') {
      await condition(() => isWoken || sending === 0);
      if (!isWoken) return statusOf(now.state);
    } else if (workflowInfo().continueAsNewSuggested && sending === 0) {
      await continueAsNew<typeof purchase>(ref, told);
    }
    if (!isWoken) await wait(now);
    now = await take(step('look at what is stored, end the claim window if it is over').look);
  }

  /** Takes a step, and tells whoever has to know what it found. */
  async function take(
    run: (
      ref: PurchaseRef,
      input: { at: string; offeredUntil: string | null },
    ) => Promise<StepResult>,
  ): Promise<RewardSnapshot> {
    const at = new Date(Date.now()).toISOString();
    const { reward: next, offer } = await run(ref, { at, offeredUntil: told.offeredUntil });
    // What arrived during the step is forgotten: its cause is still due, so it is told again. A
    // replay may see it before the step (docs/decisions/005).
    isWoken = false;
    show(next, reward && statusOf(reward.state));
    reward = next;
    if (offer !== null) told.offeredUntil = next.claimExpiresAt;
    if (offer === 'UNSENT') send('send the claim link', (to) => to.sendClaimLink(next));
    if (next.fundingNotice !== null && !told.isPartnerNotified) {
      told.isPartnerNotified = true;
      send('tell the partner about its funds', (to) => to.mailPartner(next));
    }
    if (isHoldNoticeDue(next, told.holdToldOf, Date.parse(at))) {
      told.holdToldOf = next.fundedAt ?? at;
      send('tell the customer when the points can be claimed', (to) => to.sendOnHold(next));
    }
    if (isCorrectionDue(next, told.isCorrectionTold, Date.parse(at))) {
      told.isCorrectionTold = true;
      send('tell the contact that was wrong', (to) => to.sendCorrected(next));
    }
    const { review, takenBackPoints } = next;
    if (review !== null && takenBackPoints && takenBack !== review.reviewId) {
      takenBack = review.reviewId;
      send('tell the customer that points were taken back', (to) => to.sendTakenBack(next));
    }
    return next;
  }

  /** Sends a message concurrently; nothing follows it but the end of the workflow. */
  function send(
    summary: string,
    message: (to: ReturnType<typeof messages>) => Promise<unknown>,
  ): void {
    sending += 1;
    message(messages(summary))
      .catch((error: unknown) => log.warn(`could not ${summary}`, { reason: String(error) }))
      .finally(() => {
        sending -= 1;
      });
  }

  /** Has operators decide the review, once for each. A decision, or a failure, wakes the workflow. */
  function ask(reviewed: RewardSnapshot): void {
    const { review } = reviewed;
    if (review === null || review.policy !== undefined || asked === review.reviewId) return;
    asked = review.reviewId;
    operators(review)
      .adminReview(reviewed, review)
      .catch((error: unknown) => {
        asked = undefined;
        log.warn('the review failed; it is requested again', { reason: String(error) });
      })
      .finally(() => {
        isWoken = true;
      });
  }

  /** Waits for a signal, or for the end of the hold or of the claim window, with a reminder before that. */
  async function wait(waiting: RewardSnapshot): Promise<void> {
    const { claimExpiresAt, claimableFrom = '' } = waiting;
    if (waitingFor(waiting.state) === 'OPERATOR') {
      const { policy } = waiting.review ?? {};
      if (policy === undefined) await condition(() => isWoken);
      else await isWokenBefore(Date.parse(policy.upholdsAt), policyWords(policy));
      return;
    }
    if (isHeldAt(waiting, Date.now())) {
      await isWokenBefore(
        Date.parse(claimableFrom),
        `on hold: the customer can claim from ${claimableFrom}`,
      );
      return;
    }
    const remindAtMs = reminderAtMs(waiting) ?? 0;
    if (remindAtMs > workflowInfo().runStartTime.getTime() && reminded !== claimExpiresAt) {
      if (await isWokenBefore(remindAtMs, `reminder before ${claimExpiresAt}`)) return;
      reminded = claimExpiresAt;
      send('remind the customer', (to) => to.sendReminder(waiting));
    }
    await isWokenBefore(
      Date.parse(claimExpiresAt),
      `the customer can claim until ${claimExpiresAt}`,
    );
  }

  async function isWokenBefore(atMs: number, summary: string): Promise<boolean> {
    const waitMs = Math.max(1, atMs - Date.now());
    await condition(() => isWoken, waitMs, { summary });
    // If a signal and the timer come together, the signal wins, whichever ended the wait.
    return isWoken;
  }
}

const policyWords = ({ upholdsAt }: { upholdsAt: string }): string =>
  `the refund policy, which takes the points back at ${upholdsAt}`;

function show(reward: RewardSnapshot, before: string | undefined): void {
  const { rewardId, mode, points, externalOrderId, state } = reward;
  const status = statusOf(state);
  const shown = before ?? workflowInfo().typedSearchAttributes.get(rewardStatusKey);
  if (status !== shown) upsertSearchAttributes([{ key: rewardStatusKey, value: status }]);
  const order = externalOrderId.replace(/[`\r\n]/g, ' ');
  setCurrentDetails(
    `**${status}** · ${mode} · ${points} points · ${rewardId} · order \`${order}\`\n\nWaiting for ${waitOf(reward)}.`,
  );
}

/** What the reward waits for, for operators. */
function waitOf(reward: RewardSnapshot | undefined): string {
  if (reward === undefined) return 'the reward to be created and funded';
  switch (waitingFor(reward.state)) {
    case 'CUSTOMER':
      if (isHeldAt(reward, Date.now())) return `the end of its hold, ${reward.claimableFrom}`;
      return `the customer's claim, until ${reward.claimExpiresAt}`;
    case 'FUNDS':
      return 'the partner to top up';
    case 'OPERATOR': {
      const { policy } = reward.review ?? {};
      return policy === undefined ? "an operator's decision" : policyWords(policy);
    }
    case 'NOBODY':
      return 'nothing';
  }
}
