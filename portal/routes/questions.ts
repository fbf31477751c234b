import { pageSchema } from '../../http/query.ts';
import { readQuestions, readQuestionsOf } from '../../models/views/reviews.ts';
import { execute } from '../../operations/execute.ts';
import { answerReview } from '../../operations/reviews.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { noteSchema } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { questionPage, questionsPage } from '../html/pages/questions.ts';
import { render } from '../html/view.ts';
import { orNotFound } from '../middleware/well-formed.ts';
import { actorOf } from '../operate.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const ofReview = {
  path: '/questions/:reviewId',
  params: { reviewId: 'review' },
  audience: 'partner',
} as const;

/** Operators' questions about a refund, and the partner's answers. */
export function questionPages(routes: Routes): void {
  routes.page({ path: '/questions', audience: 'partner', permission: 'read' }, showQuestions);
  routes.page({ ...ofReview, permission: 'read' }, showQuestion);
  routes.action(
    { ...ofReview, permission: 'review.answer' },
    { schema: noteSchema, act: answer, retry: showQuestion },
  );
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

async function answer(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { text }: { text: string },
): Promise<void> {
  const reviewId = param(ctx, 'reviewId');
  await execute(deps, answerReview, actorOf(ctx), { reviewId, text });
  redirect(ctx, `/questions/${reviewId}`, 'Answer sent.');
}
