import {
  maxReasonChars,
  type ReviewReason,
  reviewReasons,
} from '../../../../domain/review-reasons.ts';
import type { ReviewDoc } from '../../../../models/schemas/review.ts';
import type { NamedReviews } from '../../../../models/views/reviews.ts';
import { whyLeft } from '../../../../operations/reviews/decide-several.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { badge, emptyState, linkButton, section, table } from '../../components.ts';
import { form, hidden, select, textArea } from '../../form.ts';
import { type Html, html, nothing } from '../../html.ts';
import { dueBadge, reasonWords } from '../../review.ts';
import { type Page, page } from '../../view.ts';
import { whatIsReviewed } from './reviews.ts';

const [title, back] = ['Decide several reviews', '/admin/reviews'];

/** The reviews that were chosen, what becomes of each, and one decision for all that one operator may decide. */
export function decideSeveralPage(
  ctx: PageContext<'operator'>,
  reviews: NamedReviews,
  { config, now, filled }: { config: Pick<Config, 'approvals'>; now: () => number; filled: Filled },
): Page {
  const { items, costOf } = reviews;
  const leftOf = (one: ReviewDoc) => {
    const cost = costOf.get(one.rewardId);
    return cost ? whyLeft(config, one, cost) : 'NEEDS_APPROVAL';
  };
  const decidable = items.filter((one) => leftOf(one) === null);
  const nowMs = now();
  const becomes = (one: ReviewDoc): Html => {
    const left = leftOf(one);
    if (left === 'NEEDS_APPROVAL') return badge('PROPOSED', 'Not included: needs two operators');
    return left === 'DECIDED' ? dueBadge(one, nowMs) : badge('OPEN', 'Decided here');
  };
  return page(
    {
      title,
      crumbs: [['Reviews', back]],
      lead: 'Each is decided separately, with the same reason.',
    },
    section(
      'Chosen',
      table({
        caption: 'Chosen reviews',
        columns: [...whatIsReviewed(reviews), { heading: 'Outcome', cell: becomes }],
        rows: items,
        empty: emptyState(
          'No reviews chosen',
          'Select the ones to decide in the list of reviews.',
          linkButton(back, 'Back to the reviews'),
        ),
      }),
    ),
    decidable.length === 0
      ? nothing
      : html`<div class="card narrow">${form(
          ctx,
          {
            ...{ action: ctx.path, filled, isDangerous: true },
            submit: decidable.length === 1 ? 'Decide it' : `Decide these ${decidable.length}`,
          },
          items.map(({ _id }) => hidden('review', _id)),
          select({
            ...{ name: 'because', label: 'Decision', filled },
            choices: [
              { value: '', text: 'Choose …' },
              ...choicesOf('UPHOLD', 'Uphold'),
              ...choicesOf('DISMISS', 'Dismiss'),
            ],
          }),
          textArea({
            ...{ name: 'reason', label: 'In your own words', filled, rows: 4 },
            ...{ maxLength: maxReasonChars, hint: 'Stored encrypted: only operators can read it.' },
          }),
        )}</div>`,
  );
}

const choicesOf = (verdict: keyof typeof reviewReasons, verb: string) =>
  reviewReasons[verdict].map((reason: ReviewReason) => ({
    value: `${verdict} ${reason}`,
    text: `${verb}: ${reasonWords[reason]}`,
  }));
