import Joi from 'joi';
import { utcDay } from '../../http/query.ts';
import type { StatementDays } from '../../models/ledger/index.ts';
import { execute } from '../../operations/execute.ts';
import { startStatementPdf } from '../../operations/jobs.ts';
import { readStatement, statementCsv } from '../../views/statement.ts';
import { render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { statementDaysOf, statementSchema } from '../forms/statement-query.ts';
import { pdfOf, readJob, sendPdf } from '../jobs.ts';
import { actorOf } from '../operate.ts';
import { statementPage, statementPdfPage } from '../pages/statement.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const ofJob = { ...reading, params: { jobId: 'statement' } } as const;

/** The statement of funding of any days: a page, CSV and PDF. */
export function statementPages(routes: Routes): void {
  routes.page({ ...reading, path: '/funding/statement' }, showStatement);
  routes.page({ ...reading, path: '/funding/statement.csv' }, downloadCsv);
  routes.action(
    { ...reading, path: '/funding/statement/pdf' },
    {
      schema: Joi.object<StatementDays>({ fromDay: utcDay.required(), toDay: utcDay.required() }),
      act: createPdf,
    },
  );
  routes.page({ ...ofJob, path: '/funding/statements/:jobId' }, showPdf);
  routes.page({ ...ofJob, path: '/funding/statements/:jobId/statement.pdf' }, downloadPdf);
}

function daysIn(ctx: PageContext<'partner'>, deps: PageDeps) {
  const query = queryOf(ctx, statementSchema);
  return { query, days: statementDaysOf(query, ctx.state.viewer.partner, deps.now()) };
}

async function showStatement(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { query, days } = daysIn(ctx, deps);
  const statement = await readStatement(deps, ownScope(ctx), days, query.after ?? null);
  render(ctx, statementPage(ctx, statement, deps.now()));
}

async function downloadCsv(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { days } = daysIn(ctx, deps);
  const { partner } = ctx.state.viewer;
  const csv = await statementCsv(deps, ownScope(ctx), partner, days);
  const name = `funding-${days.fromDay}-${days.toDay}`;
  ctx.set('Content-Disposition', `attachment; filename="${name}.csv"`);
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = csv;
}

async function createPdf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  days: StatementDays,
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const job = await execute(deps, startStatementPdf, actorOf(ctx), { partnerId, ...days });
  redirect(ctx, `/funding/statements/${job._id}`);
}

async function showPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, statementPdfPage(ctx, await readJob(deps, ctx, 'STATEMENT_PDF')));
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const job = await readJob(deps, ctx, 'STATEMENT_PDF');
  const { fromDay, toDay } = job.input;
  sendPdf(ctx, `funding-${fromDay}-${toDay}`, pdfOf(job));
}
