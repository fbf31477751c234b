import Joi from 'joi';
import { type ReviewReason, reviewReasons, type Verdict } from '../../../domain/review.ts';
import { pageSchema } from '../../../http/query.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import { type ReviewDetails, readReview } from '../../../models/views/review-evidence.ts';
import {
  type QueuePlace,
  readDecidedReviews,
  readOpenReviews,
  readReviewsById,
} from '../../../models/views/reviews.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  addReviewNote,
  askPartner,
  assignReview,
  type Decision,
  decideReview,
  decideSeveral,
  maxDecidedAtOnce,
} from '../../../operations/reviews.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { noteSchema, reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { askPage, decidePage, reviewPage } from '../../pages/admin/review.ts';
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
  if (state === 'DECIDED') {
    const reviews = await readDecidedReviews(deps, filter, queryOf(ctx, pageSchema));
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
const schemaOf = (verdict: Verdict) =>
  Joi.object<Omit<Decision, 'decision'> & { amountCents?: number }>({
    reasonCode: Joi.string()
      .valid(...reviewReasons[verdict])
      .required()
      .messages({ 'any.required': 'Choose a reason.', 'any.only': 'Choose a reason.' }),
    reason: reasonField.default(''),
    amountCents: Joi.number().integer(),
  });

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
  const asking = { ...ofReview, path: `${ofReview.path}/ask`, permission: 'review.ask' } as const;
  routes.page(asking, showAsk);
  routes.action(asking, { schema: noteSchema, act: ask, retry: showAsk });
  for (const verdict of ['UPHOLD', 'DISMISS'] as const) {
    const deciding = {
      ...ofReview,
      path: `${ofReview.path}/${verdict.toLowerCase()}`,
      permission: 'review.decide',
      secondFactor: true,
    } as const;
    routes.page(deciding, showDecide(verdict));
    routes.action(deciding, {
      schema: schemaOf(verdict),
      check: requireReason,
      act: decideOne(verdict),
      retry: showDecide(verdict),
    });
  }
}

async function showReview(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const details = await readAudited(ctx, deps);
  await nameIds(ctx, deps, [details.evidence.reward.integrationId]);
  render(ctx, reviewPage(ctx, details, { config: deps.config, nowMs: deps.now(), filled }));
}

const showDecide =
  (verdict: Verdict) =>
  async (
    ctx: PageContext<'operator'>,
    deps: PageDeps,
    filled: Filled = emptyForm,
  ): Promise<void> => {
    const details = await readAudited(ctx, deps);
    const { review, reward } = details.evidence;
    const { liabilityCents } = reward;
    const takesTwo = needsApproval(deps.config, decideReview, {
      mode: review.mode,
      liabilityCents,
    });
    render(ctx, decidePage(ctx, verdict, details, { needsApproval: takesTwo, filled }));
  };

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
  { text }: { text: string },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  await execute(deps, askPartner, actorOf(ctx), { reviewId, text });
  redirect(ctx, operatorPaths.REVIEW + reviewId, 'Question sent.');
}

async function showAsk(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, askPage(ctx, await readAudited(ctx, deps), filled));
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

export const requireReason = (
  _ctx: PageContext<'operator'>,
  _deps: PageDeps,
  { reasonCode, reason }: Partial<Omit<Decision, 'decision'>>,
): Problems =>
  reasonCode === 'OTHER' && reason === ''
    ? { reason: 'Describe the reason in your own words.' }
    : {};

const decideOne =
  (verdict: Verdict) =>
  async (
    ctx: PageContext<'operator'>,
    deps: PageDeps,
    { reasonCode, reason, amountCents }: Omit<Decision, 'decision'> & { amountCents?: number },
  ): Promise<void> => {
    const reviewId = param(ctx, 'reviewId');
    const input = {
      reviewId,
      decision: verdict,
      reasonCode,
      ...(reason !== '' && { reason }),
      ...(amountCents !== undefined && { amountCents }),
    };
    const executed = await execute(deps, decideReview, actorOf(ctx), input);
    await whenDone(ctx, executed, () =>
      redirect(
        ctx,
        operatorPaths.REVIEW + reviewId,
        verdict === 'UPHOLD' ? 'Refund upheld.' : 'Refund dismissed.',
      ),
    );
  };

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
const chosenSchema = Joi.object<Pick<Several, 'review'>>({ review: idsField.default([]) });
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
