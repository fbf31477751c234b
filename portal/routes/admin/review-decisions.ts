import Joi from 'joi';
import { type ReviewReason, reviewReasons, type Verdict } from '../../../domain/review.ts';
import { readReviewsById } from '../../../models/views/reviews.ts';
import { decideSeveral, maxDecidedAtOnce } from '../../../operations/reviews.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { decideSeveralPage } from '../../html/pages/admin/review-decisions.ts';
import { render } from '../../html/view.ts';
import { actorOf } from '../../operate.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';
import { requireReason } from './review.ts';

const path = '/admin/reviews/decide';
const deciding = {
  path,
  audience: 'operator',
  permission: 'review.decide',
  secondFactor: true,
} as const;

interface Several {
  review: string[];
  /** A verdict and its reason. */
  because: { decision: Verdict; reasonCode: ReviewReason };
  reason: string;
}

const idsField = Joi.array()
  .items(Joi.string().pattern(/^rev_[0-9A-Z]{26}$/))
  .single()
  .max(maxDecidedAtOnce);
const querySchema = Joi.object<Pick<Several, 'review'>>({ review: idsField.default([]) });
const severalSchema = Joi.object<Several>({
  review: idsField.min(1).required(),
  because: Joi.string()
    .required()
    .custom((text: string, { error }) => {
      const [decision, reasonCode] = text.split(' ');
      const isOne = Object.entries(reviewReasons).some(
        ([verdict, reasons]) =>
          verdict === decision && reasons.some((one: ReviewReason) => one === reasonCode),
      );
      return isOne ? { decision, reasonCode } : error('any.only');
    })
    .messages({ 'any.required': 'Choose a decision.', 'any.only': 'Choose a decision.' }),
  reason: reasonField.default(''),
});

/** Decides several reviews selected in the queue at once. */
export function operatorReviewDecisionPages(routes: Routes): void {
  routes.page(deciding, showSeveral);
  routes.action(deciding, {
    schema: severalSchema,
    check: (ctx, deps, { because, reason = '' }) =>
      requireReason(ctx, deps, { ...because, reason }),
    act: decide,
    retry: showSeveral,
  });
}

async function showSeveral(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const sent = idsField.validate(filled.values.review ?? queryOf(ctx, querySchema).review);
  const ids: string[] = sent.error ? [] : sent.value;
  render(ctx, decideSeveralPage(ctx, await readReviewsById(deps, ids), { ...deps, filled }));
}

async function decide(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { review: ids, because, reason }: Several,
): Promise<void> {
  const decision = { ...because, ...(reason !== '' && { reason }) };
  const decided = await decideSeveral(deps, actorOf(ctx), ids, decision);
  redirect(
    ctx,
    `${path}?${ids.map((id) => `review=${id}`).join('&')}`,
    `${decided} of ${ids.length} refunds ${decided === 1 ? 'is' : 'are'} ${because.decision === 'UPHOLD' ? 'upheld' : 'dismissed'}.`,
    decided < ids.length ? 'bad' : 'good',
  );
}
