import Joi from 'joi';
import { worstCentsOf } from '../../../domain/redemption.ts';
import { type ReviewReason, reviewReasons, type Verdict } from '../../../domain/review.ts';
import { pageSchema } from '../../../http/query.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  addReviewNote,
  askPartner,
  assignReview,
  decideReview,
  decideSeveral,
  maxDecidedAtOnce,
} from '../../../operations/reviews.ts';
import { readPartner } from '../../../views/partners.ts';
import { type ReviewDetails, readReview } from '../../../views/review-evidence.ts';
import {
  type QueuePlace,
  readDecidedReviews,
  readOpenReviews,
  readReviewsById,
} from '../../../views/reviews.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { countField, noteField, noteSchema, reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { reviewPage } from '../../pages/admin/review.ts';
import { decideSeveralPage, reviewFilters, reviewsPage } from '../../pages/admin/reviews.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

/** The cursor of the queue: due time and id of the last review on the page. */
const placeSchema = Joi.object<{ cursor?: QueuePlace }>({
  cursor: Joi.string()
    .max(256)
    .custom((text: string): QueuePlace => {
      const [, due = '', reviewId = ''] = /^(\d{1,15}) (rev_\w{26})$/.exec(decoded(text)) ?? [];
      if (reviewId === '') throw new Error('form');
      return { dueAt: new Date(Number(due)), reviewId };
    }),
});

const decoded = (text: string): string => Buffer.from(text, 'base64url').toString('utf8');
const encoded = ({ dueAt, _id }: ReviewDoc): string =>
  Buffer.from(`${dueAt.getTime()} ${_id}`).toString('base64url');

/** The review queue, most urgent first. */
export function operatorReviewPages(routes: Routes): void {
  routes.page({ path: '/admin/reviews', audience: 'operator', permission: 'read' }, showReviews);
}

async function showReviews(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, reviewFilters);
  const { state, ...filter } = list.filter;
  if (state === 'DECIDED' || state === 'BY_POLICY') {
    const reviews = await readDecidedReviews(deps, filter, queryOf(ctx, pageSchema), state);
    return render(ctx, reviewsPage(ctx, list, reviews, reviews.nextCursor));
  }
  const assigneeId = state === 'MINE' ? ctx.state.viewer.actorId : undefined;
  const queue = { ...filter, assigneeId, isOverdue: state === 'OVERDUE' };
  const reviews = await readOpenReviews(deps, queue, queryOf(ctx, placeSchema).cursor);
  render(ctx, reviewsPage(ctx, list, reviews, reviews.last ? encoded(reviews.last) : null));
}

const ofReview = {
  path: '/admin/reviews/:reviewId',
  params: { reviewId: 'review' },
  audience: 'operator',
} as const;
const assigneeSchema = Joi.object<{ assigneeId?: string }>({ assigneeId: Joi.string() });

/** A verdict and its reason, as one choice. */
interface Because {
  because: { decision: Verdict; reasonCode: ReviewReason };
  reason: string;
}

const becauseFields = {
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
};
const questionSchema = Joi.object<{ question: string }>({ question: noteField });

/** A review: its evidence, and the decision. */
export function operatorReviewPage(routes: Routes): void {
  routes.page({ ...ofReview, permission: 'read' }, showReview);
  routes.action(
    { ...ofReview, path: `${ofReview.path}/notes`, permission: 'review.add-note' },
    { schema: noteSchema, act: addNote, retry: showReview },
  );
  routes.action(
    { ...ofReview, path: `${ofReview.path}/assign`, permission: 'review.assign' },
    { schema: assigneeSchema, act: assign, retry: showReview },
  );
  routes.action(
    { ...ofReview, path: `${ofReview.path}/ask`, permission: 'review.ask' },
    { schema: questionSchema, act: ask, retry: showReview },
  );
  routes.action(
    {
      ...ofReview,
      path: `${ofReview.path}/decide`,
      permission: 'review.decide',
      secondFactor: true,
    },
    {
      schema: Joi.object<Because & { amountCents?: number }>({
        ...becauseFields,
        amountCents: countField(0),
      }),
      check: requireReason,
      act: decideOne,
      retry: showReview,
    },
  );
}

