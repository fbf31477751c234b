import { maxNoteChars, type ReviewNoteKind } from '../../../../domain/review-notes.ts';
import { maxReasonChars, reviewReasons, type Verdict } from '../../../../domain/review-reasons.ts';
import type { ReviewDetails, ReviewEvidence } from '../../../../models/views/review-evidence.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { type PlainKey, say } from '../../../words/say.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, emptyState, facts, linkButton, notice, section, table } from '../../components.ts';
import { form, select, textArea } from '../../form.ts';
import { day, minuteOfIso, money, number, time, timeAway } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { operatorPaths, to, toId, workflowLink } from '../../links.ts';
import { dueBadge, reasonWords } from '../../review.ts';
import { timelineList } from '../../timeline-list.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

const crumbs = () => [[say('admin.review.reviews'), '/admin/reviews']] as const;

export function reviewPage(
  ctx: PageContext<'operator'>,
  details: ReviewDetails,
  { config, nowMs, filled }: { config: Pick<Config, 'temporal'>; nowMs: number; filled: Filled },
): Page {
  const { evidence, partner } = details;
  const { review, reward, refund } = evidence;
  const path = operatorPaths.REVIEW + review._id;
  const mayDecide = review.status === 'OPEN' && hasPermission(ctx.state.viewer, 'review.decide');
  return page(
    {
      title: say('admin.review.title', { order: review.externalOrderId }),
      crumbs: crumbs(),
      lead: html`${badge(review.mode)} ${dueBadge(review, nowMs)} ${to('PARTNER', partner._id, partner.name)}`,
      mode: review.mode,
      actions: mayDecide
        ? html`${linkButton(`${path}/uphold`, say('admin.review.upholdTheRefund'))}${linkButton(`${path}/dismiss`, say('admin.review.dismissIt'), 'secondary')}`
        : nothing,
    },
    decidedSection(details),
    html`<div class="grid-2">${[purchased(ctx, evidence), refunded(evidence), atStake(evidence), nextSection(evidence, config, nowMs)]}</div>`,
    notesSection(ctx, details, filled),
    section(say('admin.review.section.timeline'), timelineList(refund.timeline, reward.currency)),
    section(say('admin.review.section.whyManyPoints'), whyPoints(refund.why, reward.currency)),
    section(
      say('admin.review.section.customersOtherReviews'),
      table({
        caption: say('admin.review.caption'),
        columns: [
          {
            heading: say('common.order'),
            cell: (one) => to('REVIEW', one._id, one.externalOrderId),
          },
          { heading: say('common.points'), cell: ({ points }) => number(points), isNumber: true },
          { heading: say('admin.review.opened'), cell: ({ openedAt }) => day(openedAt) },
          { heading: say('common.state'), cell: (one) => dueBadge(one, nowMs) },
          {
            heading: say('admin.review.decision.reason'),
            cell: ({ decision }) => decision && say(reasonWords[decision.reasonCode]),
          },
        ],
        rows: evidence.others,
        empty: emptyState(say('admin.review.empty.title'), say('admin.review.empty.text')),
      }),
      html`<p class="after">${to('CUSTOMER', reward.customerId, say('admin.review.text'))}</p>`,
    ),
  );
}

