import { maxReasonChars, type ReviewReason, reviewReasons } from '../../../../domain/review.ts';
import type { ReviewDoc } from '../../../../models/schemas/reviews.ts';
import type { NamedReviews } from '../../../../models/views/reviews.ts';
import { whyLeft } from '../../../../operations/reviews.ts';
import type { Config } from '../../../../platform/config.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { badge, emptyState, linkButton, section, table } from '../../components.ts';
import { form, hidden, select, textArea } from '../../form.ts';
import { plural } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { dueBadge, reasonWords } from '../../review.ts';
import { type Page, page } from '../../view.ts';
import { reviewColumns } from './reviews.ts';

const title = () => 'Decide several reviews';
const back = '/admin/reviews';

/** The selected reviews, which of them one operator can decide, and the form for a joint decision. */
export function decideSeveralPage(
  ctx: PageContext<'operator'>,
  reviews: NamedReviews,
  { config, now, filled }: { config: Pick<Config, 'approvals'>; now: () => number; filled: Filled },
): Page {
  const { items, costOf } = reviews;
  const whyNot = (one: ReviewDoc) => {
    const cost = costOf.get(one.rewardId);
    return cost ? whyLeft(config, one, cost) : 'NEEDS_APPROVAL';
  };
  const decidable = items.filter((one) => whyNot(one) === null);
  const nowMs = now();
  return page(
    {
      title: title(),
      crumbs: [['Reviews', back]],
      lead: 'Each is decided separately, with the same reason.',
    },
    selectedSection(reviews, (one) => outcomeBadge(one, whyNot(one), nowMs)),
    decidable.length === 0
      ? nothing
      : html`<div class="card narrow">${decisionForm(ctx, { items, count: decidable.length, filled })}</div>`,
  );
}

function outcomeBadge(
  review: ReviewDoc,
  whyNot: 'NEEDS_APPROVAL' | 'DECIDED' | null,
  nowMs: number,
): Html {
  switch (whyNot) {
    case 'NEEDS_APPROVAL':
      return badge('PROPOSED', 'Not included: needs two operators');
    case 'DECIDED':
      return dueBadge(review, nowMs);
    case null:
      return badge('OPEN', 'Decided here');
  }
}

function selectedSection(reviews: NamedReviews, outcome: (review: ReviewDoc) => Html): Html {
  return section(
    'Selected',
    table({
      caption: 'Selected reviews',
      columns: [...reviewColumns(reviews), { heading: 'Outcome', cell: outcome }],
      rows: reviews.items,
      empty: emptyState(
        'No reviews selected',
        'Select the ones to decide in the list of reviews.',
        linkButton(back, 'Back to the reviews'),
      ),
    }),
  );
}

/** @param count how many of them can be decided here */
function decisionForm(
  ctx: PageContext<'operator'>,
  { items, count, filled }: { items: readonly ReviewDoc[]; count: number; filled: Filled },
): Html {
  return form(
    ctx,
    {
      action: ctx.path,
      filled,
      isDangerous: true,
      submit: `Decide ${plural(count, 'review', 'reviews')}`,
    },
    items.map(({ _id }) => hidden('review', _id)),
    select({
      name: 'because',
      label: 'Decision',
      filled,
      choices: [
        { value: '', text: 'Choose …' },
        ...choicesOf('UPHOLD', 'Uphold'),
        ...choicesOf('DISMISS', 'Dismiss'),
      ],
    }),
    textArea({
      name: 'reason',
      label: 'In your own words',
      filled,
      rows: 4,
      maxLength: maxReasonChars,
      hint: 'Stored encrypted: only operators can read it.',
    }),
  );
}

const choicesOf = (verdict: keyof typeof reviewReasons, verb: string) =>
  reviewReasons[verdict].map((reason: ReviewReason) => ({
    value: `${verdict} ${reason}`,
    text: `${verb}: ${reasonWords[reason]}`,
  }));
