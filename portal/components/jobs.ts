import type { BackTest, Earnings, EarningsTotal } from '../../domain/back-test.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { type OrderFault, type OrderFaultKind, orderFaultKinds } from '../../domain/orders.ts';
import { backTestDays } from '../../jobs/index.ts';
import type {
  BackTestJob,
  ComparisonJob,
  ComparisonResult,
  JobDoc,
  JobProgress,
} from '../../models/schemas/jobs.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/access.ts';
import { earnsWords } from '../words/rule-words.ts';
import { badge, emptyState, type Metric, metrics, notice, section, table } from './components.ts';
import { form, hidden, select } from './form.ts';
import {
  day,
  type Html,
  html,
  moneyText,
  nothing,
  number,
  numberText,
  type Part,
  plural,
  pointsWords,
  time,
} from './format.ts';
import { linkIfOpen } from './onward-links.ts';

/** Tens of thousands of rows are compared in that time. */
const pollEvery = '500ms';

/**
 * A job's progress and, once it is done, its result. The part reloads itself until then; without
 * JavaScript, the reader reloads the page.
 * @param path of the page
 * @param doing what is in progress
 * @param found renders the result
 */
export function jobPart(job: JobDoc, path: string, doing: string, found: () => Part): Html {
  const again = html`hx-get="${path}" hx-trigger="every ${pollEvery}" hx-select="#job" hx-target="this" hx-swap="outerHTML"`;
  return html`<div id="job" ${job.isOpen ? again : nothing}>${
    job.status === 'DONE'
      ? found()
      : job.status === 'FAILED'
        ? notice('bad', `This failed. ${job.problem ?? ''}`)
        : section(doing, jobProgress(job))
  }</div>`;
}

function jobProgress({ status, progress }: JobDoc): Html {
  const { done, total } = progress;
  return html`<div class="job-progress"><progress value="${done}" max="${total}" aria-label="Progress"></progress>
<p class="number">${status === 'QUEUED' ? 'It starts in a moment.' : progressWords(progress)}</p></div>
<p class="muted">It keeps running if you leave this page.<noscript> Reload the page to see the progress.</noscript></p>`;
}

const unitWords: Readonly<Record<JobProgress['of'], string>> = {
  ROWS: 'rows',
  DAYS: 'days',
  DOCUMENTS: 'documents',
};

function progressWords({ done, total, of }: JobProgress): Html {
  return html`${number(done)} of ${number(total)} ${unitWords[of]}`;
}

/** The state and progress of a job, for lists. */
export function jobState({ status, progress }: JobDoc): Html {
  const percent = Math.floor((100 * progress.done) / Math.max(1, progress.total));
  return html`${badge(status)}${status === 'RUNNING' ? html` <span class="muted number">${percent}%</span>` : nothing}`;
}

/** The results of a back-test: totals side by side, and the orders with the largest differences. */
export function backTestResults(
  ctx: PageContext,
  { mode, input, expiresAt }: BackTestJob,
  found: BackTest,
): Html {
  const { rule, from, to } = input;
  const { currency } = rule;
  if (found.purchases === 0) {
    return html`<section class="card">${emptyState(
      'No purchases to replay yet',
      `In the last 90 days, there was no ${mode} purchase in ${currency} that this draft applies to. Nothing is wrong with it: come back once there are some.`,
      mode === 'TEST' ? linkIfOpen(ctx, '/console', 'Send a TEST purchase') : nothing,
    )}</section>`;
  }
  return html`${metrics([
    figure('The active rule', found.active, currency),
    figure('This draft', found.draft, currency),
    difference(found, currency),
  ])}
${section(
  'Orders with the largest differences',
  found.differing === 0
    ? notice('info', 'Every order would have earned and cost the same under both rules.')
    : mostDiffering(found, currency),
)}${rule.holdFor === undefined ? nothing : html`<p>${sparedWords(found)}</p>`}
<p class="muted">Purchases received from ${day(from)} to ${time(to)}, as if every point were claimed: refunds and expiries are left out. Kept until ${time(expiresAt)}.</p>`;
}

