import { countOn, earningDayOf } from './customer-days.ts';
import type { Draft, Wallet } from './draft.ts';
import { due } from './due.ts';
import { claimExpiry } from './earning-rules.ts';
import type { Language } from './languages.ts';
import { balancesFor } from './points-end.ts';
import {
  accounts,
  claimPostings,
  isUnlimited,
  type Payer,
  type Posting,
  payerOf,
  releasePostings,
  reservationPostings,
  settlementPostings,
  topUpPostings,
  uphold,
  type WalletRef,
} from './postings.ts';
import { maxPassed, missingCentsOf, passedIn, withoutPassed } from './queue.ts';
import type { PolicyRef } from './refund-policy.ts';
import { leftCentsOf, lossOf, type RefundedPart, worthAfter } from './refunds.ts';
import { renewEnd, totalOf } from './renew-end.ts';
import type { ReviewRef } from './review.ts';
import {
  applyMove,
  type Cancellation,
  canMove,
  claimedStates,
  entryNameOf,
  isCorrectable,
  isMature,
  isOnHold,
  isReinstatable,
  type Loss,
  type MadeMove,
  type PurchaseSignal,
  purchaseSignals,
  type Reward,
  type RewardMove,
  unclaimedStates,
  type Worth,
  windowStart,
} from './reward.ts';
import { waitingIn } from './reward-totals.ts';
import {
  announcementsOfMove,
  fundingAnnouncements,
  usageAnnouncements,
} from './reward-webhooks.ts';
import { giveBackBudget, spendBudget } from './rule-budgets.ts';
import { countUsage, giveBackUsage, type MeteredSubscription } from './usage-periods.ts';
import { withoutReward } from './webhooks.ts';

/**
 * The facts that change a reward or money, each decided on a draft, which then holds all that the fact
 * means (docs/concepts/how-it-works.md, One fact, one commit). Nothing here knows a clock or a database.
 */

/** What facts are decided with, besides the draft. */
export interface Terms {
  at: Date;
  /** The LIVE funding below which the partner is told, in cents. */
  lowBalanceThresholdCents: number;
  /** In force at `at`; null for none. */
  subscription: MeteredSubscription | null;
  /** The W3C `traceparent` of the span that caused the fact, if it is recorded. */
  traceparent?: string | undefined;
}

/** The references of entries, unique within a wallet. */
export const references = {
  topUp: (externalReference: string) => `topUp:${externalReference}`,
  withdrawal: (externalReference: string) => `withdraw:${externalReference}`,
  correction: (externalReference: string) => `correct:${externalReference}`,
  invoice: (invoiceId: string) => `invoice:${invoiceId}`,
  payment: (invoiceId: string, reference: string) => `payment:${invoiceId}:${reference}`,
  reversal: (invoiceId: string, reference: string) => `reversal:${invoiceId}:${reference}`,
  creditNote: (invoiceId: string) => `creditNote:${invoiceId}`,
  reserve: (rewardId: string) => `reserve:${rewardId}`,
  release: (rewardId: string) => `release:${rewardId}`,
  claim: (rewardId: string) => `claim:${rewardId}`,
  clawback: (rewardId: string) => `clawback:${rewardId}`,
  end: (customerId: string, endsAt: Date) => `end:${customerId}:${endsAt.toISOString()}`,
  /** @param gain the reference of the entry by which the customer gained */
  settlement: (gain: string) => `settle:${gain}`,
  /** @param place the number of the reward's move */
  reduction: (rewardId: string, place: number) => `reduce:${rewardId}:${place}`,
};

/**
 * The reward that a fact is about. If its purchase has not begun, it begins here.
 * @throws Error if no purchase makes this reward, or if the commit has not read it
 */
export function begun(draft: Draft, rewardId: string, terms: Terms): Reward {
  const known = draft.rewards.get(rewardId);
  if (known) return known;
  const made = draft.made.get(rewardId);
  if (made === undefined) throw new Error(`there is no ${rewardId}`);
  return begin(draft, made, terms);
}

