import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Decision, findReview, reasonsOf, toDecide } from '../../deeds/decide-review.ts';
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
function presentReview({ config, now }: ApiDeps, review: ReviewDoc, reason: string | null) {
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
      reason,
      adminId: decision.adminId,
      decidedAt: decision.decidedAt,
    },
    workflowId,
    temporalUrl: temporalUrl(config, workflowId),
  };
}

async function presentReviews(deps: ApiDeps, reviews: readonly ReviewDoc[]) {
  const reasons = await reasonsOf(deps, reviews);
  return reviews.map((review, place) => presentReview(deps, review, reasons[place] ?? null));
}

async function presentOne(deps: ApiDeps, review: ReviewDoc) {
  const [presented = {}] = await presentReviews(deps, [review]);
  return presented;
}

export function reviewRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models } = deps;

  const decide = fourEyes.guard('review.decide', async (review) => ({
    status: 200,
    body: await presentOne(deps, review),
  }));

  router.get('/reviews', permit('read'), async (ctx) => {
    const { status, overdue, ...paging } = queryOf(ctx, querySchema);
    const conditions = [
      ...given({ status }),
      ...(overdue ? [{ status: 'OPEN', dueAt: { $lt: new Date(deps.now()) } }] : []),
    ];
    const found = await page(models.reviews, conditions, paging, (doc) => doc);
    const reviewIds = found.items.flatMap(({ _id, decision }) => (decision ? [_id] : []));
    if (reviewIds.length > 0) {
      const read = { partnerId: null, targetId: null, details: { reviewIds } };
      await noteRead(deps, ctx, { action: 'review.read', ...read });
    }
    ctx.body = { ...found, items: await presentReviews(deps, found.items) };
  });

  router.get('/reviews/:reviewId', permit('read'), async (ctx) => {
    const review = await findReview(deps, param(ctx, 'reviewId'));
    const { _id: targetId, partnerId } = review;
    await noteRead(deps, ctx, { action: 'review.read', partnerId, targetId });
    ctx.body = await presentOne(deps, review);
  });

  router.post('/reviews/:reviewId/decision', permit('review.decide'), jsonBody, async (ctx) => {
    const verdict = bodyOf(ctx, decisionSchema);
    const review = await toDecide(deps, param(ctx, 'reviewId'));
    await decide(ctx, { review, verdict });
  });
}
