import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { startExport } from '../../../operations/jobs.ts';
import type { Records } from '../../../views/exports.ts';
import { render } from '../../components/view.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { csvOfExport, readExport, readOwnExports } from '../../jobs.ts';
import { type FilterOf, type Filters, filterOf, schemaOf } from '../../lists/filters.ts';
import { notFound } from '../../middleware/form.ts';
import { actorOf } from '../../operate.ts';
import { auditLogFilters } from '../../pages/admin/audit.ts';
import { exportPage, exportsPage, pathOfExport } from '../../pages/admin/exports.ts';
import { ledgerFilters } from '../../pages/admin/money.ts';
import { reviewFilters } from '../../pages/admin/reviews.ts';
import { anyRewardFilters } from '../../pages/admin/rewards.ts';
import { nameIds } from '../../routing/name-ids.ts';
import type { Routes } from '../../routing/route-table.ts';

const shownExports = 20;
const exporting = { audience: 'operator', permission: 'export.start' } as const;
const ofOne = { ...exporting, params: { jobId: 'export' } } as const;

/** Operators' exports of lists: created by a worker and kept for a week. */
export function operatorExportPages(routes: Routes): void {
  const exportOf = <F extends Filters>(
    path: string,
    filters: F,
    recordsOf: (filter: FilterOf<F>, operatorId: string) => Records,
  ) =>
    routes.action(
      { ...exporting, path: `/admin/${path}/export` },
      {
        schema: schemaOf(filters),
        async act(ctx, deps, sent) {
          const filter = await filterOf(deps, filters, sent);
          const actor = actorOf(ctx);
          const job = await execute(deps, startExport, actor, recordsOf(filter, actor.id));
          redirect(ctx, pathOfExport(job));
        },
      },
    );
  exportOf('reviews', reviewFilters, (filter, operatorId) => ({
    list: 'REVIEWS',
    filter: { ...filter, assigneeId: filter.state === 'MINE' ? operatorId : undefined },
  }));
  exportOf('rewards', anyRewardFilters, (filter) => ({ list: 'REWARDS', filter }));
  exportOf('ledger', ledgerFilters, (filter) => ({ list: 'LEDGER', filter }));
  exportOf('audit', auditLogFilters, (filter) => ({ list: 'AUDIT_LOG', filter }));
  routes.page({ ...exporting, path: '/admin/exports' }, showExports);
  routes.page({ ...ofOne, path: '/admin/exports/:jobId' }, showExport);
  routes.page({ ...ofOne, path: '/admin/exports/:jobId/export.csv' }, download);
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