/**
 * A purchase begins: its reward gets its money, or joins the queue of its wallet. One that has begun
 * stays as it is.
 * @param made the reward, as its purchase makes it
 */
export function begin(draft: Draft, made: Reward, terms: Terms): Reward {
  const known = draft.rewards.get(made._id);
  if (known) return known;
  return fundOrQueue(draft, made, terms);
}

/**
 * A reward gets its money, or waits for it. It waits only behind rewards that wait, do not let it pass, and whose
 * purchases came before its own, whichever of them begins first.
 */
function fundOrQueue(draft: Draft, reward: Reward, terms: Terms): Reward {
  const { wallet, queue } = draft;
  if (wallet !== null && canPay(wallet, reward) && !isBehind(draft, wallet, reward)) {
    return fund(draft, reward, terms);
  }
  const place = queue.findIndex((id) => id > reward._id);
  // Behind the part of the queue that was read, others may be before it.
  if (place >= 0) draft.queue = queue.toSpliced(place, 0, reward._id);
  return runShort(draft, reward, terms);
}

/** Whether a reward waits that came before this one and holds the queue: ids are in the order of purchases. */
function isBehind({ rewards }: Draft, wallet: Wallet, { _id }: Reward): boolean {
  const passed = passedIn(wallet);
  if (waitingIn(wallet) === passed.length) return false;
  const others = rewards
    .values()
    .filter((one) => one.state === 'AWAITING_FUNDING' && !passed.includes(one._id));
  // All that were read may have been funded meanwhile, while more of them wait.
  return others.length === 0 || others.some((other) => other._id < _id);
}

const canPay = (wallet: Wallet, { liabilityCents }: Reward): boolean =>
  isUnlimited(wallet) || fundingIn(wallet) >= liabilityCents;

export const payerIn = ({ wallet }: Draft): Payer =>
  wallet && isUnlimited(wallet) ? accounts.cash : accounts.funding;

const fundingIn = ({ balances }: Wallet): number => balances[accounts.funding] ?? 0;

function fund(draft: Draft, reward: Reward, terms: Terms): Reward {
  const { mode } = reward;
  const payer = payerIn(draft);
  const [beforeCents, afterCents] = postEntry(draft, reward, terms, {
    kind: 'RESERVE',
    reference: references.reserve(entryNameOf(reward)),
    postings: reservationPostings(payer, reward),
  });
  const { lowBalanceThresholdCents: thresholdCents } = terms;
  const isCrossed = beforeCents >= thresholdCents && afterCents < thresholdCents;
  const lowBalanceCents = mode === 'LIVE' && isCrossed ? afterCents : null;
  const counted =
    mode === 'LIVE' ? countUsage(draft, reward, terms.subscription, terms.at) : undefined;
  draft.announce(...usageAnnouncements(reward, counted?.metered ?? null, terms.at));
  return move(draft, reward, terms, {
    move: 'FUND',
    ...(payer === accounts.cash && { payer }),
    also: {
      countedIn: counted?.countedIn ?? null,
      fundingNotice: lowBalanceCents === null ? null : { missingCents: null, lowBalanceCents },
    },
  });
}

function runShort(draft: Draft, reward: Reward, terms: Terms): Reward {
  const { wallet } = draft;
  if (wallet === null) throw new Error(`${reward.partnerId} has no wallet`);
  const missingCents = missingCentsOf({
    availableCents: fundingIn(wallet),
    waitingCents: reward.liabilityCents,
  });
  const isFirst = waitingIn(wallet) === passedIn(wallet).length;
  return move(draft, reward, terms, {
    move: 'RUN_SHORT',
    also: { fundingNotice: isFirst ? { missingCents, lowBalanceCents: null } : null },
  });
}

