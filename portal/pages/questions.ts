import type { Mode } from '../../domain/mode.ts';
import { maxNoteChars } from '../../domain/review.ts';
import type { AskedQuestion, ReviewTalk } from '../../views/reviews.ts';
import { badge, emptyState, facts, notice, section } from '../components/components.ts';
import { form, textArea } from '../components/form.ts';
import { html, nothing, number, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';

/** Operators' questions, and whether each still needs an answer. */
export function questionsPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor }: { items: readonly AskedQuestion[]; nextCursor: string | null },
): Page {
  return page(
    {
      title: 'Questions',
      lead: 'Operators’ questions about refunds of claimed rewards.',
    },
    list(ctx, {
      caption: 'Questions',
      columns: {
        Order: ({ review }) =>
          html`<a href="/questions/${review._id}">${review.externalOrderId}</a>`,
        Points: { number: ({ review }) => review.points },
        Asked: ({ question }) => time(question.at),
        State: stateOf,
      },
      rows: items,
      empty: emptyState('No questions', 'Operators can ask you about a refund they are reviewing.'),
      nextCursor,
    }),
  );
}

function stateOf({ review, isAnswered }: AskedQuestion) {
  if (review.status === 'DECIDED') return badge('QUIET', 'Decided');
  return isAnswered ? badge('DONE', 'Answered') : badge('ADMIN_REVIEW', 'Awaiting your answer');
}

/** The questions and answers about a refund, and the form to answer. */
const answering = (mode: Mode) => (mode === 'LIVE' ? 'review.answer-live' : 'review.answer');

export function questionPage(
  ctx: PageContext<'partner'>,
  { review, notes }: ReviewTalk,
  filled: Filled,
): Page {
  const isOpen = review.status === 'OPEN';
  const verdict =
    review.decision?.verdict === 'UPHOLD' ? 'The refund was upheld' : 'The refund was dismissed';
  return page(
    {
      title: `Refund of ${review.externalOrderId}`,
      crumbs: [['Questions', '/questions']],
      mode: review.mode,
    },
    section(
      'Review',
      facts([
        ['Refund', idLink(review.refundEventId, review.externalOrderId)],
        ['Points under review', number(review.points)],
        ['Opened', time(review.openedAt)],
        ['State', isOpen ? 'Decision due' : verdict],
      ]),
    ),
    section(
      'Questions and answers',
      notes.map(
        ({ kind, author, at, text }) =>
          html`<blockquote class="said after">${text ?? 'Erased with the customer’s data.'}<footer>${kind === 'QUESTION' ? 'An operator' : author}, ${time(at)}</footer></blockquote>`,
      ),
      isOpen && notes.some(({ text }) => text === null)
        ? notice(
            'info',
            'What was asked was erased with the customer’s data. You need not answer: the operator asks again, or decides without an answer.',
          )
        : nothing,
      isOpen && hasPermission(ctx.state.viewer, answering(review.mode))
        ? html`<div class="after">${form(
            ctx,
            { action: ctx.path, submit: 'Send answer', filled },
            textArea({
              name: 'text',
              label: 'Your answer',
              filled,
              rows: 4,
              maxLength: maxNoteChars,
            }),
          )}</div>`
        : nothing,
    ),
  );
}
