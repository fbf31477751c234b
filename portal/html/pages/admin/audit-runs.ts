import type { AuditRunDoc, CheckResult } from '../../../../models/schemas/audit.ts';
import type { AuditRuns } from '../../../../models/views/audit-log.ts';
import type { PageContext } from '../../../context.ts';
import { badge, emptyState, facts, section, table } from '../../components.ts';
import { number, time } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { operatorPaths, toId } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

export function auditRunsPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor }: AuditRuns,
): Page {
  return page(
    {
      title: 'Audits',
      lead: 'Checks that every cent and every point is where the ledger says. An audit runs once a day.',
    },
    html`<section class="card" id="list">${table({
      caption: 'Audits',
      columns: [
        {
          heading: 'Ended',
          cell: ({ _id, endedAt }) =>
            html`<a href="${operatorPaths.AUDIT_RUN}${_id}">${time(endedAt)}</a>`,
        },
        {
          heading: 'Scope',
          cell: ({ partnerId }) => (partnerId === null ? 'all partners' : toId(ctx, partnerId)),
        },
        {
          heading: 'Result',
          cell: ({ faults }) => resultBadge(faults),
        },
        {
          heading: 'Checked',
          cell: ({ lookedAt }) => number(lookedAt),
          isNumber: true,
        },
        {
          heading: 'Faults',
          cell: ({ faults }) => number(faults),
          isNumber: true,
        },
      ],
      rows: items,
      empty: emptyState('No audits yet', 'The service audits the ledger once a day.'),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function auditRunPage(ctx: PageContext<'operator'>, run: AuditRunDoc): Page {
  return page(
    {
      title: run.faults === 0 ? 'The audit found no faults' : 'The audit found faults',
      crumbs: [['Audits', '/admin/audit-runs']],
      lead: run.summary,
    },
    section(
      'Audit',
      facts([
        ['Scope', run.partnerId === null ? 'all partners' : toId(ctx, run.partnerId)],
        ['Started', time(run.startedAt)],
        ['Ended', time(run.endedAt)],
        ['Checked', number(run.lookedAt)],
        ['Faults', number(run.faults)],
      ]),
    ),
    section('Checks', checkTable(run.checks)),
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

const checkTable = (checks: readonly CheckResult[]): Html =>
  table({
    caption: 'Checks',
    columns: [
      { heading: 'Check', cell: ({ name }) => name, isText: true },
      {
        heading: 'Checked',
        cell: ({ lookedAt }) => number(lookedAt),
        isNumber: true,
      },
      {
        heading: 'Waiting',
        cell: ({ waiting }) => number(waiting),
        isNumber: true,
      },
      {
        heading: 'Faults',
        cell: ({ faults }) => number(faults),
        isNumber: true,
      },
      { heading: '', cell: ({ faults }) => resultBadge(faults) },
    ],
    rows: checks,
    empty: nothing,
  });

const resultBadge = (faults: number): Html =>
  faults === 0 ? badge('OK', 'OK') : badge('FAILED', 'Needs attention');
