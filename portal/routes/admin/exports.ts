import Joi from 'joi';
import type { Records } from '../../../models/views/exports.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { startExport } from '../../../operations/jobs.ts';
import { render } from '../../components/view.ts';
import { type PageContext, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import {
  type AnyRewardQuery,
  type AuditLogQuery,
  anyRewardFilterOf,
  anyRewardFilters,
  auditLogFilterOf,
  auditLogFilters,
  type LedgerQuery,
  ledgerFilterOf,
  ledgerFilters,
  type ReviewQuery,
  reviewFilters,
} from '../../forms/record-queries.ts';
import { csvOfExport, readExport, readOwnExports } from '../../jobs.ts';
import { notFound } from '../../middleware/form.ts';
import { actorOf } from '../../operate.ts';
import { exportPage, exportsPage, pathOfExport } from '../../pages/admin/exports.ts';
import { chosenPartner } from '../../routing/chosen-partner.ts';
import { nameIds } from '../../routing/name-ids.ts';
import type { Routes } from '../../routing/route-table.ts';

const shownExports = 20;
const exporting = { audience: 'operator', permission: 'export.start' } as const;
const ofOne = { ...exporting, params: { jobId: 'export' } } as const;

/** Operators' exports of lists: created by a worker and kept for a week. */
export function operatorExportPages(routes: Routes): void {
  routes.action(
    { ...exporting, path: '/admin/reviews/export' },
    { schema: Joi.object<ReviewQuery>(reviewFilters), act: exportReviews },
  );
  routes.action(
    { ...exporting, path: '/admin/rewards/export' },
    { schema: Joi.object<AnyRewardQuery>(anyRewardFilters), act: exportRewards },
  );
  routes.action(
    { ...exporting, path: '/admin/ledger/export' },
    { schema: Joi.object<LedgerQuery>(ledgerFilters), act: exportLedger },
  );
  routes.action(
    { ...exporting, path: '/admin/audit/export' },
    { schema: Joi.object<AuditLogQuery>(auditLogFilters), act: exportAuditLog },
  );
  routes.page({ ...exporting, path: '/admin/exports' }, showExports);
  routes.page({ ...ofOne, path: '/admin/exports/:jobId' }, showExport);
  routes.page({ ...ofOne, path: '/admin/exports/:jobId/export.csv' }, download);
}

async function exportReviews(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  query: ReviewQuery,
): Promise<void> {
  const { state, mode, partner, from, to } = query;
  const filter = {
    state,
    mode,
    partnerId: await chosenPartner(ctx, deps, partner),
    fromDay: from,
    toDay: to,
    assigneeId: state === 'MINE' ? ctx.state.viewer.actorId : undefined,
  };
  await start(ctx, deps, { list: 'REVIEWS', filter });
}

async function exportRewards(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  query: AnyRewardQuery,
): Promise<void> {
  const filter = anyRewardFilterOf(query, await chosenPartner(ctx, deps, query.partner));
  await start(ctx, deps, { list: 'REWARDS', filter });
}

async function exportLedger(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  query: LedgerQuery,
): Promise<void> {
  const filter = ledgerFilterOf(query, await chosenPartner(ctx, deps, query.partner));
  await start(ctx, deps, { list: 'LEDGER', filter });
}

async function exportAuditLog(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  query: AuditLogQuery,
): Promise<void> {
  const filter = auditLogFilterOf(query, await chosenPartner(ctx, deps, query.partner));
  await start(ctx, deps, { list: 'AUDIT_LOG', filter });
}

async function start(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  records: Records,
): Promise<void> {
  const job = await execute(deps, startExport, actorOf(ctx), records);
  redirect(ctx, pathOfExport(job));
}

async function showExports(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, exportsPage(await readOwnExports(deps, ctx, shownExports)));
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
