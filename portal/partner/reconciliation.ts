import Joi from 'joi';
import { dayStartMs } from '../../domain/utc-days.ts';
import { maxFileBytes, maxFileRows } from '../../jobs/index.ts';
import type { ComparisonJob } from '../../models/schemas/jobs.ts';
import { compareOrders } from '../../operations/jobs.ts';
import { utcDay } from '../../platform/validation.ts';
import { comparedIntegrations } from '../../views/exports.ts';
import { findOwnIntegration, integrationChoices } from '../../views/integrations.ts';
import { type ReconciledDay, readReconciledDays } from '../../views/reconciliation.ts';
import {
  badge,
  definitions,
  emptyState,
  linkButton,
  metrics,
  notice,
  section,
  table,
} from '../components/components.ts';
import { type Choice, field, fileField, form, select } from '../components/form.ts';
import {
  day,
  type Html,
  html,
  minuteText,
  nothing,
  number,
  numberText,
  plural,
  time,
} from '../components/format.ts';
import { comparisonResults, jobPart, jobState } from '../components/jobs.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
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
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const maxShown = 20;

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

const ofJob = { params: { jobId: 'comparison' } } as const;

/** Compares a partner’s own list of orders with what it reported: missing, duplicate and differing orders. */
export function reconciliationPages(routes: RoutesOf<'partner'>): void {
  routes.page('/reconciliation', showComparisons);
  routes.page('/reconciliation/sample.csv', downloadSample);
  routes.operation('/reconciliation/new', compareOrders, {
    takesFile: true,
    page: showNew,
    form: comparisonSchema,
    check: requireFile,
    before: ({ state }, { throttle }) => throttle.tryUpload(state.viewer.user._id),
    input: ({ integrationId, fromDay, toDay, ...columns }, ctx) => ({
      mode: modeOf(ctx),
      integrationId,
      range: fromDay && toDay ? { fromDay, toDay } : null,
      columns: columnsOf(columns),
      ...(ctx.state.file && { file: ctx.state.file }),
    }),
    to: ({ _id }) => `/reconciliation/${_id}`,
  });
  routes.page('/reconciliation/:jobId', showComparison, ofJob);
  routes.page('/reconciliation/:jobId/faults.csv', downloadFaults, ofJob);
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

const crumbs = () => [['Order comparison', '/reconciliation']] as const;

type NameOf = (integrationId: string | null) => string;

function reconciliationPage(
  ctx: PageContext<'partner'>,
  {
    jobs,
    nameOf,
    days,
  }: { jobs: readonly ComparisonJob[]; nameOf: NameOf; days: readonly ReconciledDay[] },
): Page {
  const start = hasPermission(ctx.state.viewer, 'job.start')
    ? linkButton('/reconciliation/new', 'Compare a file')
    : nothing;
  return page(
    {
      title: 'Order comparison',
      lead: 'Compare your own list of orders with what you reported: what is missing, duplicated or different.',
      actions: jobs.length === 0 ? nothing : start,
    },
    list(ctx, {
      caption: 'Comparisons',
      columns: {
        Requested: ({ _id, createdAt }) =>
          html`<a href="/reconciliation/${_id}">${time(createdAt)}</a>`,
        'Reported by': ({ input }) =>
          html`<span class="clip">${nameOf(input.integrationId)}</span>`,
        Orders: { number: ({ input }) => input.rows },
        State: (job) => jobState(job),
        Faults: { number: faultCount },
      },
      rows: jobs,
      empty: emptyState(
        'No comparisons yet',
        'Export a month of orders from your shop and see which ones never reached us.',
        start,
      ),
    }),
    section('The last thirty days', thirtyDays(days)),
  );
}

/** Which days were compared, and what was found. */
function thirtyDays(days: readonly ReconciledDay[]): Html {
  const compared = days.filter(({ comparison }) => comparison !== null);
  const differing = compared.filter(({ comparison }) => (comparison?.differences ?? 0) > 0);
  const reported = days.reduce((sum, { purchases }) => sum + purchases, 0);
  return html`${metrics([
    { name: 'Orders reported', value: numberText(reported) },
    { name: 'Days compared', value: numberText(compared.length), note: `of ${days.length}` },
    { name: 'Days with differences', value: numberText(differing.length) },
  ])}
<p class="muted">Send the list of each day by program, at night, with <a href="/quickstarts#command">the command</a>. Days are UTC.<br><code>node partner-events.mjs reconcile orders.csv</code></p>
${table({
  caption: 'Compared days',
  columns: {
    Day: ({ day: one, comparison }) =>
      html`<a href="/reconciliation/${comparison?.jobId ?? ''}">${dayOf(one)}</a>`,
    Result: ({ comparison }) => outcome(comparison?.differences ?? 0),
    'Orders reported': { number: ({ purchases }) => purchases },
  },
  rows: compared,
  empty: html`<p class="muted">No day of the last thirty was compared.</p>`,
})}`;
}

const outcome = (differences: number): Html =>
  differences === 0
    ? badge('OK', 'nothing differs')
    : badge('REFUSED', plural(differences, 'difference', 'differences'));

/** @param newest the partner's newest comparison, if any */
function newComparisonPage(
  ctx: PageContext<'partner'>,
  choices: readonly Choice[],
  newest: ComparisonJob | undefined,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Compare a file',
      crumbs: crumbs(),
      lead: 'Nothing is changed: you only see what differs.',
    },
    newest?.isOpen
      ? notice(
          'info',
          html`<a href="/reconciliation/${newest._id}">A comparison is in progress.</a> You can start another once it is done.`,
        )
      : nothing,
    html`<div class="grid-2">${section(
      'Your file',
      choices.length === 0 ? noIntegration() : comparisonForm(ctx, choices, filled),
    )}${section('File format', formatPart())}</div>`,
  );
}