/**
 * Funds the rewards that wait for a wallet, in the order of their purchases, as far as its money and
 * the part of the queue that was read go; those that let the others pass hold nobody. Each gets a new claim window, since it could not be claimed
 * before. If the next in the queue could be funded, that is due on the wallet.
 */
export function fundWaiting(draft: Draft, terms: Terms): void {
  let { wallet } = draft;
  for (const rewardId of draft.queue) {
    const reward = draft.rewards.get(rewardId);
    if (reward?.state !== 'AWAITING_FUNDING') continue;
    if (wallet === null) return;
    if (!canPay(wallet, reward)) {
      if (passedIn(wallet).includes(rewardId)) continue;
      return;
    }
    draft.wallet = withoutPassed(wallet, rewardId);
    const claimExpiresAt = windowEndOf(reward, terms);
    wake(draft, fund(draft, { ...reward, claimExpiresAt }, terms), terms, purchaseSignals.FUND);
    ({ wallet } = draft);
  }
  if (wallet === null) return;
  const offered = passedIn(wallet).filter((id) => draft.queue.includes(id));
  if (waitingIn(wallet) > offered.length) {
    draft.wallet = { ...wallet, due: due('FUND', terms.at) };
  }
}

/**
 * A waiting reward lets the others pass: they are funded as if it did not wait, until it is funded itself. It keeps
 * its place, in which money that arrives is offered to it first. One that does not wait stays as it is.
 * @returns whether it lets them pass
 */
export function letPass(draft: Draft, { _id, state }: Reward, terms: Terms): boolean {
  const { wallet } = draft;
  if (wallet === null || state !== 'AWAITING_FUNDING') return false;
  const passed = passedIn(wallet);
  if (passed.includes(_id)) return true;
  if (passed.length >= maxPassed) return false;
  draft.wallet = { ...wallet, passed: [...passed, _id] };
  fundWaiting(draft, terms);
  return true;
}

/** What is due on a wallet: the next rewards in its queue are funded. */
export function fundNext(draft: Draft, terms: Terms): void {
  if (draft.wallet !== null) draft.wallet = { ...draft.wallet, due: null };
  fundWaiting(draft, terms);
}

/** The end of a claim window that begins now, or when the hold of the reward is over. */
const windowEndOf = (reward: Reward, { at }: Terms): Date =>
  new Date(claimExpiry(windowStart(reward, at).toISOString(), reward.claimWindow));

/**
 * The hold of an unclaimed reward is over: the customer can claim it, if it is funded. If it ends early, the claim
 * window begins now. One that has no hold, or whose hold has ended, stays as it is.
 * @param isEndedEarly by the partner, an operator or the TEST clock; the caller decides whether that is allowed
 */
export function mature(draft: Draft, reward: Reward, terms: Terms, isEndedEarly = false): Reward {
  if (!canMove(reward.state, 'MATURE')) return reward;
  const isEarly = isEndedEarly && isOnHold(reward, terms.at);
  if (!isEarly && !isMature(reward, terms.at)) return reward;
  const claimableFrom = terms.at;
  const also = isEarly
    ? { claimableFrom, claimExpiresAt: windowEndOf({ ...reward, claimableFrom }, terms) }
    : {};
  const matured = move(draft, reward, terms, { move: 'MATURE', also });
  return wake(draft, matured, terms, purchaseSignals.MATURE);
}

/**
 * The customer claims the reward, if it is funded, not on hold, and its window is open.
 * @returns the reward afterwards; its state says whether it is claimed
 */
export function claim(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  language: Language | undefined,
): Reward {
  if (!canMove(reward.state, 'CLAIM') || reward.claimExpiresAt <= terms.at) return reward;
  if (isOnHold(reward, terms.at)) return reward;
  const heldBefore = totalOf(draft, reward.customerId);
  postEntry(draft, reward, terms, {
    kind: 'CLAIM',
    reference: references.claim(entryNameOf(reward)),
    postings: claimPostings(reward),
  });
  if (reward.points > 0) renewEnd(draft, reward.customerId, terms, heldBefore);
  const claimed = move(draft, reward, terms, {
    move: 'CLAIM',
    also: language === undefined ? {} : { claimLanguage: language },
  });
  const told = wake(draft, claimed, terms, purchaseSignals.CLAIM);
  settle(draft, reward, terms, references.claim(entryNameOf(reward)));
  return told;
}