/** What the hold of a draft would have spared. */
function sparedWords({ reviewed, spared }: BackTest): string {
  if (reviewed === 0) return 'None of these orders had a review, which a hold could have spared.';
  return `Of ${plural(reviewed, 'review', 'reviews')} of these orders, the hold would have spared ${numberText(spared)}: their points could not have been claimed yet.`;
}

const figure = (name: string, { cents, points }: EarningsTotal, currency: string) => ({
  name,
  value: moneyText(cents, currency),
  note: pointsWords(points),
});

function difference({ active, draft, differing, purchases }: BackTest, currency: string) {
  return {
    name: 'Difference in cost',
    value: more(draft.cents - active.cents, (cents) => moneyText(cents, currency)),
    note: `${more(draft.points - active.points, pointsWords)}; different for ${numberText(differing)} of ${plural(purchases, 'order', 'orders')}`,
  };
}

/** A difference with its sign. */
function more(value: number, words: (amount: number) => string): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '±';
  return `${sign}${words(Math.abs(value))}`;
}

function mostDiffering({ mostDiffering: orders }: BackTest, currency: string): Html {
  return table({
    caption: 'Orders with the largest differences',
    columns: {
      Order: ({ eventId, externalOrderId }) =>
        html`<a href="/events/${eventId}"><span class="clip" title="${externalOrderId}">${externalOrderId}</span></a>`,
      Received: ({ receivedAt }) => day(new Date(receivedAt)),
      Subtotal: { number: ({ subtotalCents }) => moneyText(subtotalCents, currency) },
      'Active rule': { number: ({ active }) => earned(active, currency) },
      'This draft': { number: ({ draft }) => earned(draft, currency) },
      Difference: {
        number: ({ active, draft }) =>
          html`${more(draft.cents - active.cents, (cents) => moneyText(cents, currency))}<br><span class="muted">${more(draft.points - active.points, pointsWords)}</span>`,
      },
    },
    rows: orders,
  });
}

function earned({ points, cents, explanation }: Earnings, currency: string): Html {
  return html`<span title="${explanation}">${moneyText(cents, currency)}<br><span class="muted">${pointsWords(points)}</span></span>`;
}

export const pathOfBackTest = (jobId: string): string => `/rules/back-tests/${jobId}`;

/** Part of a rule's page: its back-tests and, for a rule that is not active, the form to start one. */
export function backTestPart(
  ctx: PageContext<'partner'>,
  rule: EarningRule,
  jobs: readonly BackTestJob[],
  isActive: boolean,
): Html {
  const mayStart = !isActive && hasPermission(ctx.state.viewer, 'job.start');
  if (!mayStart && jobs.length === 0) return nothing;
  return section(
    'Back-test',
    mayStart
      ? html`<p>What would the purchases of the last ${backTestDays} days have earned and cost under this rule, compared with the active one? Nothing is changed.</p>${startForm(ctx, rule)}`
      : nothing,
    jobs.length === 0
      ? nothing
      : html`<div class="after">${backTestTable(jobs, { isOfOneRule: true })}</div>`,
  );
}

/** Preselects LIVE purchases as soon as the partner can have any. */
function startForm(ctx: PageContext<'partner'>, { ruleId, mode }: EarningRule): Html {
  const isLive = ctx.state.viewer.partner.goLive.state === 'LIVE';
  const canChoose = mode === 'TEST' && isLive;
  return form(
    ctx,
    {
      action: `/rules/${ruleId}/back-test`,
      submit: 'Start back-test',
      isInline: true,
    },
    canChoose
      ? select({
          name: 'mode',
          label: 'Purchases',
          chosen: 'LIVE',
          choices: ['LIVE', 'TEST'].map((value) => ({ value, text: value })),
        })
      : hidden('mode', mode),
  );
}

/** Back-tests with a summary of each. */
export function backTestTable(jobs: readonly BackTestJob[], { isOfOneRule = false } = {}): Html {
  return table({
    caption: 'Back-tests',
    columns: {
      Requested: ({ _id, createdAt }) =>
        html`<a href="${pathOfBackTest(_id)}">${time(createdAt)}</a>`,
      Draft: !isOfOneRule && (({ input }) => earnsWords(input.rule)),
      Purchases: ({ mode }) => mode,
      State: (job) => jobState(job),
      'Active rule costs': { number: (job) => costOf(job, 'active') },
      'This draft': { number: (job) => costOf(job, 'draft') },
    },
    rows: jobs,
  });
}

