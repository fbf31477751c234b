import type { Router } from '@koa/router';
import Joi from 'joi';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { decideReview, findReview, type Verdict } from './decide-review.ts';
import { recordDeed } from './deeds.ts';
import { shortText } from './fields.ts';
import { temporalUrl } from './links.ts';
import { given, type PageQuery, page, pageParameters } from './paging.ts';

const querySchema = Joi.object<PageQuery & { status?: ReviewDoc['status']; overdue?: 'true' }>({
  status: Joi.string().valid('OPEN', 'DECIDED'),
  overdue: Joi.string().valid('true'),
  ...pageParameters,
});

const decisionSchema = Joi.object<Verdict>({
  decision: Joi.string().valid('UPHOLD', 'DISMISS').required(),
  reason: shortText(500).required(),
});

/** A review as the admins see it; only they read the reason. */
function presentReview({ config, sealer, now }: ApiDeps, review: ReviewDoc) {
  const { _id: reviewId, status, dueAt, decision, workflowId } = review;
  return {
    reviewId,
    partnerId: review.partnerId,
    mode: review.mode,
    rewardId: review.rewardId,
    refundEventId: review.refundEventId,
    externalOrderId: review.externalOrderId,
    points: review.points,
    status,
    openedAt: review.openedAt,
    dueAt,
    overdue: status === 'OPEN' && dueAt.getTime() < now(),
    rounds: review.rounds,
    decision: decision && {
      verdict: decision.verdict,
      reason: sealer.open(decision.sealedReason, reviewId),
      adminId: decision.adminId,
      decidedAt: decision.decidedAt,
    },
    workflowId,
    temporalUrl: temporalUrl(config, workflowId),
  };
}

export function reviewRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.get('/reviews', async (ctx) => {
    const { status, overdue, ...paging } = queryOf(ctx, querySchema);
    const conditions = [
      ...given({ status }),
      ...(overdue ? [{ status: 'OPEN', dueAt: { $lt: new Date(deps.now()) } }] : []),
    ];
    ctx.body = await page(deps.models.reviews, conditions, paging, (doc) =>
      presentReview(deps, doc),
    );
  });

  router.get('/reviews/:reviewId', async (ctx) => {
    ctx.body = presentReview(deps, await findReview(deps, param(ctx, 'reviewId')));
  });

  router.post('/reviews/:reviewId/decision', jsonBody, async (ctx) => {
    const verdict = bodyOf(ctx, decisionSchema);
    const reviewId = param(ctx, 'reviewId');
    // The trail has who and what; the reason may name a customer and stays sealed with the review.
    const review = await decideReview(deps, reviewId, verdict, ctx.state.admin, (decided) =>
      recordDeed(deps, ctx, {
        action: 'review.decide',
        targetId: reviewId,
        partnerId: decided.partnerId,
        details: { decision: verdict.decision },
      }),
    );
    ctx.body = presentReview(deps, review);
  });
}