async function showReview(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const details = await readAudited(ctx, deps);
  const { review, reward } = details.evidence;
  const partner = await readPartner(deps, review.partnerId);
  const { currency } = reward;
  const about = { mode: review.mode, worstCents: worstCentsOf(review, partner), currency };
  const isForTwo = needsApproval(deps.config, decideReview, about);
  await nameIds(ctx, deps, [reward.integrationId]);
  const options = { config: deps.config, nowMs: deps.now(), needsApproval: isForTwo, filled };
  render(ctx, reviewPage(ctx, details, options));
}

async function addNote(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { text }: { text: string },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  await execute(deps, addReviewNote, actorOf(ctx), { reviewId, text });
  redirect(ctx, operatorPaths.REVIEW + reviewId, 'Note added.');
}

async function ask(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { question: text }: { question: string },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  await execute(deps, askPartner, actorOf(ctx), { reviewId, text });
  redirect(ctx, operatorPaths.REVIEW + reviewId, 'Question sent.');
}

async function assign(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { assigneeId }: { assigneeId?: string },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  await execute(deps, assignReview, actorOf(ctx), { reviewId, assigneeId: assigneeId ?? null });
  redirect(
    ctx,
    operatorPaths.REVIEW + reviewId,
    assigneeId === undefined ? 'No one is assigned.' : 'Assigned.',
  );
}

/** Records the read in the audit log before any customer data is shown. */
async function readAudited(ctx: PageContext<'operator'>, deps: PageDeps): Promise<ReviewDetails> {
  const details = orNotFound(await readReview(deps, param(ctx, 'reviewId')));
  const { _id: targetId, partnerId } = details.evidence.review;
  await auditRead(deps, actorOf(ctx), { action: 'review.read', partnerId, targetId });
  return details;
}

const requireReason = (
  _ctx: PageContext<'operator'>,
  _deps: PageDeps,
  { because, reason }: Partial<Because>,
): Problems =>
  because?.reasonCode === 'OTHER' && reason === ''
    ? { reason: 'Describe the reason in your own words.' }
    : {};

async function decideOne(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { because, reason, amountCents }: Because & { amountCents?: number },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  const input = {
    reviewId,
    ...because,
    ...(reason !== '' && { reason }),
    ...(amountCents !== undefined && { amountCents }),
  };
  const executed = await execute(deps, decideReview, actorOf(ctx), input);
  await whenDone(ctx, executed, () =>
    redirect(
      ctx,
      operatorPaths.REVIEW + reviewId,
      because.decision === 'UPHOLD' ? 'Refund upheld.' : 'Refund dismissed.',
    ),
  );
}

const path = '/admin/reviews/decide';
const deciding = {
  path,
  audience: 'operator',
  permission: 'review.decide',
  secondFactor: true,
} as const;

interface Several extends Because {
  review: string[];
}

const idsField = Joi.array()
  .items(Joi.string().pattern(/^rev_[0-9A-Z]{26}$/))
  .single()
  .max(maxDecidedAtOnce);
const chosenSchema = Joi.object<Pick<Several, 'review'>>({ review: idsField.default([]) });
const severalSchema = Joi.object<Several>({
  review: idsField.min(1).required(),
  ...becauseFields,
});

/** Decides several reviews selected in the queue at once. */
export function operatorReviewDecisionPages(routes: Routes): void {
  routes.page(deciding, showSeveral);
  routes.action(deciding, {
    schema: severalSchema,
    check: requireReason,
    act: decide,
    retry: showSeveral,
  });
}

async function showSeveral(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const sent = idsField.validate(filled.values.review ?? queryOf(ctx, chosenSchema).review);
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
