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
import { say } from '../../../words/say.ts';
import { badge, emptyState, linkButton, section, table } from '../../components.ts';
import { form, hidden, select, textArea } from '../../form.ts';
import { type Html, html, nothing } from '../../html.ts';
import { dueBadge, reasonWords } from '../../review.ts';
import { type Page, page } from '../../view.ts';
import { reviewColumns } from './reviews.ts';

const title = () => say('admin.reviewDecisions.decideSeveralReviews');
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
      crumbs: [[say('admin.reviewDecisions.reviews'), back]],
      lead: say('admin.reviewDecisions.decideSeveral.lead'),
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
      return badge('PROPOSED', say('admin.reviewDecisions.decideSeveral.includedNeeds'));
    case 'DECIDED':
      return dueBadge(review, nowMs);
    case null:
      return badge('OPEN', say('admin.reviewDecisions.decidedHere'));
  }
}

function selectedSection(reviews: NamedReviews, outcome: (review: ReviewDoc) => Html): Html {
  return section(
    say('admin.reviewDecisions.section.chosen'),
    table({
      caption: say('admin.reviewDecisions.decideSeveral.caption'),
      columns: [
        ...reviewColumns(reviews),
        { heading: say('admin.reviewDecisions.outcome'), cell: outcome },
      ],
      rows: reviews.items,
      empty: emptyState(
        say('admin.reviewDecisions.decideSeveral.empty.title'),
        say('admin.reviewDecisions.decideSeveral.empty.text'),
        linkButton(back, say('admin.reviewDecisions.decideSeveral.backReviews')),
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
      submit: say('admin.reviewDecisions.decideSeveral.submit', { count }),
    },
    items.map(({ _id }) => hidden('review', _id)),
    select({
      name: 'because',
      label: say('admin.reviewDecisions.decision'),
      filled,
      choices: [
        { value: '', text: say('admin.reviewDecisions.choose') },
        ...choicesOf('UPHOLD', say('admin.reviewDecisions.uphold')),
        ...choicesOf('DISMISS', say('admin.reviewDecisions.dismiss')),
      ],
    }),
    textArea({
      name: 'reason',
      label: say('admin.reviewDecisions.reason'),
      filled,
      rows: 4,
      maxLength: maxReasonChars,
      hint: say('admin.reviewDecisions.reason.hint'),
    }),
  );
}

const choicesOf = (verdict: keyof typeof reviewReasons, verb: string) =>
  reviewReasons[verdict].map((reason: ReviewReason) => ({
    value: `${verdict} ${reason}`,
    text: `${verb}: ${say(reasonWords[reason])}`,
  }));
