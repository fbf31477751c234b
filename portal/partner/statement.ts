import Joi from 'joi';
import type { StatementDays } from '../../models/ledger/index.ts';
import type { StatementPdfJob } from '../../models/schemas/jobs.ts';
import { startStatementPdf } from '../../operations/jobs.ts';
import { utcDay } from '../../platform/validation.ts';
import { readStatement, type Statement, statementCsv } from '../../views/statement.ts';
import { linkButton, printButton, section } from '../components/components.ts';
import { form, hidden } from '../components/form.ts';
import { day, html } from '../components/format.ts';
import { jobPart } from '../components/jobs.ts';
import { idLink } from '../components/links.ts';
import { statementPart, subjectText } from '../components/statement.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { statementDaysOf, statementPath, statementSchema } from '../forms/statement-query.ts';
import { pdfOf, readJob, sendPdf } from '../jobs.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const ofJob = { params: { jobId: 'statement' } } as const;

/** The statement of funding of any days: a page, CSV and PDF. */
export function statementPages(routes: RoutesOf<'partner'>): void {
  routes.page('/funding/statement', showStatement);
  routes.page('/funding/statement.csv', downloadCsv);
  routes.operation('/funding/statement/pdf', startStatementPdf, {
    form: Joi.object<StatementDays>({ fromDay: utcDay.required(), toDay: utcDay.required() }),
    to: ({ _id }) => `/funding/statements/${_id}`,
  });
  routes.page('/funding/statements/:jobId', showPdf, ofJob);
  routes.page('/funding/statements/:jobId/statement.pdf', downloadPdf, ofJob);
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

async function showPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, statementPdfPage(ctx, await readJob(deps, ctx, 'STATEMENT_PDF')));
}

async function downloadPdf(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const job = await readJob(deps, ctx, 'STATEMENT_PDF');
  const { fromDay, toDay } = job.input;
  sendPdf(ctx, `funding-${fromDay}-${toDay}`, pdfOf(job));
}

function statementPage(ctx: PageContext<'partner'>, statement: Statement, nowMs: number): Page {
  const { fromDay, toDay } = statement;
  return page(
    {
      title: 'Statement',
      lead: 'Every movement of your LIVE funding in its order, with the balance after it. Days are UTC.',
      actions: printButton(),
      isLiveOnly: true,
    },
    statementPart(ctx, statement, {
      currency: ctx.state.viewer.partner.currency,
      csvPath: statementPath('/funding/statement.csv', statement),
      linkOf: (movement) =>
        movement.rewardId === null
          ? subjectText(movement)
          : idLink(movement.rewardId, subjectText(movement)),
      nowMs,
    }),
    html`<div class="screen-only">${section(
      'PDF',
      form(
        ctx,
        { action: '/funding/statement/pdf', submit: 'Create PDF' },
        hidden('fromDay', fromDay),
        hidden('toDay', toDay),
      ),
    )}</div>`,
  );
}

function statementPdfPage(_ctx: PageContext<'partner'>, job: StatementPdfJob): Page {
  const { fromDay, toDay } = job.input;
  const path = `/funding/statements/${job._id}`;
  return page(
    {
      title: 'Statement of funding',
      crumbs: [['Statement', statementPath('/funding/statement', job.input)]],
      lead: html`From ${day(new Date(fromDay))} to ${day(new Date(toDay))}`,
      isLiveOnly: true,
    },
    jobPart(job, path, 'Creating the PDF', () =>
      section(
        'PDF',
        html`<p>${linkButton(`${path}/statement.pdf`, 'Download PDF', 'secondary')}</p>`,
      ),
    ),
  );
}
