import type { RecordList } from '../../../domain/records.ts';
import { maxExportedRows } from '../../../jobs/index.ts';
import type { ExportJob } from '../../../models/schemas/jobs.ts';
import { emptyState, facts, linkButton, section, wordsOf } from '../../components/components.ts';
import {
  type Html,
  html,
  nothing,
  numberText,
  type Part,
  plural,
  time,
} from '../../components/format.ts';
import { jobPart, jobState } from '../../components/jobs.ts';
import { toId } from '../../components/links.ts';
import { rewardWordsOf } from '../../components/reward-badge.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import { type Filters, text } from '../../lists/filters.ts';
import { list } from '../../lists/list.ts';
import { auditLogFilters } from './audit.ts';
import { ledgerFilters } from './money.ts';
import { reviewFilters } from './reviews.ts';
import { anyRewardFilters } from './rewards.ts';

/** Each list with the words of its filters. */
const lists: Readonly<Record<RecordList, { name: string; filters: Filters }>> = {
  REVIEWS: {
    name: 'Reviews',
    filters: { ...reviewFilters, assigneeId: text('assigneeId', 'Assigned to') },
  },
  REWARDS: { name: 'Orders', filters: anyRewardFilters },
  LEDGER: { name: 'Ledger', filters: ledgerFilters },
  AUDIT_LOG: { name: 'Audit log', filters: auditLogFilters },
};

export const pathOfExport = ({ _id }: Pick<ExportJob, '_id'>): string => `/admin/exports/${_id}`;

export const exportsPage = (ctx: PageContext<'operator'>, jobs: readonly ExportJob[]): Page =>
  page(
    {
      title: 'Your exports',
      lead: 'Your exports of the last week. You can export Reviews, Orders, Ledger and the Audit log.',
    },
    list(ctx, {
      caption: 'Exports',
      columns: {
        List: (one) => html`<a href="${pathOfExport(one)}">${lists[one.input.list].name}</a>`,
        Requested: ({ createdAt }) => time(createdAt),
        State: (one) => jobState(one),
        Rows: { number: ({ result }) => result?.rows },
      },
      rows: jobs,
      empty: emptyState('No exports', 'Open a list and export what its filters show.'),
    }),
  );

export function exportPage(ctx: PageContext<'operator'>, job: ExportJob): Page {
  const { input, createdAt, expiresAt, result } = job;
  const { name, filters } = lists[input.list];
  const given = Object.entries(input.filter).map(
    ([field, value]) => [filters[field]?.label ?? field, filterText(ctx, field, value)] as const,
  );
  return page(
    {
      title: `Export: ${name}`,
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
    section('Filters', facts([['List', name], ...given, ['Requested', time(createdAt)]])),
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
  const given = String(value);
  if (name === 'status') return html`${rewardWordsOf(given)}`;
  if (name === 'state' || name === 'mode') return html`${wordsOf(given)}`;
  return toId(ctx, given);
}
