import Joi from 'joi';
import type { Draft } from '../domain/draft.ts';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { recordDecision } from '../domain/facts.ts';
import { limitCentsOf } from '../domain/limit-units.ts';
import type { Mode } from '../domain/mode.ts';
import { type ApprovalConfig, may } from '../domain/operators.ts';
import { accounts, takenBack } from '../domain/postings.ts';
import { worstCentsOf } from '../domain/redemption.ts';
import { lossOf, reviewedCentsOf } from '../domain/refunds.ts';
import {
  allReviewReasons,
  maxNoteChars,
  maxNotes,
  maxReasonChars,
  type ReviewDecision,
  type ReviewNoteKind,
  type ReviewReason,
  reasonProblem,
  type Verdict,
} from '../domain/review.ts';
import type { Reward } from '../domain/reward.ts';
import { findPartner } from '../models/identity/partners.ts';
import { customerHoldings } from '../models/ledger/index.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { requireReward } from '../models/rewards/find-reward.ts';
import type { ReviewDoc, ReviewNoteDoc } from '../models/schemas/reviews.ts';
import { countAlone, movedAlone } from '../models/store/alone-sums.ts';
import { type OfCustomer, sealForCustomer } from '../models/store/data-keys.ts';
import { hasRoom } from '../models/store/write-within-limit.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { answerAnnounced, questionAnnounced } from '../models/webhooks/announcements.ts';
import { findReview, reasonsOf } from '../views/reviews.ts';
import type { OperatorActor } from './actor.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { execute } from './execute.ts';
import { idField, longText } from './fields.ts';
import { needsApproval } from './needs-approval.ts';
import { type FindDeps, operation, type Shown, sensitiveOperation, takesTwo } from './operation.ts';

interface NoteInput {
  reviewId: string;
  text: string;
}

/** The input that notes, questions and answers have in common. */
export const noteInput = Joi.object<NoteInput>({
  reviewId: idField,
  text: longText(maxNoteChars).required(),
});

/** The review of a note, and the customer that it is about. */
export async function findNoted({ models }: FindDeps, { reviewId }: NoteInput) {
  const review = await findReview(models, reviewId);
  const { partnerId, mode, status } = review;
  const { customerId } = await requireReward(models, review.rewardId);
  return { partnerId, mode, status, customerId, reviewId, review };
}

export type Noted = Awaited<ReturnType<typeof findNoted>>;

/** Questions and answers require an open review. @throws ServiceError CONFLICT */
export function requireOpen({ status, reviewId }: Noted): void {
  if (status !== 'OPEN')
    throw new ServiceError('CONFLICT', `${reviewId} has already been decided.`);
}

/** @throws ServiceError CONFLICT for a review with the maximum number of this kind */
export async function writeNote(
  deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
  { customerId, review }: Noted,
  {
    _id,
    kind,
    authorId,
    text,
  }: Pick<ReviewNoteDoc, '_id' | 'kind' | 'authorId'> & { text: string },
): Promise<ReviewNoteDoc> {
  const { reviewNotes } = deps.models;
  const { _id: reviewId, partnerId, mode } = review;
  const note: ReviewNoteDoc = {
    _id,
    partnerId,
    mode,
    reviewId,
    kind,
    authorId,
    at: new Date(deps.now()),
    sealed: await sealForCustomer(deps, { partnerId, customerId }, text, _id),
  };
  await announceWith(deps.models, async (session, announce) => {
    const limit = { partnerId, max: maxNotes };
    const count = () => reviewNotes.countDocuments({ partnerId, reviewId, kind }, { session });
    if (!(await hasRoom(deps.models, limit, count, session))) {
      throw new ServiceError('CONFLICT', `A review has at most ${maxNotes} ${words[kind]}.`);
    }
    await reviewNotes.create([note], { session });
    if (kind === 'QUESTION') announce(questionAnnounced(note, review));
    if (kind === 'ANSWER' && mode === 'LIVE') announce(answerAnnounced(note, review));
  });
  return note;
}

const words: Record<ReviewNoteKind, string> = {
  NOTE: 'notes',
  QUESTION: 'questions',
  ANSWER: 'answers',
};

/** What the audit log stores: the id of the note, without its text. */
export const noteWritten = ({ _id }: ReviewNoteDoc) => ({ details: { reviewNoteId: _id } });

/** Adds a note to a review, for operators only. */
export const addReviewNote = operation({
  name: 'review.add-note',
  permission: { operator: 'review.add-note', user: null },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError CONFLICT for a review with the maximum number of notes */
  run: (deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>, { text }, { actor, found, idOf }) =>
    writeNote(deps, found, { _id: idOf('reviewNote'), kind: 'NOTE', authorId: actor.id, text }),

  completion: noteWritten,
});

