import { ServiceError } from '../../domain/errors.ts';
import { pageSchema } from '../../http/query.ts';
import { execute } from '../../operations/execute.ts';
import { answerReview } from '../../operations/reviews.ts';
import { lookUpCustomers, readPartnerCustomer } from '../../views/customers.ts';
import { readReceipt } from '../../views/receipt.ts';
import { readQuestions, readQuestionsOf } from '../../views/reviews.ts';
import { partnerRewardsCsv, readPartnerRewards, readRewardTotals } from '../../views/rewards.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema, noteSchema } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { asked } from '../lists/filters.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { questionPage, questionsPage } from '../pages/questions.ts';
import {
  findPartnerCustomerPage,
  partnerCustomerPage,
  partnerRewardsPage,
  rewardFilters,
  sharingCustomersPage,
} from '../pages/rewards.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';
import { sendReceipt } from '../send-receipt.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const finding = { ...reading, path: '/customers' } as const;

/** A partner's rewards, and the customers behind them. */
export function rewardPages(routes: Routes): void {
  routes.page({ ...reading, path: '/orders' }, showRewards);
  routes.page({ ...reading, path: '/orders.csv' }, downloadRewards);
  routes.page(
    { ...reading, path: '/customers/:customerId', params: { customerId: 'customer' } },
    showCustomer,
  );
  routes.page(
    { ...reading, path: '/rewards/:rewardId/receipt.json', params: { rewardId: 'receipt' } },
    downloadReceipt,
  );
  routes.page(finding, showFind);
  routes.action(finding, { schema: contactSchema, act: find, retry: showFind });
}

async function showRewards(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const list = await asked(ctx, deps, rewardFilters);
  const filter = { ...list.filter, mode };
  const [rewards, totals] = await Promise.all([
    readPartnerRewards(deps, ownScope(ctx), filter, queryOf(ctx, pageSchema)),
    readRewardTotals(deps, ownScope(ctx), filter),
  ]);
  render(ctx, partnerRewardsPage(ctx, list, mode, rewards, totals));
}

async function downloadRewards(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { filter } = await asked(ctx, deps, rewardFilters);
  ctx.set('Content-Disposition', 'attachment; filename="orders.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = partnerRewardsCsv(deps, ownScope(ctx), { ...filter, mode: modeOf(ctx) });
}

const noReceipt =
  'There is no receipt yet. The ledger’s new entries are signed once a day: try again tomorrow.';

/** What proves the entries of a LIVE reward, to be checked with `partner-events verify`. */
async function downloadReceipt(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const receipt = await readReceipt(deps, ownScope(ctx), param(ctx, 'rewardId'));
  if (receipt === null) throw new ServiceError('NOT_FOUND', noReceipt);
  sendReceipt(ctx, receipt);
}

async function showCustomer(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const customer = await readPartnerCustomer(deps, ownScope(ctx), param(ctx, 'customerId'));
  render(ctx, partnerCustomerPage(orNotFound(customer), ctx.state.viewer.partner.currency));
}

function showFind(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, findPartnerCustomerPage(ctx, filled));
}

async function find(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const { customerHashKey } = deps.config;
  const looked = await lookUpCustomers(deps, customerHashKey, partner, contactOfText(contact));
  const [first, ...others] = looked.found;
  if (first === undefined)
    throw new FieldError('contact', 'None of your customers has this email or phone.');
  if (others.length === 0) redirect(ctx, `/customers/${first}`);
  else render(ctx, sharingCustomersPage(looked.found));
}

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
