import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Decision, findReview } from '../../deeds/decide-review.ts';
import { allReviewReasons, maxReasonChars } from '../../domain/review-reasons.ts';
import { given, type PageQuery, page, pageParameters } from '../../http/paging.ts';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import { temporalUrl } from '../../platform/temporal-url.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { noteRead } from './deeds.ts';
import { shortText } from './fields.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { permit } from './permit.ts';

const querySchema = Joi.object<PageQuery & { status?: ReviewDoc['status']; overdue?: 'true' }>({
  status: Joi.string().valid('OPEN', 'DECIDED'),
  overdue: Joi.string().valid('true'),
  ...pageParameters,
});

const decisionSchema = Joi.object<Decision>({
  decision: Joi.string().valid('UPHOLD', 'DISMISS').required(),
  reasonCode: Joi.string()
    .valid(...allReviewReasons)
    .required(),
  reason: shortText(maxReasonChars).default(''),
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
      reasonCode: decision.reasonCode,
      reason: sealer.open(decision.sealedReason, reviewId),
      adminId: decision.adminId,
      decidedAt: decision.decidedAt,
    },
    workflowId,
    temporalUrl: temporalUrl(config, workflowId),
  };
}

export function reviewRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models } = deps;

  const decide = fourEyes.guard('review.decide', (review) => ({
    status: 200,
    body: presentReview(deps, review),
  }));

  router.get('/reviews', permit('read'), async (ctx) => {
    const { status, overdue, ...paging } = queryOf(ctx, querySchema);
    const conditions = [
      ...given({ status }),
      ...(overdue ? [{ status: 'OPEN', dueAt: { $lt: new Date(deps.now()) } }] : []),
    ];
    const found = await page(models.reviews, conditions, paging, (doc) => presentReview(deps, doc));
    const reviewIds = found.items.flatMap(({ reviewId, decision }) => (decision ? [reviewId] : []));
    if (reviewIds.length > 0) {
      const read = { partnerId: null, targetId: null, details: { reviewIds } };
      await noteRead(deps, ctx, { action: 'review.read', ...read });
    }
    ctx.body = found;
  });

  router.get('/reviews/:reviewId', permit('read'), async (ctx) => {
    const review = await findReview(deps, param(ctx, 'reviewId'));
    const { _id: targetId, partnerId } = review;
    await noteRead(deps, ctx, { action: 'review.read', partnerId, targetId });
    ctx.body = presentReview(deps, review);
  });

  router.post('/reviews/:reviewId/decision', permit('review.decide'), jsonBody, async (ctx) => {
    const verdict = bodyOf(ctx, decisionSchema);
    const { _id: reviewId, partnerId } = await findReview(deps, param(ctx, 'reviewId'));
    await decide(ctx, { reviewId, partnerId, verdict });
  });
}
