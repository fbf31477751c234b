import Joi from 'joi';
import { worstCentsOf } from '../../domain/redemption.ts';
import { maxNoteChars, type ReviewNoteKind } from '../../domain/review.ts';
import { param } from '../../http/context.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { addReviewNote, askPartner, assignReview, decideReview } from '../../operations/reviews.ts';
import type { Config } from '../../platform/config.ts';
import { readPartner } from '../../views/partners.ts';
import {
  type ReviewDetails,
  type ReviewEvidence,
  readReview,
} from '../../views/review-evidence.ts';
import {
  badge,
  definitions,
  emptyState,
  notice,
  section,
  table,
} from '../components/components.ts';
import { form, formBehind, hidden, select, textArea } from '../components/form.ts';
import {
  day,
  type Html,
  html,
  minuteOfIso,
  money,
  nothing,
  number,
  numberText,
  pointsWords,
  time,
  timeAway,
} from '../components/format.ts';
import { operatorPaths, to, toId, workflowLink } from '../components/links.ts';
import { approvalNotice, dueBadge, reasonWords } from '../components/money.ts';
import { tableOfRedemptions } from '../components/redemptions.ts';
import { rewardBadge } from '../components/reward-badge.ts';
import { whyPoints } from '../components/rules.ts';
import { timelineList } from '../components/timeline.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField, noteField, noteSchema } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { nameIds } from '../routing/name-ids.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { judgedWords } from '../words/policy-words.ts';
import { type Because, becauseFields, decisionFields, reasonIn, requireReason } from './reviews.ts';

const path = '/admin/reviews/:reviewId';