/** Answers the operators' question to the partner on an open review. */
export const answerReview = operation({
  name: 'review.answer',
  permission: { operator: null, user: { TEST: 'review.answer', LIVE: 'review.answer-live' } },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError NOT_FOUND without a question; CONFLICT as for a question */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { text, reviewId },
    { actor, found, idOf },
  ): Promise<ReviewNoteDoc> {
    const { partnerId } = found;
    const question = { partnerId, reviewId, kind: 'QUESTION' as const };
    if ((await deps.models.reviewNotes.exists(question)) === null) {
      throw new ServiceError('NOT_FOUND', 'There is no question to answer here.');
    }
    requireOpen(found);
    const _id = idOf('reviewNote');
    return await writeNote(deps, found, { _id, kind: 'ANSWER', authorId: actor.id, text });
  },

  completion: noteWritten,
});

/** Asks the partner a question about the refund of an open review. */
export const askPartner = operation({
  name: 'review.ask',
  permission: { operator: 'review.ask', user: null },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError CONFLICT for a decided review, or one with the maximum number of questions */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { text },
    { actor, found, idOf },
  ): Promise<ReviewNoteDoc> {
    requireOpen(found);
    const _id = idOf('reviewNote');
    return await writeNote(deps, found, { _id, kind: 'QUESTION', authorId: actor.id, text });
  },

  completion: noteWritten,
});

/** Assigns an open review to an operator, or to nobody. Every operator with the permission can still decide it. */
export const assignReview = operation({
  name: 'review.assign',
  permission: { operator: 'review.assign', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ reviewId: string; assigneeId: string | null }>({
    reviewId: idField,
    assigneeId: Joi.string().allow(null).required(),
  }),
  find: ({ models }, { reviewId }) => findReview(models, reviewId),
  approval: 'NONE',
  audit: ({ reviewId, assigneeId }, { partnerId }) => ({
    targetId: reviewId,
    partnerId,
    details: { assigneeId },
  }),

  /** @throws ServiceError VALIDATION_FAILED, or CONFLICT for a review that was decided */
  async run({ models }: AuditLogDeps, { assigneeId }, { found }): Promise<ReviewDoc> {
    if (assigneeId !== null) {
      const operator = await models.operators.findOne({ _id: assigneeId, revokedAt: null });
      if (!operator || !may(operator.role, 'review.decide')) {
        throw invalidFields({
          assigneeId: 'assigneeId must be an operator who can decide the review',
        });
      }
    }
    const { _id, partnerId } = found;
    const assigned = await models.reviews.findOneAndUpdate(
      { partnerId, _id, status: 'OPEN' },
      assigneeId === null ? { $unset: { assigneeId: '' } } : { $set: { assigneeId } },
      { returnDocument: 'after' },
    );
    if (assigned) return assigned;
    throw new ServiceError('CONFLICT', `${found._id} has already been decided.`);
  },
});

/** An operator's decision and its reason. */
export interface Decision {
  decision: ReviewDecision['verdict'];
  reasonCode: ReviewReason;
  /** May identify the customer. */
  reason: string;
}

/** What a decision was shown to be about, in cents and points. More may have been refunded since. */
export interface ShownDecision {
  /** Of the order, under review. */
  amountCents: number;
  /** What the customer loses or keeps, and its cost. */
  points: number;
  liabilityCents: number;
  /** What an upheld refund takes back of what the customer is owed. */
  cents: number;
}

/**
 * Decides a review by one commit, with what follows for the reward, so that one of two operators wins. The
 * commit measures anew what the decision is about.
 * @param shown null for the system, which was shown nothing
 * @returns the review with this decision; the same for a repeat by the same operator after a lost response
 * @throws ServiceError NOT_FOUND; CONFLICT when it was decided otherwise, or would take back more
 */
export async function completeReview(
  deps: OperationDeps,
  { reviewId, ...customer }: OfCustomer & { reviewId: string },
  { decision: verdict, reasonCode, reason }: Decision,
  operatorId: string,
  shown: ShownDecision | null = null,
): Promise<ReviewDoc> {
  const { models, commit } = deps;
  const before = await findReview(models, reviewId);
  const decision: ReviewDecision = {
    verdict,
    reasonCode,
    operatorId,
    decidedAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, customer, reason, reviewId),
  };
  if (before.decision === null) {
    const { partnerId } = before;
    const reward = await requireReward(models, before.rewardId);
    await commitReward(commit, reward, (draft, held, terms) => {
      // The review is decided with its reward: another operator was faster.
      if (held.state !== 'IN_REVIEW' || held.review?.reviewId !== reviewId) return;
      if (shown !== null) requireAsShown(draft, held, verdict, shown);
      const at = new Date(decision.decidedAt);
      recordDecision(draft, held, { ...terms, at }, { reviewId, verdict });
      draft.update({
        of: 'reviews',
        filter: { partnerId, _id: reviewId },
        change: { $set: { status: 'DECIDED', decision } },
      });
    });
  }
  const review = await findReview(models, reviewId);
  if (review.decision === null) throw new Error(`${reviewId} was not decided`);
  await requireSame(deps, review, review.decision, decision, reason);
  return review;
}