/**
 * The claim window of an unclaimed reward ends. A reward that was funded meanwhile has a later window,
 * and stays as it is.
 * @param isEndedEarly by the TEST clock; the caller decides whether that is allowed
 */
export function expire(draft: Draft, reward: Reward, terms: Terms, isEndedEarly = false): Reward {
  const isOver = isEndedEarly || reward.claimExpiresAt <= terms.at;
  if (!canMove(reward.state, 'EXPIRE') || !isOver) return reward;
  return giveUp(draft, reward, terms, { move: 'EXPIRE' });
}

/** An operator cancels an unclaimed reward. One that is not unclaimed stays as it is. */
export function cancel(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  cancellation: Cancellation,
): Reward {
  if (!canMove(reward.state, 'CANCEL')) return reward;
  return giveUp(draft, reward, terms, { move: 'CANCEL', also: { cancellation } });
}

export interface Refund {
  refundEventId: string;
  /** Opened if the reward was claimed and has none. */
  review: ReviewRef;
  /** Absent for all that is left. */
  part?: RefundedPart | undefined;
}

/**
 * An operator takes back a refund that was a mistake: it and those after it are as if they had not been. The
 * reward can be claimed again, with its money reserved anew, or waits for it in its old place in the queue.
 * One that cannot be reinstated stays as it is.
 */
export function reinstate(draft: Draft, reward: Reward, terms: Terms): Reward {
  if (!isReinstatable(reward, terms.at)) return reward;
  countOn(draft, earningDayOf(reward), reward.points);
  spendBudget(draft, reward, terms.at);
  const { refundedCents } = reward.arithmetic;
  const back = move(draft, reward, terms, { move: 'REINSTATE', also: { refundedCents } });
  return wake(draft, fundOrQueue(draft, back, terms), terms, purchaseSignals.REINSTATE);
}

/** Whom a reward is for, and the claim link that they get. */
export interface NewContact extends Pick<Reward, 'customerId' | 'claimTokenHash'> {
  /** `SealedContact` as JSON, sealed. */
  sealedContact: string;
}

/**
 * The contact of an unclaimed reward was wrong: the reward is another customer's, with a new claim window, since
 * that customer could not claim before. Its points stay what they are. One that cannot be corrected stays as
 * it is.
 */
export function correctContact(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  { customerId, claimTokenHash, sealedContact }: NewContact,
): Reward {
  if (!isCorrectable(reward, terms.at)) return reward;
  countOn(draft, earningDayOf(reward), -reward.points);
  countOn(draft, earningDayOf({ ...reward, customerId }), reward.points);
  const { customerId: fromCustomerId } = reward;
  const at = terms.at.toISOString();
  const corrected = move(draft, reward, terms, {
    move: 'CORRECT',
    also: {
      customerId,
      claimTokenHash,
      claimExpiresAt: windowEndOf(reward, terms),
      correction: { correctedAt: at, fromCustomerId, sealedContact },
    },
  });
  return wake(draft, corrected, terms, purchaseSignals.CORRECT);
}

/**
 * The partner reports a refund: an unclaimed reward is reduced, or cancelled if nothing remains; a claimed
 * one goes to review, or its open review is about more; and any other only records it.
 * @throws RangeError for more than is left of the order
 */
