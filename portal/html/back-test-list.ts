import type { EarningRule } from '../../domain/earning-rules.ts';
import { backTestDays } from '../../models/jobs/index.ts';
import type { BackTestJob } from '../../models/schemas/job.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { earnsWords } from '../words/rule-words.ts';
import { section, table } from './components.ts';
import { form, hidden, select } from './form.ts';
import { moneyText, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { jobState } from './job.ts';

export const pathOfBackTest = (jobId: string): string => `/rules/back-tests/${jobId}`;

/** On the page of a rule: what asks for a back-test, where it is not the active one, and those that were. */
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
      ? html`<p>What would the purchases of the last ${backTestDays} days have earned and cost under this rule, beside the active one? It changes nothing.</p>${startForm(ctx, rule)}`
      : nothing,
    jobs.length === 0
      ? nothing
      : html`<div class="after">${backTestTable(jobs, { isOfOneRule: true })}</div>`,
  );
}

/** LIVE purchases are what a draft is about, as soon as there can be any. */
function startForm(ctx: PageContext<'partner'>, { ruleId, mode }: EarningRule): Html {
  const isLive = ctx.state.viewer.partner.goLive.state === 'LIVE';
  const canChoose = mode === 'TEST' && isLive;
  return form(
    ctx,
    { action: `/rules/${ruleId}/back-test`, submit: 'Start the back-test', isInline: true },
    canChoose
      ? select({
          ...{ name: 'mode', label: 'Purchases', chosen: 'LIVE' },
          choices: ['LIVE', 'TEST'].map((value) => ({ value, text: value })),
        })
      : hidden('mode', mode),
  );
}

/** Back-tests with what each found, in short. */
export function backTestTable(jobs: readonly BackTestJob[], { isOfOneRule = false } = {}): Html {
  return table({
    caption: 'Back-tests',
    columns: [
      {
        heading: 'Asked for',
        cell: ({ _id, createdAt }) => html`<a href="${pathOfBackTest(_id)}">${time(createdAt)}</a>`,
      },
      ...(isOfOneRule
        ? []
        : [{ heading: 'Draft', cell: ({ input }: BackTestJob) => earnsWords(input.rule) }]),
      { heading: 'Purchases', cell: ({ mode }) => mode },
      { heading: 'State', cell: (job) => jobState(job) },
      { heading: 'Active rule costs', cell: (job) => costOf(job, 'active'), isNumber: true },
      { heading: 'This draft', cell: (job) => costOf(job, 'draft'), isNumber: true },
    ],
    rows: jobs,
    empty: nothing,
  });
}

function costOf({ result, input }: BackTestJob, side: 'active' | 'draft'): Html {
  if (!result?.purchases) return html`<span class="muted">–</span>`;
  return html`${moneyText(result[side].cents, input.rule.currency)}`;
}