/** Nobody decides about more than they saw. @throws ServiceError CONFLICT */
function requireAsShown(
  draft: Draft,
  held: Reward,
  verdict: Verdict,
  { amountCents, points, liabilityCents, cents }: ShownDecision,
): void {
  const lost = lossOf(held, held.afterReview);
  const isMore = lost.points > points || lost.liabilityCents > liabilityCents;
  if (reviewedCentsOf(held) !== amountCents || isMore) throw hasGrown(held.review?.reviewId ?? '');
  if (verdict === 'DISMISS' || held.mode === 'TEST') return;
  const owedCents = draft.balanceOf(accounts.payable(held.customerId));
  const holds = draft.balanceOf(accounts.points.customer(held.customerId));
  if (takenBack(lost, { owedCents, points: holds }).cents <= cents) return;
  throw new ServiceError('CONFLICT', 'It would take back more now than was shown.');
}

const hasGrown = (reviewId: string) =>
  new ServiceError(
    'CONFLICT',
    `Another refund of the order has been reported, so ${reviewId} is about more. Look at it again.`,
  );

/** @throws ServiceError CONFLICT unless the stored decision is this one, by this operator */
async function requireSame(
  deps: OperationDeps,
  review: ReviewDoc,
  written: ReviewDecision,
  decision: ReviewDecision,
  reason: string,
): Promise<void> {
  const { _id: reviewId } = review;
  const isSame =
    written.operatorId === decision.operatorId &&
    written.verdict === decision.verdict &&
    written.reasonCode === decision.reasonCode;
  if (isSame) {
    // The reason of an erased customer can no longer be read, so it is not compared.
    const [writtenReason = null] = await reasonsOf(deps, [review]);
    if (writtenReason === null || writtenReason === reason) return;
  }
  const winner = await deps.models.operators.findById(written.operatorId);
  throw new ServiceError(
    'CONFLICT',
    `${reviewId} has already been decided: ${written.verdict} by ${winner?.name ?? 'an operator'} (${written.operatorId}) at ${written.decidedAt}.`,
  );
}

/** The customer whose points a decision takes back or leaves. */
interface ReviewedCustomer {
  partnerId: string;
  customerId: string;
}

/** What operators decide alone is summed per customer, per partner and per operator. */
const decidedScopes = ({ customerId, partnerId }: ReviewedCustomer, operatorId: string) => [
  `review operator:${operatorId}`,
  `review partner:${partnerId}`,
  `review customer:${customerId}`,
];

/**
 * What operators decided alone today, in cents, as far as it limits this decision. Either verdict is worth the
 * reward: upheld, the customer loses it; dismissed, the customer keeps it.
 */
export async function decidedAlone(
  { models, now }: Pick<OperationDeps, 'models' | 'now'>,
  { partnerId, customerId, mode }: ReviewedCustomer & { mode: Mode },
  operatorId: string,
): Promise<number> {
  if (mode === 'TEST') return 0;
  return await movedAlone(models, decidedScopes({ partnerId, customerId }, operatorId), now());
}

interface DecisionShown {
  mode: Mode;
  /** What the customer loses or keeps, by what it cost or pays for, which is the most that the decision can move. */
  worstCents: number;
  currency: string;
}

