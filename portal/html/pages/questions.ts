import { maxNoteChars } from '../../../domain/review-notes.ts';
import type { AskedQuestion, ReviewTalk } from '../../../models/views/review-questions.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { say } from '../../words/say.ts';
import { badge, emptyState, facts, section, table } from '../components.ts';
import { form, textArea } from '../form.ts';
import { number, time } from '../format.ts';
import { html, nothing } from '../html.ts';
import { idLink } from '../id-link.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

/** Operators' questions, and whether each still needs an answer. */
export function questionsPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor }: { items: readonly AskedQuestion[]; nextCursor: string | null },
): Page {
  return page(
    {
      title: say('questions.title'),
      lead: say('questions.lead'),
    },
    html`<section class="card">${table({
      caption: say('questions.caption'),
      columns: [
        {
          heading: say('common.order'),
          cell: ({ review }) =>
            html`<a href="/questions/${review._id}">${review.externalOrderId}</a>`,
        },
        {
          heading: say('common.points'),
          cell: ({ review }) => number(review.points),
          isNumber: true,
        },
        { heading: say('questions.asked'), cell: ({ question }) => time(question.at) },
        { heading: say('common.state'), cell: stateOf },
      ],
      rows: items,
      empty: emptyState(say('questions.empty.title'), say('questions.empty.text')),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

function stateOf({ review, isAnswered }: AskedQuestion) {
  if (review.status === 'DECIDED') return badge('QUIET', say('questions.decided'));
  return isAnswered
    ? badge('DONE', say('questions.answered'))
    : badge('ADMIN_REVIEW', say('questions.awaitingYourAnswer'));
}

/** The questions and answers about a refund, and the form to answer. */
export function questionPage(
  ctx: PageContext<'partner'>,
  { review, notes }: ReviewTalk,
  filled: Filled,
): Page {
  const isOpen = review.status === 'OPEN';
  const verdict =
    review.decision?.verdict === 'UPHOLD'
      ? say('questions.question.refundUpheld')
      : say('questions.question.refundDismissed');
  return page(
    {
      title: say('questions.question.title', { order: review.externalOrderId }),
      crumbs: [[say('questions.questions'), '/questions']],
      mode: review.mode,
    },
    section(
      say('questions.section.review'),
      facts([
        [say('questions.refund'), idLink(review.refundEventId, review.externalOrderId)],
        [say('common.points'), number(review.points)],
        [say('questions.opened'), time(review.openedAt)],
        [say('common.state'), isOpen ? say('questions.anOperatorDecides') : verdict],
      ]),
    ),
    section(
      say('questions.section.questionsAndAnswers'),
      notes.map(
        ({ kind, author, at, text }) =>
          html`<blockquote class="said after">${text ?? say('questions.question.erasedCustomers')}<footer>${kind === 'QUESTION' ? say('questions.anOperator') : author}, ${time(at)}</footer></blockquote>`,
      ),
      isOpen && hasPermission(ctx.state.viewer, 'review.answer')
        ? html`<div class="after">${form(
            ctx,
            { action: ctx.path, submit: say('questions.question.submit'), filled },
            textArea({
              name: 'text',
              label: say('questions.question.yourAnswer'),
              filled,
              rows: 4,
              maxLength: maxNoteChars,
            }),
          )}</div>`
        : nothing,
    ),
  );
}