export function refund(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  { refundEventId, review, part }: Refund,
): Reward {
  const leftCents = leftCentsOf(reward);
  const amountCents = part?.amountCents ?? leftCents;
  if (amountCents > leftCents) throw new RangeError(`${leftCents} is left of the order`);
  const refundedCents = reward.refundedCents + amountCents;
  const remaining = part ? worthAfter(reward, part.rule, refundedCents) : null;
  const request = { refundEventId, amountCents, also: { refundedCents } };
  if (unclaimedStates.includes(reward.state)) {
    if (remaining !== null) return reduce(draft, reward, terms, request, remaining);
    giveBackCaps(draft, reward);
    return giveUp(draft, reward, terms, { ...request, move: 'REFUND' });
  }
  if (!claimedStates.includes(reward.state)) {
    return move(draft, reward, terms, { ...request, move: 'REFUND' });
  }
  const also = { refundedCents, afterReview: remaining };
  if (reward.state === 'IN_REVIEW') {
    return move(draft, reward, terms, { ...request, move: 'REFUND', also });
  }
  const { reviewId } = review;
  const opened = { ...request, reviewId, also: { ...also, review } };
  const reviewed = move(draft, reward, terms, { ...opened, move: 'REFUND' });
  return wake(draft, reviewed, terms, purchaseSignals.REFUND);
}

/** Takes from an unclaimed reward what it loses: its money and usage go back. */
function reduce(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  { also, ...request }: Omit<RequestedMove, 'move'>,
  remaining: Worth,
): Reward {
  const lost = lossOf(reward, remaining);
  if (reward.state === 'FUNDED') {
    postEntry(draft, reward, terms, {
      kind: 'RELEASE',
      reference: references.reduction(reward._id, reward.version + 1),
      postings: releasePostings(payerOf(reward), { ...reward, ...lost }),
    });
  }
  giveBackUsage(draft, { ...reward, ...lost });
  giveBackCaps(draft, { ...reward, ...lost });
  const changes = { ...also, ...remaining };
  const reduced = move(draft, reward, terms, { ...request, move: 'REDUCE', lost, also: changes });
  wake(draft, reduced, terms, purchaseSignals.REDUCE);
  fundWaiting(draft, terms);
  return draft.rewards.get(reduced._id) ?? reduced;
}

/**
 * An operator decides a review. If it is upheld and something remains, the reward loses the difference
 * alone; if it is dismissed, its refunds are as if they had not been.
 */
export function recordDecision(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  {
    reviewId,
    verdict,
    policyId,
  }: { reviewId: string; verdict: 'UPHOLD' | 'DISMISS'; policyId?: string },
): Reward {
  const after =
    verdict === 'DISMISS'
      ? move(draft, reward, terms, {
          move: 'DISMISS',
          reviewId,
          also: { refundedCents: reward.arithmetic.refundedCents, afterReview: null },
        })
      : takeBack(draft, reward, terms, { reviewId, ...(policyId !== undefined && { policyId }) });
  return wake(draft, after, terms, purchaseSignals[verdict]);
}

/**
 * The refund of a claimed reward that is in review is left to a policy: it takes the points back once operators
 * had time to decide otherwise.
 */
export function leaveToPolicy(
  draft: Draft,
  reward: Reward,
  { policyId, upholdsAt }: Pick<PolicyRef, 'policyId' | 'upholdsAt'>,
): Reward {
  const { review } = reward;
  if (review === null) throw new Error(`${reward._id} is not in review`);
  const policy = { policyId, upholdsAt: upholdsAt.toISOString() };
  const left = { ...reward, review: { ...review, policy } };
  draft.setReward(left);
  return left;
}

/** The refund of a reward that was left to a policy is put to operators. */
export function putToOperators(draft: Draft, reward: Reward): Reward {
  const { policy: _, ...review } = reward.review ?? { reviewId: '', openedAt: '', dueMs: 0 };
  const put = { ...reward, review };
  draft.setReward(put);
  return put;
}

/**
 * A policy takes back what it upheld, if its time has come and the customer still has all of it; it writes nothing
 * off. If they have not, operators decide.
 */