function decidedSection({ evidence, nameOf }: ReviewDetails): Html {
  const { review, decisionReason } = evidence;
  if (review.decision === null) return nothing;
  const { verdict, operatorId, decidedAt, reasonCode } = review.decision;
  return section(
    say('admin.review.section.decision'),
    facts([
      [
        say('admin.review.verdict'),
        verdict === 'UPHOLD' ? say('admin.review.upheld') : say('admin.review.dismissed'),
      ],
      [say('admin.review.by'), nameOf.get(operatorId) ?? operatorId],
      [say('common.when'), time(new Date(decidedAt))],
      [say('admin.review.decision.reason'), say(reasonWords[reasonCode])],
      [say('admin.review.inTheirWords'), decisionReason || '–'],
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
    say('admin.review.section.notesAndQuestions'),
    facts([
      [
        say('admin.review.assignedTo'),
        assigneeId === '' ? say('admin.review.nobody') : (nameOf.get(assigneeId) ?? assigneeId),
      ],
    ]),
    isOpen && may('review.assign')
      ? assignForm(ctx, { path, assigneeId, deciders, filled })
      : nothing,
    notes.map(
      ({ kind, author, at, text }) =>
        html`<blockquote class="said after">${text ?? say('admin.review.notes.erasedCustomers')}<footer>${say(noteWords[kind])} ${author}, ${time(at)}</footer></blockquote>`,
    ),
    isOpen && may('review.ask')
      ? html`<p class="after">${linkButton(`${path}/ask`, say('admin.review.askThePartner'), 'secondary')}</p>`
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
    { action: `${path}/assign`, submit: say('admin.review.notes.submit'), isInline: true },
    select({
      name: 'assigneeId',
      label: say('admin.review.assigneeId'),
      filled,
      // If nobody is assigned, the viewer is preselected.
      chosen: assigneeId || actorId,
      choices: [
        { value: '', text: say('admin.review.nobody') },
        ...deciders.map(({ _id, name }) => ({
          value: _id,
          text: _id === actorId ? say('admin.review.you', { name }) : name,
        })),
      ],
    }),
  );
}

const noteForm = (
  ctx: PageContext<'operator'>,
  { path, filled }: { path: string; filled: Filled },
): Html =>
  form(
    ctx,
    { action: `${path}/notes`, submit: say('admin.review.notes.submit.addNote'), filled },
    textArea({
      name: 'text',
      label: say('admin.review.notes.newNote'),
      filled,
      rows: 3,
      maxLength: maxNoteChars,
      hint: say('admin.review.text.hint'),
    }),
  );

const noteWords: Readonly<Record<ReviewNoteKind, PlainKey>> = {
  NOTE: 'admin.review.note.note',
  QUESTION: 'admin.review.note.question',
  ANSWER: 'admin.review.note.answer',
};

export function askPage(
  ctx: PageContext<'operator'>,
  { evidence: { review }, partner }: ReviewDetails,
  filled: Filled,
): Page {
  const path = operatorPaths.REVIEW + review._id;
  return page(
    {
      title: say('admin.review.ask.title'),
      crumbs: [...crumbs(), [review.externalOrderId, path]],
      lead: say('admin.review.ask.lead', { name: partner.name }),
      mode: review.mode,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/ask`, submit: say('admin.review.ask.submit'), filled },
      textArea({
        name: 'text',
        label: say('admin.review.ask.text'),
        filled,
        rows: 4,
        maxLength: maxNoteChars,
        hint: say('admin.review.ask.text.hint'),
      }),
    )}</div>`,
  );
}

function nextSection(
  { review, refund }: ReviewEvidence,
  config: Pick<Config, 'temporal'>,
  nowMs: number,
): Html {
  // In its first round, a review was put to operators once.
  const escalations = review.rounds - 1;
  return section(
    say('admin.review.section.whatHappensNext'),
    html`<p>${refund.next.sentence(minuteOfIso)}</p>`,
    facts([
      [say('admin.review.opened'), timeAway(review.openedAt, nowMs)],
      [say('common.due'), timeAway(review.dueAt, nowMs)],
      ...(escalations === 0
        ? []
        : [[say('admin.review.escalated'), say('admin.review.times', { escalations })] as const]),
      [say('admin.review.workflow'), workflowLink(config, review.workflowId)],
    ]),
  );
}

/** @param needsApproval whether the decision needs a second operator */
export function decidePage(
  ctx: PageContext<'operator'>,
  verdict: Verdict,
  { evidence }: ReviewDetails,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  const isUphold = verdict === 'UPHOLD';
  const { review } = evidence;
  const { mode } = review;
  const path = operatorPaths.REVIEW + review._id;
  return page(
    {
      title: isUphold
        ? say('admin.review.decide.title')
        : say('admin.review.decide.title.dismissRefund'),
      crumbs: [...crumbs(), [review.externalOrderId, path]],
      mode,
    },
    section(
      say('admin.review.section.whatItDoes'),
      html`<p>${isUphold ? upheldWords(evidence) : dismissedWords(evidence)}</p>`,
      needsApproval ? approvalNotice() : nothing,
    ),
    html`<div class="card narrow">${form(
      ctx,
      {
        action: `${path}/${verdict.toLowerCase()}`,
        filled,
        isDangerous: isUphold,
        submit: isUphold
          ? say('admin.review.decide.submit')
          : say('admin.review.decide.submit.dismissRefund'),
      },
      select({
        name: 'reasonCode',
        label: say('common.reason'),
        filled,
        choices: [
          { value: '', text: say('admin.review.choose') },
          ...reviewReasons[verdict].map((value) => ({ value, text: say(reasonWords[value]) })),
        ],
      }),
      textArea({
        name: 'reason',
        label: say('admin.review.reason'),
        filled,
        rows: 4,
        maxLength: maxReasonChars,
        hint: say('admin.review.reason.hint'),
      }),
    )}</div>`,
  );
}

function purchased(
  ctx: PageContext<'operator'>,
  { purchase, reward, refund }: ReviewEvidence,
): Html {
  const { customer } = purchase;
  return section(
    say('admin.review.section.purchase'),
    facts([
      [say('common.order'), to('EVENT', refund.purchase._id, purchase.externalOrderId)],
      [
        say('common.amount'),
        purchase.order && money(purchase.order.subtotalCents, purchase.order.currency),
      ],
      [say('common.received'), time(refund.purchase.receivedAt)],
      [
        say('admin.review.orderDate'),
        time(refund.purchase.occurredAt, say('admin.review.notProvided')),
      ],
      [say('common.customer'), [customer?.email, customer?.phone].filter(Boolean).join(', ')],
      [say('common.integration'), toId(ctx, reward.integrationId)],
      [say('common.reward'), to('REWARD', reward._id)],
      [
        say('admin.review.claimed'),
        time(reward.moves.findLast(({ move }) => move === 'CLAIM')?.at),
      ],
    ]),
  );
}

function refunded({ refund, refundReason }: ReviewEvidence): Html {
  const { event } = refund;
  return section(
    say('admin.review.section.refund'),
    facts([
      [say('admin.review.refund'), to('EVENT', event._id, event.externalRefundId ?? event._id)],
      [say('common.received'), time(event.receivedAt)],
      [say('admin.review.refundDate'), time(event.occurredAt, say('admin.review.notProvided'))],
    ]),
    refundReason === null
      ? html`<p class="muted after">${say('admin.review.refunded.text')}</p>`
      : html`<blockquote class="said after">${refundReason}<footer>${say('admin.review.thePartnersReason')}</footer></blockquote>`,
  );
}

function atStake({ reward, stake, review }: ReviewEvidence): Html {
  const { currency } = reward;
  const isOver = review.status === 'DECIDED';
  return section(
    say('admin.review.section.moneyAtStake'),
    facts([
      [
        say('common.reward'),
        say('admin.review.points', {
          points: number(reward.points),
          liability: money(reward.liabilityCents, currency),
        }),
      ],
      [
        isOver ? say('admin.review.customerHoldsNow') : say('admin.review.customerStillHolds'),
        stake.heldPoints === null
          ? say('admin.review.atStake.text')
          : say('admin.review.atStake.points', {
              heldPoints: number(stake.heldPoints),
              owed: money(stake.owedCents, currency),
            }),
      ],
      ...(isOver
        ? []
        : [
            [say('admin.review.upheldReturnedPartner'), money(stake.backCents, currency)] as const,
            [
              say('admin.review.upheldWrittenOff'),
              stake.lostCents === 0 && stake.lostPoints === 0
                ? 'nothing'
                : say('admin.review.atStake.points.points', {
                    lost: money(stake.lostCents, currency),
                    lostPoints: number(stake.lostPoints),
                  }),
            ] as const,
          ]),
    ]),
    !isOver && stake.lostPoints > 0 ? notice('warn', say('admin.review.atStake.notice')) : nothing,
  );
}

function upheldWords({ reward, stake }: ReviewEvidence): Html {
  const { currency } = reward;
  const back =
    stake.heldPoints === null
      ? say('admin.review.upheld.testCustomers', { back: money(stake.backCents, currency) })
      : say('admin.review.upheld.pointsLeave', {
          backPoints: number(stake.backPoints),
          back: money(stake.backCents, currency),
        });
  const lost =
    stake.lostCents > 0 || stake.lostPoints > 0
      ? html` ${say('admin.review.upheld.spentAlready', { lost: money(stake.lostCents, currency) })}`
      : nothing;
  return html`${say('admin.review.upheld.rewardCancelled', { back, lost })}`;
}

function dismissedWords({ reward }: ReviewEvidence): Html {
  return html`${say('admin.review.dismissed.text', { points: number(reward.points), liability: money(reward.liabilityCents, reward.currency) })}`;
}
