import type { RecordList } from '../../domain/records.ts';
import { maxExportedRows } from '../../jobs/index.ts';
import type { ExportJob } from '../../models/schemas/jobs.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { startExport } from '../../operations/jobs.ts';
import type { Records } from '../../views/exports.ts';
import { definitions, emptyState, linkButton, section, wordsOf } from '../components/components.ts';
import {
  type Html,
  html,
  nothing,
  numberText,
  type Part,
  plural,
  time,
} from '../components/format.ts';
import { jobPart, jobState } from '../components/jobs.ts';
import { toId } from '../components/links.ts';
import { rewardWordsOf } from '../components/reward-badge.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { csvOfExport, readExport, readOwnExports } from '../jobs.ts';
import { type FilterOf, type Filters, filterOf, schemaOf, textFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { notFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { nameIds } from '../routing/name-ids.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { auditLogFilters } from './audit.ts';
import { ledgerFilters } from './ledger.ts';
import { reviewFilters } from './reviews.ts';
import { anyRewardFilters } from './rewards.ts';

const shownExports = 20;

const exporting = { permission: 'export.start', params: { jobId: 'export' } } as const;

/** Operators' exports of lists: created by a worker and kept for a week. */
export function operatorExportPages(routes: RoutesOf<'operator'>): void {
  const exportOf = <F extends Filters>(
    path: string,
    filters: F,
    recordsOf: (filter: FilterOf<F>, operatorId: string) => Records,
  ) =>
    routes.operation(`/admin/${path}/export`, startExport, {
      form: schemaOf(filters),
      input: async (sent, ctx, deps) =>
        recordsOf(await filterOf(deps, filters, sent), ctx.state.viewer.actorId),
      to: pathOfExport,
    });
  exportOf('reviews', reviewFilters, (filter, operatorId) => ({
    list: 'REVIEWS',
    filter: { ...filter, assigneeId: filter.state === 'MINE' ? operatorId : undefined },
  }));
  exportOf('rewards', anyRewardFilters, (filter) => ({ list: 'REWARDS', filter }));
  exportOf('ledger', ledgerFilters, (filter) => ({ list: 'LEDGER', filter }));
  exportOf('audit', auditLogFilters, (filter) => ({ list: 'AUDIT_LOG', filter }));
  routes.page('/admin/exports', showExports, exporting);
  routes.page('/admin/exports/:jobId', showExport, exporting);
  routes.page('/admin/exports/:jobId/export.csv', download, exporting);
}

async function showExports(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, exportsPage(ctx, await readOwnExports(deps, ctx, shownExports)));
}

async function showExport(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const job = await readExport(deps, ctx);
  const values: unknown[] = Object.values(job.input.filter);
  await nameIds(
    ctx,
    deps,
    values.filter((value) => typeof value === 'string'),
  );
  render(ctx, exportPage(ctx, job));
}

async function download(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const job = await readExport(deps, ctx);
  if (!job.result) throw notFound();
  const { partnerId = null } = job.input.filter as { partnerId?: string };
  await auditRead(deps, actorOf(ctx), {
    action: 'export.read',
    partnerId,
    targetId: job._id,
    details: { list: job.input.list, rows: job.result.rows },
  });
  const name = job.input.list.toLowerCase().replace('_', '-');
  ctx.set('Content-Disposition', `attachment; filename="${name}.csv"`);
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = csvOfExport(deps, job);
}

/** Each list with the words of its filters. */
const lists: Readonly<Record<RecordList, { name: string; filters: Filters }>> = {
  REVIEWS: {
    name: 'Reviews',
    filters: { ...reviewFilters, assigneeId: textFilter('assigneeId', 'Assigned to') },
  },
  REWARDS: { name: 'Orders', filters: anyRewardFilters },
  LEDGER: { name: 'Ledger', filters: ledgerFilters },
  AUDIT_LOG: { name: 'Audit log', filters: auditLogFilters },
};

const pathOfExport = ({ _id }: Pick<ExportJob, '_id'>): string => `/admin/exports/${_id}`;

const exportsPage = (ctx: PageContext<'operator'>, jobs: readonly ExportJob[]): Page =>
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

function exportPage(ctx: PageContext<'operator'>, job: ExportJob): Page {
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
    section('Filters', definitions([['List', name], ...given, ['Requested', time(createdAt)]])),
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
