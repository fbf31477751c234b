import Joi from 'joi';
import { utcDay } from '../../http/query.ts';
import { execute } from '../../operations/execute.ts';
import { compareOrders } from '../../operations/jobs.ts';
import { comparedIntegrations } from '../../views/exports.ts';
import { findOwnIntegration, integrationChoices } from '../../views/integrations.ts';
import { readReconciledDays } from '../../views/reconciliation.ts';
import { render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { sampleOrders } from '../documents/quickstarts.ts';
import {
  type ColumnsForm,
  columnFields,
  columnsInForm,
  columnsOf,
} from '../forms/order-columns.ts';
import { emptyForm, type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { readFaultsCsv, readJob, readJobs } from '../jobs.ts';
import { actorOf } from '../operate.ts';
import { comparisonPage, newComparisonPage, reconciliationPage } from '../pages/reconciliation.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const maxShown = 20;
const reading = { audience: 'partner', permission: 'read' } as const;
const ofJob = { ...reading, params: { jobId: 'comparison' } } as const;
const starting = {
  path: '/reconciliation/new',
  audience: 'partner',
  permission: 'job.start',
  takesFile: true,
} as const;

interface ComparisonForm extends ColumnsForm {
  integrationId: string;
  fromDay?: string;
  toDay?: string;
}
/** The selected integration, whose column names are filled in. */
const chosenSchema = Joi.object<{ integrationId?: string }>({
  integrationId: Joi.string().max(64),
});
const dayField = utcDay.messages({ 'any.custom': 'Enter a day.' });
const comparisonSchema = Joi.object<ComparisonForm>({
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  fromDay: dayField,
  toDay: dayField,
  ...columnFields,
})
  .and('fromDay', 'toDay')
  .messages({ 'object.and': 'Enter both a first and a last day, or neither.' });

/** Compares a partner’s own list of orders with what it reported: missing, duplicate and differing orders. */
export function reconciliationPages(routes: Routes): void {
  routes.page({ ...reading, path: '/reconciliation' }, showComparisons);
  routes.page({ ...reading, path: '/reconciliation/sample.csv' }, downloadSample);
  routes.page(starting, showNew);
  routes.action(starting, {
    schema: comparisonSchema,
    check: requireFile,
    act: start,
    retry: showNew,
  });
  routes.page({ ...ofJob, path: '/reconciliation/:jobId' }, showComparison);
  routes.page({ ...ofJob, path: '/reconciliation/:jobId/faults.csv' }, downloadFaults);
}

async function showComparisons(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const jobs = await readJobs(deps, ownScope(ctx), 'ORDER_COMPARISON', maxShown, modeOf(ctx));
  const [nameOf, days] = await Promise.all([
    comparedIntegrations(deps, ownScope(ctx), jobs),
    readReconciledDays(deps, ownScope(ctx), modeOf(ctx), deps.now()),
  ]);
  render(ctx, reconciliationPage(ctx, { jobs, nameOf, days }));
}

function downloadSample(ctx: PageContext<'partner'>): void {
  ctx.set('Content-Disposition', 'attachment; filename="orders.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = sampleOrders;
}

async function showNew(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const [choices, [newest]] = await Promise.all([
    integrationChoices(deps, ownScope(ctx)),
    readJobs(deps, ownScope(ctx), 'ORDER_COMPARISON', 1),
  ]);
  const chosenId = queryOf(ctx, chosenSchema).integrationId ?? newest?.input.integrationId;
  const chosen = choices.find(({ value }) => value === chosenId) ?? choices[0];
  const shown = filled ?? (await formOf(ctx, deps, chosen?.value));
  render(ctx, newComparisonPage(ctx, choices, newest, shown));
}

/** The form for an integration's next file, with the column names of its previous one. */
async function formOf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  integrationId: string | undefined,
): Promise<Filled> {
  if (integrationId === undefined) return emptyForm;
  const { orderColumns } = await findOwnIntegration(deps, ownScope(ctx), integrationId);
  return filledWith({ integrationId, ...columnsInForm(orderColumns) });
}

const requireFile = ({ state }: PageContext<'partner'>): Problems =>
  state.file ? {} : { file: 'Choose a file.' };

async function start(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { integrationId, fromDay, toDay, ...columns }: ComparisonForm,
): Promise<void> {
  const { partner, user } = ctx.state.viewer;
  const { file } = ctx.state;
  if (!file) throw new Error('the form was not checked');
  deps.throttle.tryUpload(user._id);
  const partnerId = partner._id;
  const range = fromDay && toDay ? { fromDay, toDay } : null;
  const job = await execute(deps, compareOrders, actorOf(ctx), {
    partnerId,
    mode: modeOf(ctx),
    integrationId,
    range,
    columns: columnsOf(columns),
    file,
  });
  redirect(ctx, `/reconciliation/${job._id}`);
}

async function showComparison(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const job = await readJob(deps, ctx, 'ORDER_COMPARISON');
  render(ctx, comparisonPage(ctx, job, await comparedIntegrations(deps, ownScope(ctx), [job])));
}

async function downloadFaults(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const csv = await readFaultsCsv(deps, ctx);
  ctx.set('Content-Disposition', 'attachment; filename="reconciliation.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = csv;
}
