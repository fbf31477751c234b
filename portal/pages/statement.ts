import type { StatementPdfJob } from '../../models/schemas/jobs.ts';
import type { Statement } from '../../views/statement.ts';
import { linkButton, printButton, section } from '../components/components.ts';
import { form, hidden } from '../components/form.ts';
import { day, html } from '../components/format.ts';
import { jobPart } from '../components/jobs.ts';
import { idLink } from '../components/links.ts';
import { statementPart, subjectText } from '../components/statement.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import { statementPath } from '../forms/statement-query.ts';

export function statementPage(
  ctx: PageContext<'partner'>,
  statement: Statement,
  nowMs: number,
): Page {
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

export function statementPdfPage(_ctx: PageContext<'partner'>, job: StatementPdfJob): Page {
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
