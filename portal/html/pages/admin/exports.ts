import type { RecordList } from '../../../../domain/records.ts';
import { maxExportedRows } from '../../../../models/jobs/index.ts';
import type { ExportJob } from '../../../../models/schemas/job.ts';

import type { PageContext } from '../../../context.ts';
import { type PlainKey, say } from '../../../words/say.ts';
import { emptyState, facts, linkButton, section, table, wordsOf } from '../../components.ts';
import { number, numberText, time } from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { jobPart, jobState } from '../../job.ts';
import { toId } from '../../links.ts';
import { type Page, page } from '../../view.ts';

const listNames: Readonly<Record<RecordList, PlainKey>> = {
  REVIEWS: 'admin.exports.listNames.reviews',
  REWARDS: 'admin.exports.listNames.rewards',
  LEDGER: 'admin.exports.listNames.ledger',
  AUDIT_LOG: 'admin.exports.listNames.auditLog',
};

const filterNames: Readonly<Record<string, PlainKey>> = {
  state: 'admin.exports.filterNames',
  status: 'admin.exports.state',
  mode: 'admin.exports.mode',
  book: 'admin.exports.book',
  partnerId: 'admin.exports.partner',
  account: 'admin.exports.account',
  externalOrderId: 'admin.exports.order',
  customerId: 'admin.exports.customer',
  rewardId: 'admin.exports.reward',
  actorId: 'admin.exports.who',
  targetId: 'admin.exports.target',
  assigneeId: 'admin.exports.assignedTo',
  isAlone: 'admin.exports.approval',
  fromDay: 'admin.exports.from',
  toDay: 'admin.exports.to',
};

function nameOfFilter(filter: string): string {
  const key = filterNames[filter];
  return key === undefined ? filter : say(key);
}

export const pathOfExport = ({ _id }: Pick<ExportJob, '_id'>): string => `/admin/exports/${_id}`;

export function exportsPage(jobs: readonly ExportJob[]): Page {
  return page(
    {
      title: say('admin.exports.title'),
      lead: say('admin.exports.lead'),
    },
    html`<section class="card">${table({
      caption: say('admin.exports.caption'),
      columns: [
        {
          heading: say('admin.exports.list'),
          cell: (one) => html`<a href="${pathOfExport(one)}">${say(listNames[one.input.list])}</a>`,
        },
        { heading: say('common.requested'), cell: ({ createdAt }) => time(createdAt) },
        { heading: say('common.state'), cell: (one) => jobState(one) },
        {
          heading: say('admin.exports.rows'),
          cell: ({ result }) => result && number(result.rows),
          isNumber: true,
        },
      ],
      rows: jobs,
      empty: emptyState(say('admin.exports.empty.title'), say('admin.exports.empty.text')),
    })}</section>`,
  );
}

export function exportPage(ctx: PageContext<'operator'>, job: ExportJob): Page {
  const { input, createdAt, expiresAt, result } = job;
  const filters = Object.entries(input.filter).map(
    ([name, value]) => [nameOfFilter(name), filterText(ctx, name, value)] as const,
  );
  return page(
    {
      title: say('admin.exports.export.title', { list: say(listNames[input.list]) }),
      crumbs: [[say('admin.exports.yourExports'), '/admin/exports']],
      lead: say('admin.exports.export.lead'),
    },
    jobPart(job, ctx.path, say('admin.exports.writingTheRows'), () =>
      section(
        say('admin.exports.section.ready'),
        html`<p>${rowsText(result)}</p><p>${linkButton(`${pathOfExport(job)}/export.csv`, say('admin.exports.downloadTheCsv'))}</p>
<p class="muted">${say('admin.exports.export.text', { expiresAt: time(expiresAt) })}</p>`,
      ),
    ),
    section(
      say('admin.exports.section.filters'),
      facts([
        [say('admin.exports.list'), say(listNames[input.list])],
        ...filters,
        [say('common.requested'), time(createdAt)],
      ]),
    ),
  );
}

function rowsText(result: ExportJob['result']): Part {
  if (result === null) return nothing;
  const { rows, isCut } = result;
  return isCut
    ? say('admin.exports.rowsText.text', {
        rows: numberText(rows),
        maxExportedRows: numberText(maxExportedRows),
      })
    : say('admin.exports.rowsText.all', { rows });
}

function filterText(ctx: PageContext<'operator'>, name: string, value: unknown): Html {
  if (name === 'isAlone') return html`${say('admin.exports.filterText.text')}`;
  const text = String(value);
  if (name === 'state' || name === 'status' || name === 'mode') return html`${wordsOf(text)}`;
  return toId(ctx, text);
}