function costOf({ result, input }: BackTestJob, side: 'active' | 'draft'): Html {
  if (!result?.purchases) return html`<span class="muted">–</span>`;
  return html`${moneyText(result[side].cents, input.rule.currency)}`;
}

interface FaultWords {
  name: string;
  /** Shown under the count. */
  note: string;
  /** Explanation and advice. */
  text: string;
}

const faultWords: Record<OrderFaultKind, FaultWords> = {
  MISSING: {
    name: 'Missing',
    note: 'in your file, not reported',
    text: 'These orders are in your file, but this integration never reported them. Report them now, and their customers get their points at once.',
  },
  NOT_IN_FILE: {
    name: 'Not in the file',
    note: 'reported, not in your file',
    text: 'These orders were reported on the days you chose but are not in your file. Check whether they were tests or belong to another export.',
  },
  DUPLICATE: {
    name: 'Duplicate',
    note: 'more than once in your file',
    text: 'These orders appear more than once in your file. The first row of each was compared.',
  },
  MISMATCHED: {
    name: 'Mismatched',
    note: 'reported differently',
    text: 'These orders were reported with values that differ from your file.',
  },
};

/** The results of a comparison: counts, the first rows of each kind of fault, and all of them as CSV. */
export function comparisonResults(
  { _id, input, expiresAt }: ComparisonJob,
  { matched, faults, examples, isCut }: ComparisonResult,
): Html {
  const isLookedFor = input.range !== null || input.between !== null;
  const kinds = orderFaultKinds.filter((kind) => kind !== 'NOT_IN_FILE' || isLookedFor);
  const isClean = kinds.every((kind) => faults[kind] === 0);
  const figures: Metric[] = [
    {
      name: 'Identical',
      value: numberText(matched),
      note: `of ${plural(input.rows, 'row', 'rows')}`,
    },
    ...kinds.map((kind) => ({
      name: faultWords[kind].name,
      value: numberText(faults[kind]),
      note: faultWords[kind].note,
    })),
    ...(input.unknownRows === 0
      ? []
      : [
          {
            name: 'Unknown status',
            value: numberText(input.unknownRows),
            note: input.unknownStatuses.map(({ status }) => status).join(', '),
          },
        ]),
  ];
  return html`${metrics(figures)}
${isClean ? notice('good', 'Every order in the file was reported, with the same values.') : downloadLink(_id, isCut)}
${kinds.map((kind) => faultSection(kind, faults[kind], examples))}
<p class="muted">Kept until ${time(expiresAt)}.</p>`;
}

function downloadLink(jobId: string, isCut: boolean): Html {
  return html`<div class="take-home"><a class="button primary" href="/reconciliation/${jobId}/faults.csv" download>Download all as CSV</a>
<span class="muted">${isCut ? 'There were more than we store; the file contains the first ones.' : 'Each row names its event, what is wrong, and what to send to repair it.'}</span></div>`;
}

function faultSection(kind: OrderFaultKind, count: number, examples: readonly OrderFault[]): Html {
  if (count === 0) return nothing;
  const name = faultWords[kind].name;
  const shown = examples.filter((one) => one.kind === kind);
  const isInFile = kind !== 'NOT_IN_FILE';
  return section(
    name,
    html`<p class="muted">${faultWords[kind].text}${count > shown.length ? html` The first ${number(shown.length)} of ${number(count)}:` : nothing}</p>`,
    html`<div class="faults">${table({
      caption: name,
      columns: {
        Row: isInFile && (({ row }) => number(row ?? 0)),
        Order: ({ externalOrderId, externalRefundId, eventId }) => {
          const id =
            externalRefundId === null
              ? externalOrderId
              : `${externalOrderId}, refund ${externalRefundId}`;
          const order = html`<span class="clip" title="${id}">${id}</span>`;
          return eventId === null ? order : html`<a href="/events/${eventId}">${order}</a>`;
        },
        'What is wrong': { text: ({ what }) => what },
      },
      rows: shown,
    })}</div>`,
  );
}
