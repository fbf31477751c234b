import Joi from 'joi';
import { type Mode, modes } from '../../domain/events.ts';
import { dayStartMs } from '../../domain/utc-days.ts';
import { utcDay } from '../../http/utc-day.ts';
import {
  compareOrderFile,
  findJobs,
  maxFileBytes,
  maxFileRows,
  orderFaultsCsv,
} from '../../models/jobs/index.ts';
import type { ComparisonJob } from '../../models/schemas/job.ts';
import type { PageContext } from '../context.ts';
import { redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { FieldError, type Filled, filledWith } from '../forms.ts';
import { comparisonFound } from '../html/comparison.ts';
import { emptyState, facts, linkButton, notice, section, table } from '../html/components.ts';
import { field, fileField, form, select } from '../html/form.ts';
import { day, minuteText, number, time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { jobPart, jobState } from '../html/job.ts';
import { view } from '../html/view.ts';
import { integrationNames } from '../integration-names.ts';
import { readJob, startWork } from '../jobs.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { nothingHere } from '../middleware/well-formed.ts';
import type { Routes } from '../route-table.ts';
import { sampleOrders } from '../sample-orders.ts';
import type { Throttle } from '../throttle.ts';

const crumbs = [['Reconciliation', '/reconciliation']] as const;
/** To choose one from: the newest. */
const maxIntegrations = 100;
const maxShown = 20;

interface ComparisonForm {
  mode: Mode;
  integrationId: string;
  fromDay?: string;
  toDay?: string;
}
const dayField = utcDay.messages({ 'any.custom': 'Enter a day.' });
const comparisonSchema = Joi.object<ComparisonForm>({
  mode: Joi.string()
    .valid(...modes)
    .required(),
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  fromDay: dayField,
  toDay: dayField,
})
  .and('fromDay', 'toDay')
  .messages({ 'object.and': 'Days have a first and a last: fill in both, or neither.' });

const ofJob = {
  params: { jobId: 'comparison' },
  audience: 'partner',
  permission: 'read',
} as const;

/** A partner's own list of orders beside what it reported: what is missing, twice there, or different. */
export function reconciliationPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models } = deps;

  routes.page({ path: '/reconciliation', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const jobs = await findJobs(models, partnerId, 'ORDER_COMPARISON', maxShown);
    const nameOf = await integrationNames(
      models,
      partnerId,
      jobs.map(({ input }) => input),
    );
    const start = hasPermission(viewer, 'job.start')
      ? linkButton('/reconciliation/new', 'Compare a file')
      : nothing;
    view(
      ctx,
      {
        title: 'Reconciliation',
        lead: 'Your own list of orders beside what you reported: what is missing, what stands in it twice, and what differs.',
        actions: jobs.length === 0 ? nothing : start,
      },
      html`<section class="card">${comparisonTable(jobs, nameOf, start)}</section>`,
    );
  });

  routes.page(
    { path: '/reconciliation/sample.csv', audience: 'partner', permission: 'read' },
    async (ctx) => {
      ctx.set('Content-Disposition', 'attachment; filename="orders.csv"');
      ctx.type = 'text/csv; charset=utf-8';
      ctx.body = sampleOrders;
    },
  );

  const starting = {
    path: '/reconciliation/new',
    audience: 'partner',
    permission: 'job.start',
    takesFile: true,
  } as const;
  routes.page(starting, (ctx) => showNew(ctx));
  routes.action(starting, {
    schema: comparisonSchema,
    async act(ctx, { mode, integrationId, fromDay, toDay }) {
      const { partner, user } = ctx.state.viewer;
      const { file } = ctx.state;
      if (!file) throw new FieldError('file', 'Choose a file.');
      throttle.tryUpload(user._id);
      const partnerId = partner._id;
      const range = fromDay && toDay ? { fromDay, toDay } : null;
      const job = await deed(
        deps,
        ctx,
        {
          ...{ action: 'order-comparison.start', partnerId, targetId: null },
          details: { mode, integrationId, range },
        },
        () =>
          compareOrderFile(
            deps,
            { partnerId, requestedBy: user._id },
            { mode, integrationId, range },
            file,
          ),
        ({ _id: targetId, input: { rows } }) => ({ targetId, details: { rows } }),
      );
      await startWork(deps, job);
      redirect(ctx, `/reconciliation/${job._id}`);
    },
    retry: (ctx, filled) => showNew(ctx, filled),
  });

  async function showNew(ctx: PageContext<'partner'>, given?: Filled): Promise<void> {
    const { _id: partnerId, goLive } = ctx.state.viewer.partner;
    const [integrations, [newest]] = await Promise.all([
      models.integrations
        .find({ partnerId }, { name: 1 })
        .sort({ _id: -1 })
        .limit(maxIntegrations)
        .lean(),
      findJobs(models, partnerId, 'ORDER_COMPARISON', 1),
    ]);
    const filled = given ?? filledWith({ mode: goLive.state === 'LIVE' ? 'LIVE' : 'TEST' });
    const choices = integrations.map(({ _id, name }) => ({ value: _id, text: name }));
    view(
      ctx,
      {
        title: 'Compare a file',
        crumbs,
        lead: 'Nothing changes by it: you are told what differs.',
      },
      newest?.isOpen
        ? notice(
            'info',
            html`<a href="/reconciliation/${newest._id}">A comparison is under way.</a> Another can begin once it is done.`,
          )
        : nothing,
      html`<div class="grid-2">${section(
        'Your file',
        choices.length === 0 ? noIntegration : comparisonForm(ctx, choices, filled),
      )}${section('What it looks like', formatPart)}</div>`,
    );
  }

  routes.page({ ...ofJob, path: '/reconciliation/:jobId' }, async (ctx) => {
    const job = await readJob(deps, ctx, 'ORDER_COMPARISON');
    const { mode, input, createdAt, result } = job;
    const nameOf = await integrationNames(models, job.partnerId, [input]);
    const { range } = input;
    view(
      ctx,
      {
        ...{ title: `Comparison of ${minuteText(createdAt)} UTC`, crumbs, mode },
        lead: html`${number(input.rows)} orders of a file, beside what <a href="/integrations/${input.integrationId}">${nameOf(input.integrationId)}</a> reported in ${mode}${range === null ? nothing : html`; and the other way round, what it reported from ${dayOf(range.fromDay)} to ${dayOf(range.toDay)}`}.`,
      },
      jobPart(
        job,
        ctx.path,
        job.progress.of === 'DAYS' ? 'Looking for what is not in the file' : 'Comparing',
        () => result && comparisonFound(job, result),
      ),
    );
  });

  routes.page({ ...ofJob, path: '/reconciliation/:jobId/faults.csv' }, async (ctx) => {
    const { partnerId, _id, status } = await readJob(deps, ctx, 'ORDER_COMPARISON');
    if (status !== 'DONE') throw nothingHere();
    ctx.set('Content-Disposition', 'attachment; filename="reconciliation.csv"');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = orderFaultsCsv(models, partnerId, _id);
  });
}