export function upholdByPolicy(
  draft: Draft,
  reward: Reward,
  terms: Terms,
): { did: 'NOTHING' | 'UPHELD' | 'PUT_TO_OPERATORS'; reward: Reward } {
  const { state, review, customerId, afterReview } = reward;
  const policy = review?.policy;
  if (
    state !== 'IN_REVIEW' ||
    policy === undefined ||
    Date.parse(policy.upholdsAt) > terms.at.getTime()
  )
    return { did: 'NOTHING', reward };
  const lost = lossOf(reward, afterReview);
  const isThere =
    draft.balanceOf(accounts.points.customer(customerId)) >= lost.points &&
    draft.balanceOf(accounts.payable(customerId)) >= lost.liabilityCents;
  if (!isThere) return { did: 'PUT_TO_OPERATORS', reward: putToOperators(draft, reward) };
  const { policyId } = policy;
  const { reviewId } = review ?? { reviewId: '' };
  const upheld = recordDecision(draft, reward, terms, { reviewId, verdict: 'UPHOLD', policyId });
  return { did: 'UPHELD', reward: upheld };
}

/** Takes from a claimed reward what it loses: all of it if nothing remains after its review. */
function takeBack(
  draft: Draft,
  reward: Reward,
  terms: Terms,
  by: { reviewId: string; policyId?: string },
): Reward {
  const { _id: rewardId, version, afterReview: remaining } = reward;
  const lost = lossOf(reward, remaining);
  const losing = { ...reward, ...lost };
  const { ended } = draft.customers.get(reward.customerId) ?? {};
  const balanceOf = balancesFor(reward, ended, (account) => draft.balanceOf(account));
  const reference =
    remaining === null
      ? references.clawback(entryNameOf(reward))
      : references.reduction(rewardId, version + 1);
  const { kind, postings } = uphold(payerOf(reward), losing, balanceOf);
  postEntry(draft, reward, terms, { kind, reference, postings });
  giveBackUsage(draft, losing);
  giveBackCaps(draft, losing);
  const after =
    remaining === null
      ? move(draft, reward, terms, { ...by, move: 'UPHOLD', also: { countedIn: null } })
      : move(draft, reward, terms, {
          ...by,
          move: 'REDUCE',
          lost,
          also: { ...remaining, afterReview: null },
        });
  fundWaiting(draft, terms);
  return after;
}

/**
 * A customer has gained points: what was written off of them is settled first, before they can spend them
 * (docs/concepts/money.md, Write-offs).
 * @param gain the reference of the entry by which they gained
 */
export function settle(
  draft: Draft,
  { mode, partnerId, customerId }: Pick<Reward, 'mode' | 'partnerId' | 'customerId'>,
  terms: Terms,
  gain: string,
): void {
  const postings = settlementPostings(payerIn(draft), customerId, (account) =>
    draft.balanceOf(account),
  );
  if (postings.length === 0) return;
  const reference = references.settlement(gain);
  postEntry(draft, { mode, partnerId }, terms, { kind: 'SETTLE', reference, postings });
  fundWaiting(draft, terms);
}

/** Money arrives: a top-up, or in TEST test funding, whose first ends a wallet without limit. */
export function recordTopUp(
  draft: Draft,
  wallet: WalletRef,
  { amountCents, externalReference }: { amountCents: number; externalReference: string },
  terms: Terms,
): void {
  postEntry(draft, wallet, terms, {
    kind: 'TOP_UP',
    reference: references.topUp(externalReference),
    postings: topUpPostings(amountCents),
  });
  const { partnerId, mode } = wallet;
  draft.announce({
    type: 'funding.topped_up',
    partnerId,
    mode,
    at: terms.at,
    cause: references.topUp(externalReference),
    ...withoutReward,
    data: { amountCents, balanceCents: draft.balanceOf(accounts.funding) },
  });
  fundWaiting(draft, terms);
}

