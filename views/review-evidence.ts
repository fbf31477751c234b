import { permittedRoles } from '../domain/operators.ts';
import { balancesFor } from '../domain/points-end.ts';
import { accounts, payerOf, uphold } from '../domain/postings.ts';
import type { SealedRefund } from '../domain/purchase.ts';
import { lossOf } from '../domain/refunds.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import { findPartner } from '../models/identity/partners.ts';
import { readCustomerBalance } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RedemptionDoc } from '../models/schemas/redemptions.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { openSealed } from '../models/store/data-keys.ts';
import { openEvent } from '../models/store/sealed-events.ts';
import type { Sealer } from '../platform/sealing.ts';
import { type EventDetails, type MaskedRequest, maskedRequest, readEventDetails } from './event.ts';
import { scopeOf } from './partner-scope.ts';
import { redemptionsOf } from './redemptions.ts';
import { readReviewNotes } from './reviews.ts';

/** The customer's newest rewards that are searched for other reviews. */
const maxRewards = 50;
/** Maximum number of operators to choose an assignee from. */
const maxDeciders = 1_000;

/** How upholding the refund would move money and points if it was decided now. */
export interface Stake {
  /** The customer's points at this partner. */
  heldPoints: number;
  owedCents: number;
  /** Returned to the partner's funds. */
  backCents: number;
  backPoints: number;
  /** Spent by the customer, and written off. */
  lostCents: number;
  lostPoints: number;
}

/** The evidence for an operator's decision of a review. */
export interface ReviewEvidence {
  review: ReviewDoc;
  reward: RewardDoc;
  /** The refund, with its purchase and the reward's timeline. */
  refund: EventDetails;
  /** The purchase as reported, with personal data masked. */
  purchase: MaskedRequest;
  /**
   * The partner's reason for the refund, which may identify the customer; null without one, or if they
   * were erased.
   */
  refundReason: string | null;
  /** The operator's reason for the decision; null before it, or if the customer was erased. */
  decisionReason: string | null;
  stake: Stake;
  /** What the customer spent points on, newest first. */
  redemptions: RedemptionDoc[];
  /** Other reviews of the same customer, newest first. */
  others: ReviewDoc[];
}

/**
 * Reads the evidence for a review. It contains unsealed personal data, so the caller must add an audit
 * entry.
 * @returns null if the review does not exist
 */
export async function readReviewEvidence(
  deps: { models: Models; sealer: Sealer; now: () => number },
  reviewId: string,
): Promise<ReviewEvidence | null> {
  const { models } = deps;
  const review = await models.reviews.findById(reviewId);
  if (review === null) return null;
  const { partnerId, rewardId, refundEventId } = review;
  const [reward, refund] = await Promise.all([
    models.rewards.findOne({ partnerId, _id: rewardId }).orFail(),
    readEventDetails(deps, scopeOf({ _id: partnerId }), refundEventId),
  ]);
  if (refund === null) throw new Error(`${reviewId} has no refund`);
  const { decision } = review;
  const { customerId, mode } = reward;
  const [stake, others, redemptions, decisionReason] = await Promise.all([
    readStake(models, reward),
    readOthers(models, reward, reviewId),
    redemptionsOf(models, { partnerId, customerId, modes: [mode] }),
    decision && openSealed(deps, { partnerId, sealed: decision.sealedReason, context: reviewId }),
  ]);
  const bought = openEvent(deps.sealer, refund.purchase);
  const refunded = openEvent(deps.sealer, refund.event);
  const { reason = null }: Partial<SealedRefund> = refunded === null ? {} : JSON.parse(refunded);
  const purchase = maskedRequest(refund.purchase, bought);
  const found = { review, reward, refund, purchase, decisionReason, stake, redemptions, others };
  return { ...found, refundReason: reason };
}

/** Computes the postings of upholding the refund now. */
async function readStake(models: Models, reward: RewardDoc): Promise<Stake> {
  const balance = await readCustomerBalance(models, reward, reward.mode);
  const { points: heldPoints = 0, payableCents: owedCents = 0 } = balance ?? {};
  const { customerId } = reward;
  const amounts: Record<string, number | undefined> = {
    [accounts.payable(customerId)]: owedCents,
    [accounts.points.customer(customerId)]: heldPoints,
    [accounts.ended.cents(customerId)]: balance?.endedCents,
    [accounts.ended.points(customerId)]: balance?.endedPoints,
  };
  const payer = payerOf(reward);
  const losing = { ...reward, ...lossOf(reward, reward.afterReview) };
  const balanceOf = balancesFor(reward, balance?.ended, (account) => amounts[account] ?? 0);
  const { postings } = uphold(payer, losing, balanceOf);
  const amountTo = (name: string) => postings.find(({ account }) => account === name)?.amount ?? 0;
  return {
    heldPoints,
    owedCents,
    backCents: amountTo(payer),
    backPoints: 0 - amountTo(accounts.points.customer(customerId)),
    lostCents: amountTo(accounts.writeOff(customerId)),
    lostPoints: amountTo(accounts.points.writeOff(customerId)),
  };
}

async function readOthers(
  models: Models,
  { partnerId, customerId }: RewardDoc,
  reviewId: string,
): Promise<ReviewDoc[]> {
  const rewards = await models.rewards
    .find({ customerId, partnerId }, { review: 1 })
    .sort({ _id: -1 })
    .limit(maxRewards);
  const ids = rewards.flatMap(({ review }) => (review ? [review.reviewId] : []));
  return await models.reviews
    .find({ partnerId, _id: { $in: ids.filter((id) => id !== reviewId) } })
    .sort({ _id: -1 });
}

/** A review for operators: its evidence, partner and notes, and the operators who can decide it. */
export async function readReview(deps: Parameters<typeof readReviewEvidence>[0], reviewId: string) {
  const evidence = await readReviewEvidence(deps, reviewId);
  if (evidence === null) return null;
  const { partnerId, decision, assigneeId = null } = evidence.review;
  const [partner, nameOf, notes, deciders] = await Promise.all([
    findPartner(deps.models, partnerId),
    namesOfActors(deps.models, [decision?.operatorId ?? null, assigneeId]),
    readReviewNotes(deps, evidence.review),
    readDeciders(deps.models),
  ]);
  return { evidence, partner, nameOf, notes, deciders };
}

/** Operators with the permission to decide reviews, by name. */
async function readDeciders({ operators }: Models) {
  const deciders = await operators
    .find({ role: { $in: permittedRoles['review.decide'] }, revokedAt: null }, { name: 1 })
    .limit(maxDeciders);
  return deciders.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export type ReviewDetails = NonNullable<Awaited<ReturnType<typeof readReview>>>;
