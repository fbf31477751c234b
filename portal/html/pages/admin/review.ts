import { maxNoteChars, type ReviewNoteKind } from '../../../../domain/review-notes.ts';
import { maxReasonChars, reviewReasons, type Verdict } from '../../../../domain/review-reasons.ts';
import type { ReviewDetails, ReviewEvidence } from '../../../../models/views/review-evidence.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, emptyState, facts, linkButton, notice, section, table } from '../../components.ts';
import { form, select, textArea } from '../../form.ts';
import { day, minuteOfIso, money, number, time, timeAway } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { adminPaths, to, workflowLink } from '../../links.ts';
import { dueBadge, reasonWords } from '../../review.ts';
import { lifeOf } from '../../story.ts';
import { type Page, page } from '../../view.ts';
import { whyPoints } from '../../why-points.ts';

const crumbs = [['Reviews', '/admin/reviews']] as const;

export function reviewPage(
  ctx: PageContext<'operator'>,
  details: ReviewDetails,
  { config, nowMs, filled }: { config: Pick<Config, 'temporal'>; nowMs: number; filled: Filled },
): Page {
  const { evidence, partner } = details;
  const { review, reward, story } = evidence;
  const path = adminPaths.REVIEW + review._id;
  const mayDecide = review.status === 'OPEN' && hasPermission(ctx.state.viewer, 'review.decide');
  return page(
    {
      title: `Refund of ${review.externalOrderId}`,
      crumbs,
      lead: html`${badge(review.mode)} ${dueBadge(review, nowMs)} ${to('PARTNER', partner._id, partner.name)}`,
      mode: review.mode,
      actions: mayDecide
        ? html`${linkButton(`${path}/uphold`, 'Uphold the refund …')}${linkButton(`${path}/dismiss`, 'Dismiss it …', 'secondary')}`
        : nothing,
    },
    decidedSection(details),
    html`<div class="grid-2">${[purchased(evidence), refunded(evidence), atStake(evidence), nextSection(evidence, config, nowMs)]}</div>`,
    notesSection(ctx, details, filled),
    section('Timeline', lifeOf(story.timeline, reward.currency)),
    section('Why it has that many points', whyPoints(story.why, reward.currency)),
    section(
      'The customer’s other reviews',
      table({
        caption: 'Other reviews of the same customer',
        columns: [
          { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
          { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
          { heading: 'Opened', cell: ({ openedAt }) => day(openedAt) },
          { heading: 'State', cell: (one) => dueBadge(one, nowMs) },
          {
            heading: 'Because',
            cell: ({ decision }) => decision && reasonWords[decision.reasonCode],
          },
        ],
        rows: evidence.others,
        empty: emptyState('No other', 'None of this customer’s newest rewards had another review.'),
      }),
      html`<p class="after">${to('CUSTOMER', reward.customerId, 'All that is known of the customer')}</p>`,
    ),
  );
}

function decidedSection({ evidence, nameOf }: ReviewDetails): Html {
  const { review, decisionReason } = evidence;
  if (review.decision === null) return nothing;
  const { verdict, operatorId, decidedAt, reasonCode } = review.decision;
  return section(
    'Decision',
    facts([
      ['Verdict', verdict === 'UPHOLD' ? 'Upheld' : 'Dismissed'],
      ['By', nameOf.get(operatorId) ?? operatorId],
      ['When', time(new Date(decidedAt))],
      ['Because', reasonWords[reasonCode]],
      ['In their words', decisionReason || '–'],
    ]),
  );
}

/** What operators wrote for each other, and who looks after it. */
function notesSection(
  ctx: PageContext<'operator'>,
  { evidence: { review }, notes, deciders, nameOf }: ReviewDetails,
  filled: Filled,
): Html {
  const { viewer } = ctx.state;
  const path = adminPaths.REVIEW + review._id;
  const { assigneeId = '' } = review;
  const mayAssign = review.status === 'OPEN' && hasPermission(viewer, 'review.assign');
  return section(
    'Notes and questions',
    facts([['Assigned to', assigneeId === '' ? 'Nobody' : (nameOf.get(assigneeId) ?? assigneeId)]]),
    mayAssign
      ? form(
          ctx,
          { action: `${path}/assign`, submit: 'Assign', isInline: true },
          select({
            ...{ name: 'assigneeId', label: 'Assign to', filled },
            // Nobody is assigned: whoever looks is offered first.
            chosen: assigneeId || viewer.actorId,
            choices: [
              { value: '', text: 'Nobody' },
              ...deciders.map(({ _id, name }) => ({
                value: _id,
                text: _id === viewer.actorId ? `${name} (you)` : name,
              })),
            ],
          }),
        )
      : nothing,
    notes.map(
      ({ kind, author, at, text }) =>
        html`<blockquote class="said after">${text ?? 'Erased with the customer’s data.'}<footer>${noteWords[kind]} ${author}, ${time(at)}</footer></blockquote>`,
    ),
    review.status === 'OPEN' && hasPermission(viewer, 'review.ask')
      ? html`<p class="after">${linkButton(`${path}/ask`, 'Ask the partner …', 'secondary')}</p>`
      : nothing,
    hasPermission(viewer, 'review.add-note')
      ? html`<div class="after">${form(
          ctx,
          { action: `${path}/notes`, submit: 'Add note', filled },
          textArea({
            ...{ name: 'text', label: 'New note', filled, rows: 3, maxLength: maxNoteChars },
            hint: 'Only operators see this, never the partner.',
          }),
        )}</div>`
      : nothing,
  );
}

const noteWords: Record<ReviewNoteKind, string> = {
  NOTE: 'Note by',
  QUESTION: 'Asked of the partner by',
  ANSWER: 'Answered by the partner’s',
};

/** The form to ask the partner something. */
export function askPage(
  ctx: PageContext<'operator'>,
  { evidence: { review }, partner }: ReviewDetails,
  filled: Filled,
): Page {
  const path = adminPaths.REVIEW + review._id;
  return page(
    {
      title: 'Ask the partner',
      crumbs: [...crumbs, [review.externalOrderId, path]],
      lead: html`${partner.name} sees it under Questions and answers there.`,
      mode: review.mode,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/ask`, submit: 'Ask', filled },
      textArea({
        ...{ name: 'text', label: 'Question', filled, rows: 4, maxLength: maxNoteChars },
        hint: 'The partner does not see who asked.',
      }),
    )}</div>`,
  );
}

function nextSection(
  { review, story }: ReviewEvidence,
  config: Pick<Config, 'temporal'>,
  nowMs: number,
): Html {
  return section(
    'What happens next',
    html`<p>${story.next.sentence(minuteOfIso)}</p>`,
    facts([
      ['Opened', timeAway(review.openedAt, nowMs)],
      ['Due', timeAway(review.dueAt, nowMs)],
      ['Escalated', review.rounds === 1 ? 'once' : `${review.rounds} times`],
      ['Workflow', workflowLink(config, review.workflowId)],
    ]),
  );
}

/** @param needsApproval whether the decision takes a second operator */
export function decidePage(
  ctx: PageContext<'operator'>,
  verdict: Verdict,
  { evidence }: ReviewDetails,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  const isUphold = verdict === 'UPHOLD';
  const { review } = evidence;
  const { mode } = review;
  const path = adminPaths.REVIEW + review._id;
  return page(
    {
      title: isUphold ? 'Uphold the refund' : 'Dismiss the refund',
      crumbs: [...crumbs, [review.externalOrderId, path]],
      mode,
    },
    section(
      'What it does',
      html`<p>${isUphold ? upheldWords(evidence) : dismissedWords(evidence)}</p>`,
      needsApproval ? approvalNotice : nothing,
    ),
    html`<div class="card narrow">${form(
      ctx,
      {
        ...{ action: `${path}/${verdict.toLowerCase()}`, filled, isDangerous: isUphold },
        submit: isUphold ? 'Uphold the refund' : 'Dismiss the refund',
      },
      select({
        ...{ name: 'reasonCode', label: 'Reason', filled },
        choices: [
          { value: '', text: 'Choose …' },
          ...reviewReasons[verdict].map((value) => ({ value, text: reasonWords[value] })),
        ],
      }),
      textArea({
        ...{ name: 'reason', label: 'In your own words', filled, rows: 4 },
        ...{ maxLength: maxReasonChars, hint: 'Stored encrypted: only operators can read it.' },
      }),
    )}</div>`,
  );
}

function purchased({ purchase, reward, story }: ReviewEvidence): Html {
  const { customer } = purchase;
  return section(
    'Purchase',
    facts([
      ['Order', to('EVENT', story.purchase._id, purchase.externalOrderId)],
      ['Amount', purchase.order && money(purchase.order.subtotalCents, purchase.order.currency)],
      ['Received', time(story.purchase.receivedAt)],
      ['Order date', time(story.purchase.occurredAt, 'not provided')],
      ['Customer', [customer?.email, customer?.phone].filter(Boolean).join(', ')],
      ['Integration', to('INTEGRATION', reward.integrationId)],
      ['Reward', to('REWARD', reward._id)],
      ['Claimed', time(reward.moves.findLast(({ move }) => move === 'CLAIM')?.at)],
    ]),
  );
}

function refunded({ story, refundReason }: ReviewEvidence): Html {
  const { event } = story;
  return section(
    'Refund',
    facts([
      ['Refund', to('EVENT', event._id, event.externalRefundId ?? event._id)],
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
    facts([
      ['Reward', html`${number(reward.points)} points, ${money(reward.liabilityCents, currency)}`],
      [
        isOver ? 'The customer holds now' : 'The customer still holds',
        stake.heldPoints === null
          ? 'TEST: nobody holds points'
          : html`${number(stake.heldPoints)} points, ${money(stake.owedCents, currency)}`,
      ],
      ...(isOver
        ? []
        : [
            ['If upheld, returned to the partner', money(stake.backCents, currency)] as const,
            [
              'If upheld, written off',
              stake.lostCents === 0 && stake.lostPoints === 0
                ? 'nothing'
                : html`${money(stake.lostCents, currency)}, ${number(stake.lostPoints)} points`,
            ] as const,
          ]),
    ]),
    !isOver && stake.lostPoints > 0
      ? notice('warn', 'The customer has spent a part already.')
      : nothing,
  );
}

function upheldWords({ reward, stake }: ReviewEvidence): Html {
  const { currency } = reward;
  const back =
    stake.heldPoints === null
      ? html`In TEST no customer’s balance is touched; ${money(stake.backCents, currency)} go back to the test funding.`
      : html`${number(stake.backPoints)} points leave the customer’s balance, and ${money(stake.backCents, currency)} go back to the partner’s funds.`;
  const lost =
    stake.lostCents > 0 || stake.lostPoints > 0
      ? html` What was spent already, ${money(stake.lostCents, currency)}, is written off.`
      : nothing;
  return html`The reward is cancelled. ${back}${lost} These are the current amounts; they are determined again when it is carried out.`;
}

function dismissedWords({ reward }: ReviewEvidence): Html {
  return html`The customer keeps the ${number(reward.points)} points, and the partner pays ${money(reward.liabilityCents, reward.currency)} for them. Another refund of the order opens another review.`;
}