/** Decides whether a refund of points that were available already is upheld. */
export const decideReview = sensitiveOperation({
  name: 'review.decide',
  permission: { operator: 'review.decide', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<
    Omit<Decision, 'reason'> & { reviewId: string; reason?: string; amountCents?: number }
  >({
    reviewId: idField,
    amountCents: Joi.number().integer().min(0),
    decision: Joi.string().valid('UPHOLD', 'DISMISS').required(),
    reasonCode: Joi.string()
      .valid(...allReviewReasons)
      .required(),
    reason: longText(maxReasonChars),
  }).custom((input) => {
    const problem = reasonProblem(input.decision, input.reasonCode, input.reason ?? '');
    if (problem !== undefined) throw new ServiceError('VALIDATION_FAILED', problem);
    return input;
  }),
  async find({ models }, { reviewId }) {
    const review = await findReview(models, reviewId);
    const { partnerId, mode, rewardId, amountCents, liabilityCents, points } = review;
    const { customerId, currency } = await requireReward(models, rewardId);
    const worstCents = worstCentsOf(review, await findPartner(models, partnerId));
    const lost = { amountCents, liabilityCents, points, worstCents };
    return { partnerId, mode, customerId, currency, ...lost };
  },
  atWorst: { moves: 'what the customer loses or keeps', undo: null, two: takesTwo.aboveReviews },
  approval: {
    async shown({ models }, { reviewId, decision, reasonCode, amountCents: seenCents }, found) {
      const { partnerId, customerId, mode, amountCents, liabilityCents, points } = found;
      const { worstCents, currency } = found;
      if (seenCents !== undefined && seenCents !== amountCents) throw hasGrown(reviewId);
      const held = mode === 'LIVE' ? await customerHoldings(models, found) : null;
      // What the customer loses, or keeps.
      const moved = decision === 'DISMISS' ? liabilityCents : null;
      const cents = held === null ? 0 : (moved ?? takenBack(found, held).cents);
      return {
        reviewId,
        partnerId,
        customerId,
        decision,
        reasonCode,
        mode,
        amountCents,
        liabilityCents,
        points,
        worstCents,
        cents,
        currency,
      };
    },
    async movedAlone(deps, shown: Shown, { id }) {
      const decided = shown as unknown as Parameters<typeof decidedAlone>[1] & {
        reviewId: string;
      };
      // A repeat moves nothing.
      const isRepeat = (await findReview(deps.models, decided.reviewId)).decision !== null;
      return isRepeat ? 0 : await decidedAlone(deps, decided, id);
    },
    needed: ({ mode, worstCents, currency }: DecisionShown, { reviewCents }, movedCents) =>
      mode === 'LIVE' && movedCents + limitCentsOf(worstCents, currency) > reviewCents,
    customerOf: (found) => found,
  },
  // The reason stays out of the audit log: it may name a customer, and is sealed with the review.
  audit: ({ reviewId, decision, reasonCode }, { partnerId }, { id }) => ({
    targetId: reviewId,
    partnerId,
    details: { decision, reasonCode },
    once: `${decision} by ${id}`,
  }),

  /**
   * @returns the review with this decision; the same for a repeat by the same operator
   * @throws ServiceError CONFLICT when it was decided otherwise, or when operators have in the meantime
   *   decided about more alone than they may
   */
  async run(
    deps: OperationDeps,
    { reviewId, reason = '', amountCents: _seen, ...decision },
    { actor, approvedBy, found, shown },
  ) {
    const { models, now, config } = deps;
    const isAlone = actor.kind === 'operator' && approvedBy === null && config.approvals.isOn;
    const isLive = found.mode === 'LIVE';
    if (isAlone && isLive && (await findReview(models, reviewId)).decision === null) {
      const limitCents = config.approvals.reviewCents;
      const scopes = decidedScopes(found, actor.id);
      const cents = limitCentsOf(found.worstCents, found.currency);
      await countAlone(models, scopes, { cents, limitCents, at: now() });
    }
    const about = { ...found, reviewId };
    const asShown = shown as unknown as ShownDecision | null;
    return await completeReview(deps, about, { ...decision, reason }, actor.id, asShown);
  },
});

/** The maximum number of reviews to decide together: those on a page of the queue. */
export const maxDecidedAtOnce = 25;

/**
 * Why a review cannot be decided together with others; null if it can.
 * @param movedCents what operators have decided about without approval today
 */
export function whyLeft(
  config: { approvals: ApprovalConfig },
  { status, mode, worstCents, currency }: Pick<ReviewDoc, 'status'> & DecisionShown,
  movedCents = 0,
): 'DECIDED' | 'NEEDS_APPROVAL' | null {
  if (status === 'DECIDED') return 'DECIDED';
  const isNeeded = needsApproval(config, decideReview, { mode, worstCents, currency }, movedCents);
  return isNeeded ? 'NEEDS_APPROVAL' : null;
}

/**
 * Decides several reviews with the same reason, each as if decided separately. Reviews that are decided
 * already, or need two operators, are not changed.
 * @returns the number of reviews that this decided
 * @throws ServiceError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function decideSeveral(
  deps: OperationDeps,
  actor: OperatorActor,
  reviewIds: readonly string[],
  decision: Omit<Decision, 'reason'> & { reason?: string },
): Promise<number> {
  let decided = 0;
  for (const reviewId of new Set(reviewIds)) {
    const review = await findReview(deps.models, reviewId);
    const reward = await requireReward(deps.models, review.rewardId);
    const movedCents = await decidedAlone(deps, reward, actor.id);
    const partner = await findPartner(deps.models, review.partnerId);
    const { currency } = reward;
    const about = { ...review, currency, worstCents: worstCentsOf(review, partner) };
    if (whyLeft(deps.config, about, movedCents) !== null) continue;
    try {
      const { isDone } = await execute(deps, decideReview, actor, { reviewId, ...decision });
      if (isDone) decided += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'CONFLICT') throw error;
    }
  }
  return decided;
}
