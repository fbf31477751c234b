import Joi from 'joi';
import { reviewReasons, type Verdict } from '../../../domain/review.ts';
import { type ReviewDetails, readReview } from '../../../models/views/review-evidence.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import type { Decision } from '../../../operations/reviews.ts';
import {
  addReviewNote,
  askPartner,
  assignReview,
  decideReview,
} from '../../../operations/reviews.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { noteSchema, reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../../forms/submit.ts';
import { operatorPaths } from '../../html/links.ts';
import { askPage, decidePage, reviewPage } from '../../html/pages/admin/review.ts';
import { render } from '../../html/view.ts';
import { orNotFound } from '../../middleware/well-formed.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { nameIds } from '../../routing/name-ids.ts';
import type { Routes } from '../../routing/route-table.ts';

const ofReview = {
  path: '/admin/reviews/:reviewId',
  params: { reviewId: 'review' },
  audience: 'operator',
} as const;
const assigneeSchema = Joi.object<{ assigneeId?: string }>({ assigneeId: Joi.string() });
const schemaOf = (verdict: Verdict) =>
  Joi.object<Omit<Decision, 'decision'>>({
    reasonCode: Joi.string()
      .valid(...reviewReasons[verdict])
      .required()
      .messages({ 'any.required': 'Choose a reason.', 'any.only': 'Choose a reason.' }),
    reason: reasonField.default(''),
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
      act: decide(verdict),
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

const decide =
  (verdict: Verdict) =>
  async (
    ctx: PageContext<'operator'>,
    deps: PageDeps,
    { reasonCode, reason }: Omit<Decision, 'decision'>,
  ): Promise<void> => {
    const reviewId = param(ctx, 'reviewId');
    const input = { reviewId, decision: verdict, reasonCode, ...(reason !== '' && { reason }) };
    const executed = await execute(deps, decideReview, actorOf(ctx), input);
    await whenDone(ctx, executed, () =>
      redirect(
        ctx,
        operatorPaths.REVIEW + reviewId,
        verdict === 'UPHOLD' ? 'Refund upheld.' : 'Refund dismissed.',
      ),
    );
  };
