import type { RecordList } from '../../../domain/records.ts';
import { maxExportedRows } from '../../../models/jobs/index.ts';
import type { ExportJob } from '../../../models/schemas/jobs.ts';
import {
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../components/components.ts';
import {
  type Html,
  html,
  nothing,
  number,
  numberText,
  type Part,
  plural,
  time,
} from '../../components/format.ts';
import { jobPart, jobState } from '../../components/jobs.ts';
import { toId } from '../../components/links.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';

const listNames: Readonly<Record<RecordList, string>> = {
  REVIEWS: 'Reviews',
  REWARDS: 'Rewards',
  LEDGER: 'Ledger',
  AUDIT_LOG: 'Audit log',
};

const filterNames: Readonly<Record<string, string>> = {
  state: 'State',
  status: 'State',
  mode: 'Mode',
  book: 'Book',
  partnerId: 'Partner',
  account: 'Account',
  externalOrderId: 'Order',
  customerId: 'Customer',
  rewardId: 'Reward',
  actorId: 'Who',
  targetId: 'Target',
  assigneeId: 'Assigned to',
  isAlone: 'Approval',
  fromDay: 'From',
  toDay: 'To',
};

function nameOfFilter(filter: string): string {
  const key = filterNames[filter];
  return key === undefined ? filter : key;
}

export const pathOfExport = ({ _id }: Pick<ExportJob, '_id'>): string => `/admin/exports/${_id}`;

export function exportsPage(jobs: readonly ExportJob[]): Page {
  return page(
    {
      title: 'Your exports',
      lead: 'Your exports of the last week. You can export Reviews, Rewards, Ledger and the Audit log.',
    },
    html`<section class="card">${table({
      caption: 'Exports',
      columns: {
        List: (one) => html`<a href="${pathOfExport(one)}">${listNames[one.input.list]}</a>`,
        Requested: ({ createdAt }) => time(createdAt),
        State: (one) => jobState(one),
        Rows: { number: ({ result }) => result && number(result.rows) },
      },
      rows: jobs,
      empty: emptyState('No exports', 'Open a list and export what its filters show.'),
    })}</section>`,
  );
}

export function exportPage(ctx: PageContext<'operator'>, job: ExportJob): Page {
  const { input, createdAt, expiresAt, result } = job;
  const filters = Object.entries(input.filter).map(
    ([name, value]) => [nameOfFilter(name), filterText(ctx, name, value)] as const,
  );
  return page(
    {
      title: `Export: ${listNames[input.list]}`,
      crumbs: [['Your exports', '/admin/exports']],
      lead: 'Newest rows first, as they were when the export was made.',
    },
    jobPart(job, ctx.path, 'Writing the rows', () =>
      section(
        'Ready',
        html`<p>${rowsText(result)}</p><p>${linkButton(`${pathOfExport(job)}/export.csv`, 'Download CSV')}</p>
<p class="muted">Available until ${time(expiresAt)}. The audit log records each download.</p>`,
      ),
    ),
    section(
      'Filters',
      facts([['List', listNames[input.list]], ...filters, ['Requested', time(createdAt)]]),
    ),
  );
}

function rowsText(result: ExportJob['result']): Part {
  if (result === null) return nothing;
  const { rows, isCut } = result;
  return isCut
    ? `The newest ${numberText(rows)} rows. There are more: an export has up to ${numberText(maxExportedRows)}. Narrow the days to get the rest.`
    : `${plural(rows, 'row', 'rows')}.`;
}

function filterText(ctx: PageContext<'operator'>, name: string, value: unknown): Html {
  if (name === 'isAlone') return html`None: approvals were off`;
  const text = String(value);
  if (name === 'state' || name === 'status' || name === 'mode') return html`${wordsOf(text)}`;
  return toId(ctx, text);
}
