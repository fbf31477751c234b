import type { AuditRunDoc, CheckResult } from '../../../../models/schemas/audit-run.ts';
import type { AuditRuns } from '../../../../models/views/audit-runs.ts';
import type { PageContext } from '../../../context.ts';
import { badge, emptyState, facts, section, table } from '../../components.ts';
import { number, time } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { adminPaths, to, toId } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

export function auditRunsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor }: AuditRuns,
): Page {
  return page(
    {
      title: 'Audits of the books',
      lead: 'Checks that every cent and every point is where the ledger says. The worker runs it daily.',
    },
    html`<section class="card" id="list">${table({
      caption: 'Audits',
      columns: [
        {
          heading: 'Ended',
          cell: ({ _id, endedAt }) =>
            html`<a href="${adminPaths.AUDIT_RUN}${_id}">${time(endedAt)}</a>`,
        },
        {
          heading: 'Of',
          cell: ({ partnerId }) => (partnerId === null ? 'all partners' : toId(ctx, partnerId)),
        },
        {
          heading: 'Result',
          cell: ({ faults }) =>
            faults === 0 ? badge('OK', 'OK') : badge('FAILED', 'Needs attention'),
        },
        { heading: 'Looked at', cell: ({ lookedAt }) => number(lookedAt), isNumber: true },
        { heading: 'Faults', cell: ({ faults }) => number(faults), isNumber: true },
      ],
      rows: items,
      empty: emptyState('No audits yet', 'The service audits the ledger once a day.'),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function auditRunPage(run: AuditRunDoc): Page {
  return page(
    {
      title: run.faults === 0 ? 'The books are right' : 'The books are wrong',
      crumbs: [['Audits', '/admin/audit-runs']],
      lead: run.summary,
    },
    section(
      'Audit',
      facts([
        ['Of', run.partnerId === null ? 'all partners' : to('PARTNER', run.partnerId)],
        ['Began', time(run.startedAt)],
        ['Ended', time(run.endedAt)],
        ['Looked at', number(run.lookedAt)],
        ['Faults', number(run.faults)],
      ]),
    ),
    section(
      'Checks',
      table({
        caption: 'Checks',
        columns: [
          { heading: 'Check', cell: ({ name }: CheckResult) => name, isText: true },
          { heading: 'Looked at', cell: ({ lookedAt }) => number(lookedAt), isNumber: true },
          { heading: 'Waiting', cell: ({ waiting }) => number(waiting), isNumber: true },
          { heading: 'Faults', cell: ({ faults }) => number(faults), isNumber: true },
          {
            heading: '',
            cell: ({ faults }) =>
              faults === 0 ? badge('OK', 'OK') : badge('FAILED', 'Needs attention'),
          },
        ],
        rows: run.checks,
        empty: nothing,
      }),
    ),
    ...run.checks
      .filter(({ faults }) => faults > 0)
      .map(({ name, culprits }) =>
        section(
          name,
          html`<ul class="culprits">${culprits.map((one) => html`<li>${one}</li>`)}</ul>`,
        ),
      ),
  );
}