function comparisonPage(ctx: PageContext<'partner'>, job: ComparisonJob, nameOf: NameOf): Page {
  const { mode, input, createdAt, result } = job;
  const { range } = input;
  return page(
    {
      title: `Comparison of ${minuteText(createdAt)}`,
      crumbs: crumbs(),
      mode,
      lead: html`${plural(input.rows, 'order', 'orders')} of a file, compared with what <a href="/integrations/${input.integrationId}">${nameOf(input.integrationId)}</a> reported in ${mode}${
        range === null
          ? nothing
          : html`; and what it reported from ${dayOf(range.fromDay)} to ${dayOf(range.toDay)}, compared with the file`
      }.`,
    },
    jobPart(
      job,
      ctx.path,
      job.progress.of === 'DAYS' ? 'Looking for orders that are not in the file' : 'Comparing',
      () => result && comparisonResults(job, result),
    ),
  );
}

const dayOf = (text: string): Html => day(new Date(dayStartMs(text)));

const noIntegration = () =>
  emptyState(
    'No integration yet',
    'Orders are compared with what one of your integrations reported. Create one first.',
    linkButton('/integrations', 'View integrations'),
  );

function comparisonForm(
  ctx: PageContext<'partner'>,
  choices: readonly Choice[],
  filled: Filled,
): Html {
  return form(
    ctx,
    {
      action: '/reconciliation/new',
      submit: 'Compare',
      filled,
      takesFile: true,
    },
    select({
      name: 'integrationId',
      label: 'Reported by',
      filled,
      choices,
      loads: { path: '/reconciliation/new', part: '#columns' },
    }),
    html`<fieldset class="part"><legend>Days of the export</legend><p class="muted">If you enter them, orders reported on these days but missing from the file are listed too. Days are UTC, by time of receipt, inclusive. Leave them empty to check only the orders in the file.</p><div class="fields">${field({ name: 'fromDay', label: 'From', type: 'date', filled })}${field({ name: 'toDay', label: 'To', type: 'date', filled })}</div></fieldset>`,
    columnsPart(filled),
    fileField({
      name: 'file',
      label: 'CSV file',
      filled,
      isRequired: true,
      accept: '.csv,text/csv',
      columnsIn: 'found-columns',
      hint: html`Up to ${number(maxFileRows)} orders and ${maxFileBytes / 1024 / 1024} MiB.`,
    }),
  );
}

const columnWords = () =>
  [
    ['orderColumn', 'Order ID', 'externalOrderId'],
    ['amountColumn', 'Amount', 'subtotal'],
    ['currencyColumn', 'Currency', 'currency'],
    ['dateColumn', 'Date of the order', 'occurredAt'],
    ['refundColumn', 'Refunded', 'refunded'],
    ['refundIdColumn', 'Refund ID', 'externalRefundId'],
  ] as const;

/** The fields for the column names of the shop's export, filled in from the previous file. */
function columnsPart(filled: Filled): Html {
  const fields = columnWords().map(([name, label, placeholder]) =>
    field({
      name,
      label,
      placeholder,
      filled,
      maxLength: 100,
      autocomplete: 'off',
      list: 'found-columns',
    }),
  );
  const unit = select({
    name: 'amountUnit',
    label: 'Amounts are written as',
    filled,
    choices: [
      { value: 'UNITS', text: '49.90' },
      { value: 'CENTS', text: '4990 (cents)' },
    ],
  });
  const [order, amount, ...rest] = fields;
  return html`<fieldset class="part" id="columns"><legend>Column names in your export</legend><p class="muted">Choose from the columns of the file that you select below, or enter their names. Leave a field empty to use the name shown. We remember your names for this integration.</p><datalist id="found-columns"></datalist><div class="fields">${order}${amount}${unit}${rest}</div></fieldset>`;
}

const formatPart =
  () => html`<p>CSV in UTF-8 with a header row, separated by commas, semicolons or tabs. These columns are read, in any order, under these names or those of your export:</p>
${definitions([
  ['externalOrderId', 'Your order ID, as you report it. Required.'],
  [
    'subtotal',
    'The amount, such as 49.90 or 49,90. Required, unless there is a subtotalCents column (4990).',
  ],
  ['currency', 'Three letters.'],
  ['occurredAt', 'The date of purchase, with an offset: 2026-01-31T09:30:00+01:00.'],
  [
    'refunded',
    'Whether it was refunded: yes or no, or a status such as paid or refunded. Other statuses are counted apart.',
  ],
  [
    'refundedAmount',
    'How much of it was refunded, such as 12.00, or a refundedCents column (1200).',
  ],
  [
    'externalRefundId',
    'Your refund ID. It makes the row a refund, whose amount is what was refunded.',
  ],
])}
<p class="after">The exports of Shopify, WooCommerce and Stripe are known as they are: leave the names empty. Exports with one row per item work too: rows that repeat the previous row’s order without an amount are skipped.</p>
<p class="after">Empty values are not compared. Other columns are discarded, and the compared data is kept only until the comparison ends.</p>
<p><a href="/reconciliation/sample.csv" download>Download sample</a></p>`;

function faultCount({ result }: ComparisonJob): Html {
  if (result === null) return html`<span class="muted">–</span>`;
  return number(Object.values(result.faults).reduce((sum, one) => sum + one, 0));
}
