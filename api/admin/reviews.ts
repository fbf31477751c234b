import type { Router } from '@koa/router';
import Joi from 'joi';
import { param } from '../../http/context.ts';
import { given, type PageQuery, pageParameters, readPage } from '../../http/query.ts';
import type { ReviewDoc, ReviewNoteDoc } from '../../models/schemas/reviews.ts';
import { requireFound } from '../../models/store/require-found.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { addReviewNote, askPartner, decideReview } from '../../operations/reviews.ts';
import { temporalUrl } from '../../temporal/workflows.ts';
import { findReview, type OpenedNote, readReviewNotes, reasonsOf } from '../../views/reviews.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkQuery,
  type OperationRoutes,
  type OperatorState,
  operatorActorOf,
  requirePermission,
} from './context.ts';

const querySchema = Joi.object<PageQuery & { status?: ReviewDoc['status']; overdue?: 'true' }>({
  status: Joi.string().valid('OPEN', 'BY_POLICY', 'DECIDED'),
  overdue: Joi.string().valid('true'),
  ...pageParameters,
});

/** A review as operators see it. The reason is shown to operators only. */
function presentReview({ config, now }: ApiDeps, review: ReviewDoc, reason: string | null) {
  const { _id: reviewId, status, dueAt, decision, workflowId } = review;
  return {
    reviewId,
    partnerId: review.partnerId,
    mode: review.mode,
    rewardId: review.rewardId,
    refundEventId: review.refundEventId,
    externalOrderId: review.externalOrderId,
    amountCents: review.amountCents,
    points: review.points,
    liabilityCents: review.liabilityCents,
    status,
    openedAt: review.openedAt,
    dueAt,
    overdue: status === 'OPEN' && dueAt.getTime() < now(),
    rounds: review.rounds,
    decision: decision && {
      verdict: decision.verdict,
      reasonCode: decision.reasonCode,
      reason,
      operatorId: decision.operatorId,
      decidedAt: decision.decidedAt,
    },
    policy: presentPolicy(review),
    workflowId,
    temporalUrl: temporalUrl(config, workflowId),
  };
}

function presentPolicy({ policy }: ReviewDoc) {
  if (policy === undefined) return null;
  const { policyId, upholdsAt, conditions } = policy;
  return { policyId, upholdsAt, conditions };
}

async function presentReviews(deps: ApiDeps, reviews: readonly ReviewDoc[]) {
  const reasons = await reasonsOf(deps, reviews);
  return reviews.map((review, place) => presentReview(deps, review, reasons[place] ?? null));
}

async function presentOne(deps: ApiDeps, review: ReviewDoc) {
  const [presented = {}] = await presentReviews(deps, [review]);
  return presented;
}

/** An operator's note or question on a review, or the partner's answer. */
function presentNote({ _id: noteId, kind, author, text, at }: OpenedNote) {
  return { noteId, kind, author, text, at };
}

export function reviewRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const { models } = deps;

  router.get('/reviews', requirePermission('read'), async (ctx) => {
    const { status, overdue, ...paging } = checkQuery(ctx, querySchema);
    const conditions = [
      ...given({ status }),
      ...(overdue ? [{ status: 'OPEN', dueAt: { $lt: new Date(deps.now()) } }] : []),
    ];
    const listed = await readPage(models.reviews, conditions, paging, (doc) => doc);
    const reviewIds = listed.items.flatMap(({ _id, decision }) => (decision ? [_id] : []));
    if (reviewIds.length > 0) {
      const read = { partnerId: null, targetId: null, details: { reviewIds } };
      await auditRead(deps, operatorActorOf(ctx), { action: 'review.read', ...read });
    }
    ctx.body = { ...listed, items: await presentReviews(deps, listed.items) };
  });

  router.get('/reviews/:reviewId', requirePermission('read'), async (ctx) => {
    const review = await findReview(models, param(ctx, 'reviewId'));
    const { _id: targetId, partnerId } = review;
    await auditRead(deps, operatorActorOf(ctx), { action: 'review.read', partnerId, targetId });
    ctx.body = await presentOne(deps, review);
  });

  router.get('/reviews/:reviewId/notes', requirePermission('read'), async (ctx) => {
    const review = await findReview(models, param(ctx, 'reviewId'));
    const { _id: targetId, partnerId } = review;
    await auditRead(deps, operatorActorOf(ctx), { action: 'review.read', partnerId, targetId });
    ctx.body = { items: (await readReviewNotes(deps, review)).map(presentNote) };
  });

  const written = async ({ partnerId, reviewId, _id }: ReviewNoteDoc) => {
    const notes = await readReviewNotes(deps, { partnerId, _id: reviewId });
    const body = requireFound(notes.find((one) => one._id === _id) ?? null, 'note', _id);
    return { status: 201, body: presentNote(body) };
  };
  operations.route('post', '/reviews/:reviewId/notes', addReviewNote, {
    body: true,
    respond: written,
  });
  operations.route('post', '/reviews/:reviewId/questions', askPartner, {
    body: true,
    respond: written,
  });

  operations.route('post', '/reviews/:reviewId/decision', decideReview, {
    body: true,
    respond: async (review) => ({ status: 200, body: await presentOne(deps, review) }),
  });
}
