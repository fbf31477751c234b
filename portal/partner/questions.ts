import type { Mode } from '../../domain/mode.ts';
import { maxNoteChars } from '../../domain/review.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import { answerReview } from '../../operations/reviews.ts';
import {
  type AskedQuestion,
  type ReviewTalk,
  readQuestions,
  readQuestionsOf,
} from '../../views/reviews.ts';
import { badge, definitions, emptyState, notice, section } from '../components/components.ts';
import { form, textArea } from '../components/form.ts';
import { html, nothing, number, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { noteSchema } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

/** Operators' questions about a refund, and the partner's answers. */
export function questionPages(routes: RoutesOf<'partner'>): void {
  routes.page('/questions', showQuestions);
  routes.page('/questions/:reviewId', showQuestion);
  routes.operation('/questions/:reviewId', answerReview, {
    on: showQuestion,
    form: noteSchema,
    to: '/questions/:reviewId',
    said: 'Answer sent.',
  });
}

async function showQuestions(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const questions = await readQuestions(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, questionsPage(ctx, questions));
}

async function showQuestion(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const talk = await readQuestionsOf(deps, ownScope(ctx), param(ctx, 'reviewId'));
  render(ctx, questionPage(ctx, orNotFound(talk), filled));
}

/** Operators' questions, and whether each still needs an answer. */
function questionsPage(
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

function questionPage(
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
      definitions([
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
