import type { EarningRule } from '../../domain/earning-rules.ts';
import { backTestDays } from '../../models/jobs/index.ts';
import type { BackTestJob } from '../../models/schemas/jobs.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { earnsWords } from '../words/rule-words.ts';
import { section, table } from './components.ts';
import { form, hidden, select } from './form.ts';
import { moneyText, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { jobState } from './job.ts';

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
    columns: [
      {
        heading: 'Requested',
        cell: ({ _id, createdAt }) => html`<a href="${pathOfBackTest(_id)}">${time(createdAt)}</a>`,
      },
      ...(isOfOneRule
        ? []
        : [
            {
              heading: 'Draft',
              cell: ({ input }: BackTestJob) => earnsWords(input.rule),
            },
          ]),
      { heading: 'Purchases', cell: ({ mode }) => mode },
      { heading: 'State', cell: (job) => jobState(job) },
      {
        heading: 'Active rule costs',
        cell: (job) => costOf(job, 'active'),
        isNumber: true,
      },
      {
        heading: 'This draft',
        cell: (job) => costOf(job, 'draft'),
        isNumber: true,
      },
    ],
    rows: jobs,
    empty: nothing,
  });
}

function costOf({ result, input }: BackTestJob, side: 'active' | 'draft'): Html {
  if (!result?.purchases) return html`<span class="muted">–</span>`;
  return html`${moneyText(result[side].cents, input.rule.currency)}`;
}
