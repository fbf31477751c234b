import type { AuditRunDoc, CheckResult } from '../../../../models/schemas/audit-run.ts';
import type { AuditRuns } from '../../../../models/views/audit-runs.ts';
import type { PageContext } from '../../../context.ts';
import { say } from '../../../words/say.ts';
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
      title: say('admin.auditRuns.title'),
      lead: say('admin.auditRuns.lead'),
    },
    html`<section class="card" id="list">${table({
      caption: say('admin.auditRuns.caption'),
      columns: [
        {
          heading: say('admin.auditRuns.ended'),
          cell: ({ _id, endedAt }) =>
            html`<a href="${operatorPaths.AUDIT_RUN}${_id}">${time(endedAt)}</a>`,
        },
        {
          heading: say('admin.auditRuns.of'),
          cell: ({ partnerId }) =>
            partnerId === null ? say('admin.auditRuns.allPartners') : toId(ctx, partnerId),
        },
        {
          heading: say('admin.auditRuns.result'),
          cell: ({ faults }) => resultBadge(faults),
        },
        {
          heading: say('admin.auditRuns.checked'),
          cell: ({ lookedAt }) => number(lookedAt),
          isNumber: true,
        },
        {
          heading: say('admin.auditRuns.faults'),
          cell: ({ faults }) => number(faults),
          isNumber: true,
        },
      ],
      rows: items,
      empty: emptyState(say('admin.auditRuns.empty.title'), say('admin.auditRuns.empty.text')),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function auditRunPage(ctx: PageContext<'operator'>, run: AuditRunDoc): Page {
  return page(
    {
      title:
        run.faults === 0
          ? say('admin.auditRuns.auditRun.title')
          : say('admin.auditRuns.auditRun.title.faults'),
      crumbs: [[say('admin.auditRuns.audits'), '/admin/audit-runs']],
      lead: run.summary,
    },
    section(
      say('admin.auditRuns.section.audit'),
      facts([
        [
          say('admin.auditRuns.of'),
          run.partnerId === null ? say('admin.auditRuns.allPartners') : toId(ctx, run.partnerId),
        ],
        [say('admin.auditRuns.began'), time(run.startedAt)],
        [say('admin.auditRuns.ended'), time(run.endedAt)],
        [say('admin.auditRuns.checked'), number(run.lookedAt)],
        [say('admin.auditRuns.faults'), number(run.faults)],
      ]),
    ),
    section(say('admin.auditRuns.section.checks'), checkTable(run.checks)),
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
    caption: say('admin.auditRuns.auditRun.caption'),
    columns: [
      { heading: say('admin.auditRuns.check'), cell: ({ name }) => name, isText: true },
      {
        heading: say('admin.auditRuns.checked'),
        cell: ({ lookedAt }) => number(lookedAt),
        isNumber: true,
      },
      {
        heading: say('admin.auditRuns.waiting'),
        cell: ({ waiting }) => number(waiting),
        isNumber: true,
      },
      {
        heading: say('admin.auditRuns.faults'),
        cell: ({ faults }) => number(faults),
        isNumber: true,
      },
      { heading: '', cell: ({ faults }) => resultBadge(faults) },
    ],
    rows: checks,
    empty: nothing,
  });

const resultBadge = (faults: number): Html =>
  faults === 0 ? badge('OK', 'OK') : badge('FAILED', say('admin.auditRuns.needsAttention'));