const dayOf = (text: string): Html => day(new Date(dayStartMs(text)));

const noIntegration = emptyState(
  'No integration yet',
  'Orders are compared with what one of your integrations reported. Create one first.',
  linkButton('/integrations', 'To the integrations'),
);

function comparisonForm(
  ctx: PageContext<'partner'>,
  choices: { value: string; text: string }[],
  filled: Filled,
): Html {
  return form(
    ctx,
    { action: '/reconciliation/new', submit: 'Compare', filled, takesFile: true },
    select({
      ...{ name: 'integrationId', label: 'Reported by', filled, choices },
    }),
    select({
      ...{ name: 'mode', label: 'Mode', filled },
      choices: ['LIVE', 'TEST'].map((value) => ({ value, text: value })),
    }),
    html`<fieldset class="part"><legend>Days of the export</legend><p class="muted">With them, what was reported on these days and is not in the file is named too. UTC, by receipt, both included; leave them empty to look up the orders of the file alone.</p><div class="fields">${field({ name: 'fromDay', label: 'From', type: 'date', filled })}${field({ name: 'toDay', label: 'To', type: 'date', filled })}</div></fieldset>`,
    fileField({
      ...{ name: 'file', label: 'CSV file', filled, isRequired: true },
      accept: '.csv,text/csv',
      hint: html`At most ${number(maxFileRows)} orders and ${maxFileBytes / 1024 / 1024} MiB.`,
    }),
  );
}

const formatPart = html`<p>CSV in UTF-8, with a header; separated by commas, semicolons or tabs. These columns are read, in any order:</p>
${facts([
  ['externalOrderId', 'Your order id, as you report it. Required.'],
  ['subtotal', 'The amount, 49.90 or 49,90. Required, or subtotalCents (4990) in its place.'],
  ['currency', 'Three letters.'],
  ['occurredAt', 'When it was bought, with an offset: 2026-01-31T09:30:00+01:00.'],
  ['refunded', 'Whether it was refunded: yes or no.'],
])}
<p class="after">What is empty is not compared. Nothing of other columns is kept, and what is compared is kept no longer than that takes.</p>
<p><a href="/reconciliation/sample.csv" download>Download a sample</a></p>`;

function comparisonTable(
  jobs: readonly ComparisonJob[],
  nameOf: (integrationId: string | null) => string,
  start: Html,
): Html {
  return table({
    caption: 'Comparisons',
    columns: [
      {
        heading: 'Asked for',
        cell: ({ _id, createdAt }) => html`<a href="/reconciliation/${_id}">${time(createdAt)}</a>`,
      },
      { heading: 'Mode', cell: ({ mode }) => mode },
      {
        heading: 'Reported by',
        cell: ({ input }) => html`<span class="clip">${nameOf(input.integrationId)}</span>`,
      },
      { heading: 'Orders', cell: ({ input }) => number(input.rows), isNumber: true },
      { heading: 'State', cell: (job) => jobState(job) },
      { heading: 'Faults', cell: faultCount, isNumber: true },
    ],
    rows: jobs,
    empty: emptyState(
      'Nothing was compared yet',
      'Export the orders of a month from your shop, and see which of them never reached us.',
      start,
    ),
  });
}

function faultCount({ result }: ComparisonJob): Html {
  if (result === null) return html`<span class="muted">–</span>`;
  return number(Object.values(result.faults).reduce((sum, one) => sum + one, 0));
}