/** A review: its evidence, and the decision. */
export function operatorReviewPage(routes: RoutesOf<'operator'>): void {
  routes.page(path, showReview);
  routes.operation(`${path}/notes`, addReviewNote, {
    on: showReview,
    form: noteSchema,
    to: path,
    said: 'Note added.',
  });
  routes.operation(`${path}/assign`, assignReview, {
    on: showReview,
    form: Joi.object<{ assigneeId?: string }>({ assigneeId: Joi.string() }),
    input: ({ assigneeId = null }) => ({ assigneeId }),
    to: path,
    said: ({ assigneeId }) => (assigneeId === null ? 'No one is assigned.' : 'Assigned.'),
  });
  routes.operation(`${path}/ask`, askPartner, {
    on: showReview,
    form: Joi.object<{ question: string }>({ question: noteField }),
    input: ({ question: text }) => ({ text }),
    to: path,
    said: 'Question sent.',
  });
  routes.operation(`${path}/decide`, decideReview, {
    on: showReview,
    form: Joi.object<Because & { amountCents?: number }>({
      ...becauseFields,
      amountCents: countField(0),
    }),
    check: requireReason,
    input: ({ because, reason, ...amount }) => ({ ...because, ...reasonIn(reason), ...amount }),
    to: path,
    said: (_decided, { because }) =>
      because.decision === 'UPHOLD' ? 'Refund upheld.' : 'Refund dismissed.',
  });
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

/** Records the read in the audit log before any customer data is shown. */
async function readAudited(ctx: PageContext<'operator'>, deps: PageDeps): Promise<ReviewDetails> {
  const details = orNotFound(await readReview(deps, param(ctx, 'reviewId')));
  const { _id: targetId, partnerId } = details.evidence.review;
  await auditRead(deps, actorOf(ctx), { action: 'review.read', partnerId, targetId });
  return details;
}

const crumbs = () => [['Reviews', '/admin/reviews']] as const;

interface ReviewPageOptions {
  config: Pick<Config, 'temporal'>;
  nowMs: number;
  /** Whether the decision needs a second operator. */
  needsApproval: boolean;
  filled: Filled;
}

function reviewPage(
  ctx: PageContext<'operator'>,
  details: ReviewDetails,
  { config, nowMs, needsApproval, filled }: ReviewPageOptions,
): Page {
  const { evidence, partner } = details;
  const { review, reward, refund } = evidence;
  const mayDecide = review.status !== 'DECIDED' && hasPermission(ctx.state.viewer, 'review.decide');
  return page(
    {
      title: `Refund of ${review.externalOrderId}`,
      crumbs: crumbs(),
      lead: html`${badge(review.mode)} ${dueBadge(review, nowMs)} ${to('PARTNER', partner._id, partner.name)}`,
      mode: review.mode,
    },
    policySection(evidence),
    decidedSection(details),
    html`<div class="grid-2">${[
      atStake(evidence),
      ...(mayDecide ? [decideSection(ctx, details, { needsApproval, filled })] : []),
      nextSection(evidence, config, nowMs),
      purchased(ctx, evidence),
      refunded(evidence),
    ]}</div>`,
    section(
      'What the customer spent points on',
      tableOfRedemptions(evidence.redemptions, (id) => operatorPaths.REDEMPTION + id),
    ),
    notesSection(ctx, details, filled),
    section('Timeline', timelineList(refund.timeline, reward.currency)),
    section('How the points were calculated', whyPoints(refund.why, reward.currency)),
    section(
      'The customer’s other reviews',
      table({
        caption: 'Other reviews of the same customer',
        columns: {
          Order: (one) => to('REVIEW', one._id, one.externalOrderId),
          Points: { number: ({ points }) => points },
          Opened: ({ openedAt }) => day(openedAt),
          State: (one) => dueBadge(one, nowMs),
          Reason: ({ decision }) => decision && reasonWords[decision.reasonCode],
        },
        rows: evidence.others,
        empty: emptyState(
          'No other reviews',
          'None of this customer’s newest rewards had another review.',
        ),
      }),
      html`<p class="after">${to('CUSTOMER', reward.customerId, 'View customer')}</p>`,
    ),
  );
}

/** How a refund policy decided, with each condition and what it was about. */
function policySection({ review, reward }: ReviewEvidence): Html {
  const { policy, status } = review;
  if (policy === undefined) return nothing;
  const isWaiting = status === 'BY_POLICY';
  return section(
    'Decided by policy',
    html`<p>${
      isWaiting
        ? html`The partner’s refund policy upholds this refund: the points are taken back at ${time(policy.upholdsAt)}, unless you decide otherwise before.`
        : review.decision?.reasonCode === 'POLICY'
          ? 'The partner’s refund policy upheld this refund.'
          : 'The partner’s refund policy was to uphold this refund, and an operator decides instead.'
    }</p>`,
    table({
      caption: 'The conditions of the policy',
      columns: {
        Condition: (one) => judgedWords(one, reward.currency).asks,
        'What it was': (one) => judgedWords(one, reward.currency).was,
        Met: ({ isMet }) => badge(isMet ? 'DONE' : 'FAILED', isMet ? 'Yes' : 'No'),
      },
      rows: policy.conditions,
    }),
    definitions([['Policy', policy.policyId]]),
  );
}

function decidedSection({ evidence, nameOf }: ReviewDetails): Html {
  const { review, decisionReason } = evidence;
  if (review.decision === null) return nothing;
  const { verdict, operatorId, decidedAt, reasonCode } = review.decision;
  return section(
    'Decision',
    definitions([
      ['Verdict', verdict === 'UPHOLD' ? 'Upheld' : 'Dismissed'],
      ['By', nameOf.get(operatorId) ?? operatorId],
      ['When', time(new Date(decidedAt))],
      ['Reason', reasonWords[reasonCode]],
      ['In their words', decisionReason || '–'],
    ]),
  );
}

/** Operators' notes and questions, and the assignee. */
function notesSection(
  ctx: PageContext<'operator'>,
  { evidence: { review }, notes, deciders, nameOf }: ReviewDetails,
  filled: Filled,
): Html {
  const path = operatorPaths.REVIEW + review._id;
  const { assigneeId = '' } = review;
  const isOpen = review.status === 'OPEN';
  const may = (permission: 'review.assign' | 'review.ask' | 'review.add-note') =>
    hasPermission(ctx.state.viewer, permission);
  return section(
    'Notes and questions',
    definitions([
      ['Assigned to', assigneeId === '' ? 'Nobody' : (nameOf.get(assigneeId) ?? assigneeId)],
    ]),
    isOpen && may('review.assign')
      ? assignForm(ctx, { path, assigneeId, deciders, filled })
      : nothing,
    notes.map(
      ({ kind, author, at, text }) =>
        html`<blockquote class="said after">${text ?? 'Erased with the customer’s data.'}<footer>${noteWords[kind]} ${author}, ${time(at)}</footer></blockquote>`,
    ),
    isOpen && may('review.ask')
      ? html`<div class="after">${askForm(ctx, { path, filled })}</div>`
      : nothing,
    may('review.add-note')
      ? html`<div class="after">${noteForm(ctx, { path, filled })}</div>`
      : nothing,
  );
}

function assignForm(
  ctx: PageContext<'operator'>,
  {
    path,
    assigneeId,
    deciders,
    filled,
  }: { path: string; assigneeId: string; filled: Filled } & Pick<ReviewDetails, 'deciders'>,
): Html {
  const { actorId } = ctx.state.viewer;
  return form(
    ctx,
    { action: `${path}/assign`, submit: 'Assign', isInline: true },
    select({
      name: 'assigneeId',
      label: 'Assign to',
      filled,
      // If nobody is assigned, the viewer is preselected.
      chosen: assigneeId || actorId,
      choices: [
        { value: '', text: 'Nobody' },
        ...deciders.map(({ _id, name }) => ({
          value: _id,
          text: _id === actorId ? `${name} (you)` : name,
        })),
      ],
    }),
  );
}

const askForm = (
  ctx: PageContext<'operator'>,
  { path, filled }: { path: string; filled: Filled },
): Html =>
  formBehind(
    ctx,
    { ask: 'Ask the partner …', action: `${path}/ask`, submit: 'Ask', filled },
    textArea({
      name: 'question',
      label: 'Question',
      filled,
      rows: 3,
      maxLength: maxNoteChars,
      hint: 'The partner answers under Questions, and does not see who asked.',
    }),
  );

const noteForm = (
  ctx: PageContext<'operator'>,
  { path, filled }: { path: string; filled: Filled },
): Html =>
  form(
    ctx,
    { action: `${path}/notes`, submit: 'Add note', filled },
    textArea({
      name: 'text',
      label: 'New note',
      filled,
      rows: 3,
      maxLength: maxNoteChars,
      hint: 'Only operators see this, never the partner.',
    }),
  );

const noteWords: Readonly<Record<ReviewNoteKind, string>> = {
  NOTE: 'Note by',
  QUESTION: 'Question to the partner by',
  ANSWER: 'Answer from the partner by',
};

function nextSection(
  { review, refund }: ReviewEvidence,
  config: Pick<Config, 'temporal'>,
  nowMs: number,
): Html {
  // In its first round, a review was put to operators once.
  const escalations = review.rounds - 1;
  return section(
    'What happens next',
    html`<p>${refund.next.sentence(minuteOfIso)}</p>`,
    definitions([
      ['Opened', timeAway(review.openedAt, nowMs)],
      ['Due', timeAway(review.dueAt, nowMs)],
      ...(escalations === 0
        ? []
        : [
            ['Escalated', escalations === 1 ? 'once' : `${numberText(escalations)} times`] as const,
          ]),
      ['Workflow', workflowLink(config, review.workflowId)],
    ]),
  );
}

function decideSection(
  ctx: PageContext<'operator'>,
  { evidence }: ReviewDetails,
  { needsApproval, filled }: Pick<ReviewPageOptions, 'needsApproval' | 'filled'>,
): Html {
  const { _id, amountCents } = evidence.review;
  return section(
    'Decide',
    definitions([
      ['If upheld', upheldWords(evidence)],
      ['If dismissed', dismissedWords(evidence)],
    ]),
    needsApproval ? approvalNotice() : nothing,
    form(
      ctx,
      { action: `${operatorPaths.REVIEW}${_id}/decide`, filled, submit: 'Decide' },
      hidden('amountCents', String(amountCents)),
      decisionFields(filled),
    ),
  );
}

function purchased(
  ctx: PageContext<'operator'>,
  { purchase, reward, refund }: ReviewEvidence,
): Html {
  const { customer } = purchase;
  return section(
    'Purchase',
    definitions([
      ['Order', to('EVENT', refund.purchase._id, purchase.externalOrderId)],
      ['Amount', purchase.order && money(purchase.order.subtotalCents, purchase.order.currency)],
      ['Received', time(refund.purchase.receivedAt)],
      ['Order date', time(refund.purchase.occurredAt, 'not provided')],
      ['Customer', [customer?.email, customer?.phone].filter(Boolean).join(', ')],
      ['Integration', toId(ctx, reward.integrationId)],
      [
        'Reward',
        html`${to('REWARD', reward._id, `${pointsWords(reward.points)} for the order`)} ${rewardBadge(reward.state)}`,
      ],
      ['Claimed', time(reward.moves.findLast(({ move }) => move === 'CLAIM')?.at)],
    ]),
  );
}

function refunded({ refund, refundReason, review, reward }: ReviewEvidence): Html {
  const { event } = refund;
  return section(
    'Refund',
    definitions([
      ['Refund', to('EVENT', event._id, event.externalRefundId ?? event._id)],
      ['Amount', money(event.amountCents ?? 0, reward.currency)],
      ...(review.amountCents === event.amountCents
        ? []
        : [['With later refunds', money(review.amountCents, reward.currency)] as const]),
      ['Received', time(event.receivedAt)],
      ['Refund date', time(event.occurredAt, 'not provided')],
    ]),
    refundReason === null
      ? html`<p class="muted after">The partner gave no reason.</p>`
      : html`<blockquote class="said after">${refundReason}<footer>The partner’s reason</footer></blockquote>`,
  );
}

function atStake({ reward, stake, review }: ReviewEvidence): Html {
  const { currency } = reward;
  const isOver = review.status === 'DECIDED';
  return section(
    'Money at stake',
    definitions([
      ['Reward', html`${pointsWords(reward.points)}, ${money(reward.liabilityCents, currency)}`],
      [
        'Under review',
        html`${pointsWords(review.points)}, ${money(review.liabilityCents, currency)}`,
      ],
      [
        isOver ? 'The customer holds now' : 'The customer still holds',
        html`${pointsWords(stake.heldPoints)}, ${money(stake.owedCents, currency)}`,
      ],
      ...(isOver
        ? []
        : [
            ['If upheld, returned to the partner', money(stake.backCents, currency)] as const,
            [
              'If upheld, written off',
              stake.lostCents === 0 && stake.lostPoints === 0
                ? 'nothing'
                : html`${money(stake.lostCents, currency)}, ${pointsWords(stake.lostPoints)}`,
            ] as const,
          ]),
    ]),
    !isOver && stake.lostPoints > 0
      ? notice(
          'warn',
          'The customer has already spent some of these points, or set them aside at a checkout.',
        )
      : nothing,
  );
}

function upheldWords({ reward, stake }: ReviewEvidence): Html {
  const { currency, afterReview: remaining } = reward;
  const outcome =
    remaining === null
      ? 'The reward is cancelled.'
      : html`The reward stays with the customer, with ${number(remaining.points)} instead of ${pointsWords(reward.points)}.`;
  const back = html`${pointsWords(stake.backPoints)} ${stake.backPoints === 1 ? 'leaves' : 'leave'} the customer’s balance, and ${money(stake.backCents, currency)} goes back to the partner’s funds.`;
  const lost =
    stake.lostCents > 0 || stake.lostPoints > 0
      ? html` What the customer has spent or set aside at a checkout, ${money(stake.lostCents, currency)}, is written off.`
      : nothing;
  return html`${outcome} ${back}${lost} These are the current amounts; they are determined again when it is carried out.`;
}

function dismissedWords({ reward }: ReviewEvidence): Html {
  return html`The customer keeps ${pointsWords(reward.points)}, which cost the partner ${money(reward.liabilityCents, reward.currency)}. Another refund of the order opens another review.`;
}
