import Joi from 'joi';
import { type Decision, toDecide } from '../../../deeds/decide-review.ts';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import {
  maxReasonChars,
  type ReviewReason,
  reasonProblem,
  reviewReasons,
  type Verdict,
} from '../../../domain/review-reasons.ts';
import { namesOfActors } from '../../../models/actors.ts';
import { findPartner } from '../../../models/commands/find.ts';
import { type ReviewEvidence, readReviewEvidence } from '../../../models/views/review-evidence.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { noteRead } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { reasonField } from '../../fields.ts';
import { emptyForm, FieldError, type Filled } from '../../forms.ts';
import {
  badge,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../../html/components.ts';
import { form, select, textArea } from '../../html/form.ts';
import { day, money, number, time, timeAway } from '../../html/format.ts';
import { type Html, html, nothing } from '../../html/html.ts';
import { adminPaths, to, workflowLink } from '../../html/links.ts';
import { dueBadge } from '../../html/review.ts';
import { lifeOf } from '../../html/story.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { whyPoints } from '../../html/why-points.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

const reasonWords: Record<ReviewReason, string> = {
  GOODS_RETURNED: 'The goods came back',
  ORDER_CANCELLED: 'The order was cancelled',
  PAYMENT_REVERSED: 'The payment was reversed',
  FRAUD: 'It was fraud',
  REFUND_IN_ERROR: 'The refund was reported in error',
  PARTIAL_REFUND: 'Only a part was refunded',
  NOT_CONFIRMED: 'The partner could not confirm the refund',
  GOODWILL: 'Goodwill towards the customer',
  OTHER: 'Something else',
};

const crumbs = [['Reviews', '/admin/reviews']] as const;

/** One review: its evidence, and the decision. */
export function adminReviewPage(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, config, now } = deps;
  const ofReview = {
    path: '/admin/reviews/:reviewId',
    params: { reviewId: 'review' },
    audience: 'operator',
  } as const;

  async function evidenceFor(ctx: PageContext<'operator'>): Promise<ReviewEvidence> {
    const evidence = await readReviewEvidence(deps, param(ctx, 'reviewId'));
    if (evidence === null) throw nothingHere();
    const { _id: targetId, partnerId } = evidence.review;
    await noteRead(deps, ctx, { action: 'review.read', partnerId, targetId });
    return evidence;
  }

  routes.page({ ...ofReview, permission: 'read' }, async (ctx) => {
    const evidence = await evidenceFor(ctx);
    const { review, reward, story } = evidence;
    const partner = await findPartner(models, review.partnerId);
    const path = adminPaths.REVIEW + review._id;
    const mayDecide = review.status === 'OPEN' && hasPermission(ctx.state.viewer, 'review.decide');
    view(
      ctx,
      {
        title: `Refund of ${review.externalOrderId}`,
        crumbs,
        lead: html`${badge(review.mode)} ${dueBadge(review, now())} ${to('PARTNER', partner._id, partner.name)}`,
        mode: review.mode,
        actions: mayDecide
          ? html`${linkButton(`${path}/uphold`, 'Uphold the refund …')}${linkButton(`${path}/dismiss`, 'Dismiss it …', 'secondary')}`
          : nothing,
      },
      await decided(evidence),
      html`<div class="grid-2">${[purchased(evidence), refunded(evidence), atStake(evidence), next(evidence)]}</div>`,
      section('The reward’s life', lifeOf(story.timeline, reward.currency)),
      section('Why it has that many points', whyPoints(story.why, reward.currency)),
      section(
        'The customer’s other reviews',
        table({
          caption: 'Other reviews of the same customer',
          columns: [
            { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
            { heading: 'Points', cell: ({ points }) => number(points), isNumber: true },
            { heading: 'Opened', cell: ({ openedAt }) => day(openedAt) },
            { heading: 'State', cell: (one) => dueBadge(one, now()) },
            {
              heading: 'Because',
              cell: ({ decision }) => decision && reasonWords[decision.reasonCode],
            },
          ],
          rows: evidence.others,
          empty: emptyState(
            'No other',
            'None of this customer’s newest rewards had another review.',
          ),
        }),
        html`<p class="after">${to('CUSTOMER', reward.customerKey, 'All that is known of the customer')}</p>`,
      ),
    );
  });

  async function decided({ review, decisionReason }: ReviewEvidence): Promise<Html> {
    if (review.decision === null) return nothing;
    const { verdict, adminId, decidedAt, reasonCode } = review.decision;
    const nameOf = await namesOfActors(models, [adminId]);
    return section(
      'Decision',
      facts([
        ['Verdict', verdict === 'UPHOLD' ? 'Upheld' : 'Dismissed'],
        ['By', nameOf.get(adminId) ?? adminId],
        ['When', time(new Date(decidedAt))],
        ['Because', reasonWords[reasonCode]],
        ['In their words', decisionReason || '–'],
      ]),
    );
  }

  function next({ review, story }: ReviewEvidence): Html {
    return section(
      'What happens next',
      html`<p>${story.next.sentence}</p>`,
      facts([
        ['Opened', timeAway(review.openedAt, now())],
        ['Due', timeAway(review.dueAt, now())],
        ['Put before the operators', review.rounds === 1 ? 'once' : `${review.rounds} times`],
        ['Workflow', workflowLink(config, review.workflowId)],
      ]),
    );
  }

  for (const verdict of ['UPHOLD', 'DISMISS'] as const) deciding(verdict);

  function deciding(verdict: Verdict): void {
    const isUphold = verdict === 'UPHOLD';
    const spec = {
      ...ofReview,
      path: `/admin/reviews/:reviewId/${verdict.toLowerCase()}`,
      permission: 'review.decide',
      secondFactor: true,
    } as const;
    const schema = Joi.object<Omit<Decision, 'decision'>>({
      reasonCode: Joi.string()
        .valid(...reviewReasons[verdict])
        .required()
        .messages({ 'any.required': 'Choose a reason.', 'any.only': 'Choose a reason.' }),
      reason: reasonField.default(''),
    });

    async function show(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
      const evidence = await evidenceFor(ctx);
      const { review, reward } = evidence;
      const { mode } = review;
      const path = adminPaths.REVIEW + review._id;
      const matter = {
        action: 'review.decide',
        mode,
        liabilityCents: reward.liabilityCents,
      } as const;
      view(
        ctx,
        {
          title: isUphold ? 'Uphold the refund' : 'Dismiss the refund',
          crumbs: [...crumbs, [review.externalOrderId, path]],
          mode,
        },
        section(
          'What it does',
          html`<p>${isUphold ? upheldWords(evidence) : dismissedWords(evidence)}</p>`,
          needsTwo(config.fourEyes, matter) ? twoNotice : nothing,
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
            ...{ maxLength: maxReasonChars, hint: 'Kept sealed: only operators read it.' },
          }),
        )}</div>`,
      );
    }

    routes.page(spec, (ctx) => show(ctx));
    routes.action(spec, {
      schema,
      async act(ctx, why) {
        if (reasonProblem(verdict, why.reasonCode, why.reason) !== undefined) {
          throw new FieldError('reason', 'Say in your own words what else.');
        }
        const review = await toDecide(deps, param(ctx, 'reviewId'));
        const asked = { review, verdict: { decision: verdict, ...why } };
        await undertake(fourEyes, ctx, 'review.decide', asked, () =>
          redirect(
            ctx,
            adminPaths.REVIEW + review.reviewId,
            isUphold ? 'The refund is upheld.' : 'The refund is dismissed.',
          ),
        );
      },
      retry: show,
    });
  }
}

function purchased({ purchase, reward, story }: ReviewEvidence): Html {
  const { customer } = purchase;
  return section(
    'Purchase',
    facts([
      ['Order', to('EVENT', story.purchase._id, purchase.externalOrderId)],
      ['Amount', purchase.order && money(purchase.order.subtotalCents, purchase.order.currency)],
      ['Received', time(story.purchase.receivedAt)],
      ['Happened', time(story.purchase.occurredAt, 'not said')],
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
      ['Happened', time(event.occurredAt, 'not said')],
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
            ['Upheld, goes back to the partner', money(stake.backCents, currency)] as const,
            [
              'Upheld, is written off',
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
  return html`The reward is cancelled. ${back}${lost} The amounts are those of now, and decided anew when it is done.`;
}

function dismissedWords({ reward }: ReviewEvidence): Html {
  return html`The customer keeps the ${number(reward.points)} points, and the partner pays ${money(reward.liabilityCents, reward.currency)} for them. Another refund of the order opens another review.`;
}