interface RequestedMove {
  move: RewardMove;
  payer?: Payer;
  refundEventId?: string;
  amountCents?: number;
  reviewId?: string;
  policyId?: string;
  lost?: Loss;
  also?: Partial<Reward>;
}

/** Ends an unclaimed reward: its money and usage go back, and the next in the queue may get them. */
function giveUp(draft: Draft, reward: Reward, terms: Terms, request: RequestedMove): Reward {
  if (reward.state === 'FUNDED') {
    postEntry(draft, reward, terms, {
      kind: 'RELEASE',
      reference: references.release(entryNameOf(reward)),
      postings: releasePostings(payerOf(reward), reward),
    });
  }
  if (draft.wallet !== null) draft.wallet = withoutPassed(draft.wallet, reward._id);
  giveBackUsage(draft, reward);
  const also = { ...request.also, countedIn: null };
  const moved = move(draft, reward, terms, { ...request, also });
  const ended = wake(draft, moved, terms, signalOf(request.move));
  fundWaiting(draft, terms);
  return ended;
}

/** What was refunded no longer counts against the customer's daily cap and the rule's budget. */
function giveBackCaps(draft: Draft, reward: Reward): void {
  countOn(draft, earningDayOf(reward), -reward.points);
  giveBackBudget(draft, reward, reward.points);
}

const signalOf = (move: RewardMove) =>
  move === 'RUN_SHORT' ? purchaseSignals.REFUND : purchaseSignals[move];

/** The reward's workflow has to look at it, which is due until it has. */
function wake(draft: Draft, reward: Reward, { at }: Terms, signal: PurchaseSignal): Reward {
  const woken = { ...reward, due: due(signal, at) };
  draft.setReward(woken);
  return woken;
}

/** The reward's workflow looks at it: nothing is due any more. */
export function lookedAt(draft: Draft, reward: Reward): Reward {
  if (reward.due === null) return reward;
  const seen = { ...reward, due: null };
  draft.setReward(seen);
  return seen;
}

/** Moves a reward by the state table. @throws IllegalMoveError for a move that it does not have */
function move(
  draft: Draft,
  reward: Reward,
  { at, traceparent }: Terms,
  { move, payer, refundEventId, amountCents, reviewId, policyId, lost, also = {} }: RequestedMove,
): Reward {
  const state = applyMove(reward.state, move);
  const made: MadeMove = {
    move,
    at,
    state,
    ...(payer !== undefined && { payer }),
    ...(refundEventId !== undefined && { refundEventId }),
    ...(amountCents !== undefined && { amountCents }),
    ...(lost !== undefined && { lost }),
    ...(reviewId !== undefined && { reviewId }),
    ...(policyId !== undefined && { policyId }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const after: Reward = {
    ...reward,
    state,
    ...also,
    version: reward.version + 1,
    moves: [...reward.moves, made],
    updatedAt: at,
  };
  draft.setReward(after);
  draft.announce(...announcementsOfMove(after, reward.state, made));
  return after;
}

/**
 * Appends an entry, and announces if it took the LIVE funding across the partner's threshold.
 * @returns the funding before and after it, in cents
 */
export function postEntry(
  draft: Draft,
  of: WalletRef | Reward,
  { at, lowBalanceThresholdCents }: Terms,
  entry: { kind: string; reference: string; postings: readonly Posting[]; reverses?: string },
): [beforeCents: number, afterCents: number] {
  const { funding } = accounts;
  const rewardId = '_id' in of ? of._id : null;
  const beforeCents = draft.balanceOf(funding);
  draft.post(entry.kind, entry.reference, rewardId, entry.postings, entry.reverses);
  const afterCents = draft.balanceOf(funding);
  if (of.mode === 'LIVE') {
    const when = { at, cause: entry.reference };
    const change = { beforeCents, afterCents };
    draft.announce(...fundingAnnouncements(of.partnerId, change, lowBalanceThresholdCents, when));
  }
  return [beforeCents, afterCents];
}
