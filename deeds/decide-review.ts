import { setTimeout as delay } from 'node:timers/promises';
import { ActivityCompletionError, ActivityNotFoundError } from '@temporalio/client';
import { ServiceError } from '../domain/errors.ts';
import type { ReviewDecision } from '../domain/events.ts';
import type { ReviewReason } from '../domain/review-reasons.ts';
import { type OfCustomer, openAll, sealForCustomer } from '../models/data-keys.ts';
import type { ReviewDoc } from '../models/schemas/review.ts';
import type { DeedsDeps } from './deps.ts';

/** What an operator decides, and why. */
export interface Decision {
  decision: ReviewDecision['verdict'];
  reasonCode: ReviewReason;
  /** In words; they may name a customer. */
  reason: string;
}

/** A review, and whose reward it is about. */
export interface ReviewOfCustomer extends OfCustomer {
  reviewId: string;
}

/**
 * What a decision is asked with: the review, and whose reward it is about.
 * @throws ServiceError NOT_FOUND
 */
export async function toDecide(deps: DeedsDeps, reviewId: string): Promise<ReviewOfCustomer> {
  const { partnerId, rewardId } = await findReview(deps, reviewId);
  const reward = await deps.models.rewards
    .findOne({ partnerId, _id: rewardId }, { customerKey: 1 })
    .lean()
    .orFail();
  return { reviewId, partnerId, customerKey: reward.customerKey };
}

/** 3 s for a review whose workflow is opening it again, or has not written another decision yet. */
const completing = { attempts: 15, pauseMs: 200 };
/** 5 s for the workflow to write a decision that Temporal took. */
const writing = { attempts: 50, pauseMs: 100 };

/**
 * Decides a review by completing the activity that waits for it. Temporal takes one completion, so
 * that of two admins one wins; the workflow alone writes the review.
 * @returns the review with this decision on it; also to the same admin asking again after a lost answer
 * @throws ServiceError NOT_FOUND; CONFLICT when it was decided otherwise; UNAVAILABLE when the outcome
 *   is not known yet, after which the same request finds it
 */
export async function decideReview(
  deps: DeedsDeps,
  { reviewId, ...customer }: ReviewOfCustomer,
  { decision: verdict, reasonCode, reason }: Decision,
  adminId: string,
): Promise<ReviewDoc> {
  const decision: ReviewDecision = {
    verdict,
    reasonCode,
    adminId,
    decidedAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, customer, reason, reviewId),
  };
  for (let attempt = 0; attempt < completing.attempts; attempt++) {
    const review = await findReview(deps, reviewId);
    if (review.decision) {
      await requireSame(deps, review, review.decision, decision, reason);
      return review;
    }
    if (await complete(deps, review, decision)) {
      return await untilWritten(deps, decision, reviewId, reason);
    }
    await delay(completing.pauseMs);
  }
  throw undecided(reviewId);
}

/** @returns false when no activity waits for it: it is decided, or being opened again */
async function complete(
  { temporal, config, log }: DeedsDeps,
  { _id: reviewId, workflowId }: ReviewDoc,
  decision: ReviewDecision,
): Promise<boolean> {
  try {
    await temporal.activity.withDeadline(Date.now() + config.http.answerTimeoutMs, () =>
      temporal.activity.complete({ workflowId, activityId: reviewId }, decision),
    );
    return true;
  } catch (error) {
    if (error instanceof ActivityNotFoundError) return false;
    if (!(error instanceof ActivityCompletionError)) throw error;
    log.warn({ err: error, reviewId }, 'a decision did not reach Temporal');
    throw undecided(reviewId);
  }
}

async function untilWritten(
  deps: DeedsDeps,
  decision: ReviewDecision,
  reviewId: string,
  reason: string,
): Promise<ReviewDoc> {
  for (let attempt = 0; attempt < writing.attempts; attempt++) {
    const review = await findReview(deps, reviewId);
    if (review.decision) {
      await requireSame(deps, review, review.decision, decision, reason);
      return review;
    }
    await delay(writing.pauseMs);
  }
  throw undecided(reviewId);
}

/** @throws ServiceError NOT_FOUND */
export async function findReview({ models }: DeedsDeps, reviewId: string): Promise<ReviewDoc> {
  const review = await models.reviews.findById(reviewId).lean();
  if (review) return review;
  throw new ServiceError('NOT_FOUND', `There is no review ${JSON.stringify(reviewId)}.`);
}

/** Why each of some reviews was decided so; null where none is, and once the customer was erased. */
export async function reasonsOf(
  deps: Pick<DeedsDeps, 'models' | 'sealer'>,
  reviews: readonly ReviewDoc[],
): Promise<(string | null)[]> {
  const sealed = reviews.flatMap(({ _id: context, partnerId, decision }) =>
    decision ? [{ partnerId, sealed: decision.sealedReason, context }] : [],
  );
  const opened = await openAll(deps, sealed);
  const reasonBy = new Map(sealed.map(({ context }, place) => [context, opened[place] ?? null]));
  return reviews.map(({ _id }) => reasonBy.get(_id) ?? null);
}

/** @throws ServiceError CONFLICT unless what is written says what was asked for, by whom it was asked */
async function requireSame(
  deps: DeedsDeps,
  review: ReviewDoc,
  written: ReviewDecision,
  asked: ReviewDecision,
  reason: string,
): Promise<void> {
  const { _id: reviewId } = review;
  const isSame =
    written.adminId === asked.adminId &&
    written.verdict === asked.verdict &&
    written.reasonCode === asked.reasonCode;
  if (isSame) {
    // Of an erased customer nobody can tell any more whether it was another reason.
    const [writtenReason = null] = await reasonsOf(deps, [review]);
    if (writtenReason === null || writtenReason === reason) return;
  }
  const winner = await deps.models.admins.findById(written.adminId).lean();
  throw new ServiceError(
    'CONFLICT',
    `${reviewId} was decided already: ${written.verdict} by ${winner?.name ?? 'an admin'} (${written.adminId}) at ${written.decidedAt}.`,
  );
}

function undecided(reviewId: string): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `The decision on ${reviewId} is not written yet. Send the same decision again.`,
    { 'Retry-After': '2' },
  );
}
