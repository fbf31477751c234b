import { dayStartMs } from '../../../domain/utc-days.ts';
import { maxFileBytes, maxFileRows } from '../../../models/jobs/index.ts';
import type { ComparisonJob } from '../../../models/schemas/job.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { comparisonResults } from '../comparison.ts';
import { emptyState, facts, linkButton, notice, section, table } from '../components.ts';
import { type Choice, field, fileField, form, select } from '../form.ts';
import { day, minuteText, number, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { jobPart, jobState } from '../job.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('reconciliation.reconciliation'), '/reconciliation']] as const;

type NameOf = (integrationId: string | null) => string;

export function reconciliationPage(
  { state: { viewer } }: PageContext<'partner'>,
  jobs: readonly ComparisonJob[],
  nameOf: NameOf,
): Page {
  const start = hasPermission(viewer, 'job.start')
    ? linkButton('/reconciliation/new', say('reconciliation.compareAFile'))
    : nothing;
  return page(
    {
      title: say('reconciliation.title'),
      lead: say('reconciliation.lead'),
      actions: jobs.length === 0 ? nothing : start,
    },
    html`<section class="card">${comparisonTable(jobs, nameOf, start)}</section>`,
  );
}

/** @param newest the partner's newest comparison, if any */
export function newComparisonPage(
  ctx: PageContext<'partner'>,
  choices: readonly Choice[],
  newest: ComparisonJob | undefined,
  filled: Filled,
): Page {
  return page(
    {
      title: say('reconciliation.newComparison.title'),
      crumbs: crumbs(),
      lead: say('reconciliation.newComparison.lead'),
    },
    newest?.isOpen
      ? notice(
          'info',
          say('reconciliation.newComparison.notice', {
            link: tags.link(`/reconciliation/${newest._id}`),
          }),
        )
      : nothing,
    html`<div class="grid-2">${section(
      say('reconciliation.section.yourFile'),
      choices.length === 0 ? noIntegration() : comparisonForm(ctx, choices, filled),
    )}${section(say('reconciliation.section.looksLike'), formatPart())}</div>`,
  );
}

export function comparisonPage(
  ctx: PageContext<'partner'>,
  job: ComparisonJob,
  nameOf: NameOf,
): Page {
  const { mode, input, createdAt, result } = job;
  const { range } = input;
  return page(
    {
      title: say('reconciliation.comparison.title', { createdAt: minuteText(createdAt) }),
      crumbs: crumbs(),
      mode,
      lead: say('reconciliation.comparison.lead', {
        rows: number(input.rows),
        link: tags.link(`/integrations/${input.integrationId}`),
        name: nameOf(input.integrationId),
        mode,
        otherWay:
          range === null
            ? nothing
            : say('reconciliation.comparison.otherWay', {
                from: dayOf(range.fromDay),
                to: dayOf(range.toDay),
              }),
      }),
    },
    jobPart(
      job,
      ctx.path,
      job.progress.of === 'DAYS'
        ? say('reconciliation.comparison.lookingFile')
        : say('reconciliation.comparing'),
      () => result && comparisonResults(job, result),
    ),
  );
}

const dayOf = (text: string): Html => day(new Date(dayStartMs(text)));

const noIntegration = () =>
  emptyState(
    say('reconciliation.noIntegration.empty.title'),
    say('reconciliation.noIntegration.empty.text'),
    linkButton('/integrations', say('reconciliation.viewIntegrations')),
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
      submit: say('reconciliation.comparisonForm.submit'),
      filled,
      takesFile: true,
    },
    select({
      name: 'integrationId',
      label: say('reconciliation.integrationId'),
      filled,
      choices,
      loads: { path: '/reconciliation/new', part: '#columns' },
    }),
    html`<fieldset class="part"><legend>${say('reconciliation.comparisonForm.daysExport')}</legend><p class="muted">${say('reconciliation.comparisonForm.enterOrders')}</p><div class="fields">${field({ name: 'fromDay', label: say('common.from'), type: 'date', filled })}${field({ name: 'toDay', label: say('common.to'), type: 'date', filled })}</div></fieldset>`,
    columnsPart(filled),
    fileField({
      name: 'file',
      label: say('reconciliation.file'),
      filled,
      isRequired: true,
      accept: '.csv,text/csv',
      hint: say('reconciliation.comparisonForm.hint', {
        maxFileRows: number(maxFileRows),
        maxFileBytes: maxFileBytes / 1024 / 1024,
      }),
    }),
  );
}

const columnWords = () =>
  [
    ['orderColumn', say('reconciliation.orderId'), 'externalOrderId'],
    ['amountColumn', say('reconciliation.amount'), 'subtotal'],
    ['currencyColumn', say('reconciliation.currency'), 'currency'],
    ['dateColumn', say('reconciliation.column.text'), 'occurredAt'],
    ['refundColumn', say('reconciliation.refunded'), 'refunded'],
  ] as const;

/** The fields for the column names of the shop's export, filled in from the previous file. */
function columnsPart(filled: Filled): Html {
  const fields = columnWords().map(([name, label, placeholder]) =>
    field({ name, label, placeholder, filled, maxLength: 100, autocomplete: 'off' }),
  );
  const unit = select({
    name: 'amountUnit',
    label: say('reconciliation.amountUnit'),
    filled,
    choices: [
      { value: 'UNITS', text: '49.90' },
      { value: 'CENTS', text: say('reconciliation.choice.cents') },
    ],
  });
  const [order, amount, ...rest] = fields;
  return html`<fieldset class="part" id="columns"><legend>${say('reconciliation.columns.columnNames')}</legend><p class="muted">${say('reconciliation.columns.enterNames')}</p><div class="fields">${order}${amount}${unit}${rest}</div></fieldset>`;
}

const formatPart = () => html`<p>${say('reconciliation.format.csvUtf')}</p>
${facts([
  ['externalOrderId', say('reconciliation.format.orderId')],
  ['subtotal', say('reconciliation.format.amount49')],
  ['currency', say('reconciliation.threeLetters')],
  ['occurredAt', say('reconciliation.format.whenBought')],
  ['refunded', say('reconciliation.format.whetherRefunded')],
])}
<p class="after">${say('reconciliation.format.exportsRow')}</p>
<p class="after">${say('reconciliation.format.emptyValues')}</p>
<p><a href="/reconciliation/sample.csv" download>${say('reconciliation.downloadASample')}</a></p>`;

function comparisonTable(jobs: readonly ComparisonJob[], nameOf: NameOf, start: Html): Html {
  return table({
    caption: say('reconciliation.comparisonTable.caption'),
    columns: [
      {
        heading: say('common.requested'),
        cell: ({ _id, createdAt }) => html`<a href="/reconciliation/${_id}">${time(createdAt)}</a>`,
      },
      {
        heading: say('reconciliation.reportedBy'),
        cell: ({ input }) => html`<span class="clip">${nameOf(input.integrationId)}</span>`,
      },
      {
        heading: say('reconciliation.orders'),
        cell: ({ input }) => number(input.rows),
        isNumber: true,
      },
      { heading: say('common.state'), cell: (job) => jobState(job) },
      { heading: say('reconciliation.faults'), cell: faultCount, isNumber: true },
    ],
    rows: jobs,
    empty: emptyState(
      say('reconciliation.comparisonTable.empty.title'),
      say('reconciliation.comparisonTable.empty.text'),
      start,
    ),
  });
}

function faultCount({ result }: ComparisonJob): Html {
  if (result === null) return html`<span class="muted">–</span>`;
  return number(Object.values(result.faults).reduce((sum, one) => sum + one, 0));
}
