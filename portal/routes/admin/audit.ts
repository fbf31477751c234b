import Joi from 'joi';
import { type DeedStatus, deedStatuses } from '../../../domain/deeds.ts';
import {
  given,
  type PageQuery,
  page,
  pageParameters,
  pageSchema,
  searchText,
} from '../../../http/paging.ts';
import { namesOfActors } from '../../../models/actors.ts';
import { type Closure, closeDeed, findDeed } from '../../../models/commands/close-deed.ts';
import type { AuditEntryDoc } from '../../../models/schemas/audit-entry.ts';
import type { CheckResult } from '../../../models/schemas/audit-run.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { reasonField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
  wordsOf,
} from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { form, select, textArea } from '../../html/form.ts';
import { number, time } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, to, toId } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

interface TrailQuery extends PageQuery {
  partner?: string;
  actor?: string;
  target?: string;
  status?: DeedStatus;
}

const querySchema = Joi.object<TrailQuery>({
  partner: searchText,
  actor: searchText,
  target: searchText,
  status: Joi.string().valid(...deedStatuses),
  ...pageParameters,
});
const closureSchema = Joi.object<Closure>({
  status: Joi.string()
    .valid('DONE', 'FAILED')
    .required()
    .messages({ 'any.required': 'Say what became of it.', 'any.only': 'Say what became of it.' }),
  reason: reasonField.required(),
});

/** Who did what, and whether the books are right. */
export function adminAuditPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  routes.page({ path: '/admin/audit', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { partner, actor, target, status, ...paging } = queryOf(ctx, querySchema);
    const { items, nextCursor } = await page(
      models.auditEntries,
      [
        ...given({ partnerId: partner, actorId: actor, targetId: target, status }),
        // So that the few that were never completed are found by the index that holds them alone.
        ...(status === 'INTENDED' ? [{ at: { $gt: new Date(0) } }] : []),
      ],
      paging,
      (entry: AuditEntryDoc) => entry,
    );
    const nameOf = await namesOfActors(
      models,
      items.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]),
    );
    view(
      ctx,
      {
        title: 'Audit trail',
        lead: 'What operators and partners’ users did, and whose data operators looked at.',
      },
      filterBar(ctx, [
        { name: 'status', label: 'State', choices: choicesOf(deedStatuses, wordsOf) },
        { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
        { name: 'actor', label: 'Who', placeholder: 'adm_… or usr_…' },
        { name: 'target', label: 'To what', placeholder: 'any id' },
      ]),
      html`<section class="card" id="list">${table({
        caption: 'Deeds',
        columns: [
          {
            heading: 'Deed',
            cell: (one) =>
              html`<a href="${adminPaths.AUDIT_ENTRY}${one._id}"><code>${one.action}</code></a>`,
          },
          {
            heading: 'Who',
            cell: ({ actorId, approvedBy }) =>
              html`${nameOf.get(actorId) ?? actorId}${approvedBy ? html` <span class="muted">with ${nameOf.get(approvedBy) ?? approvedBy}</span>` : nothing}`,
          },
          { heading: 'To what', cell: ({ targetId }) => toId(ctx, targetId) },
          { heading: 'State', cell: (one) => badge(one.status) },
          { heading: 'When', cell: ({ at }) => time(at) },
        ],
        rows: items,
        empty: emptyState('Nothing here', 'Every deed leaves an entry before it is done.'),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  const ofEntry = {
    path: '/admin/audit/:auditEntryId',
    params: { auditEntryId: 'auditEntry' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofEntry, permission: 'read' }, async (ctx) => {
    const entry = await findDeed(models, param(ctx, 'auditEntryId'));
    const { actorId, approvedBy, status, details } = entry;
    const nameOf = await namesOfActors(models, [actorId, approvedBy]);
    const who = (id: string) =>
      html`${nameOf.get(id) ?? id} <span class="muted">${toId(ctx, id)}</span>`;
    view(
      ctx,
      { title: entry.action, crumbs: [['Audit trail', '/admin/audit']], lead: badge(status) },
      status === 'INTENDED'
        ? notice(
            'warn',
            'Intended, and not completed: it is being done, or a process ended in between. Do the same again, or look what became of it and close it.',
          )
        : nothing,
      section(
        'Deed',
        facts([
          ['Who', who(actorId)],
          ...(approvedBy ? [['Approved by', who(approvedBy)] as const] : []),
          ['Partner', toId(ctx, entry.partnerId)],
          ['To what', toId(ctx, entry.targetId)],
          ['Intended', time(entry.at)],
          ['Completed', time(entry.completedAt)],
          ['Request', code(entry.requestId)],
          ['Id', code(entry._id, { canCopy: true })],
        ]),
      ),
      Object.keys(details).length === 0
        ? nothing
        : section('Details', codeBlock(JSON.stringify(details, null, 2), 'Details')),
      status === 'INTENDED' && hasPermission(ctx.state.viewer, 'audit.close')
        ? html`<p>${linkButton(`${adminPaths.AUDIT_ENTRY}${entry._id}/close`, 'Close it', 'secondary')}</p>`
        : nothing,
    );
  });

  const closing = {
    ...ofEntry,
    path: `${ofEntry.path}/close`,
    permission: 'audit.close',
  } as const;

  async function showClose(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const { _id, action } = await findDeed(models, param(ctx, 'auditEntryId'));
    view(
      ctx,
      {
        title: 'Close a deed',
        crumbs: [
          ['Audit trail', '/admin/audit'],
          [action, adminPaths.AUDIT_ENTRY + _id],
        ],
        lead: 'Look first what became of it. The entry keeps what you found.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Close it', filled },
        select({
          ...{ name: 'status', label: 'What became of it', filled },
          choices: [
            { value: '', text: 'Choose …' },
            { value: 'DONE', text: 'It was done' },
            { value: 'FAILED', text: 'It was not done' },
          ],
        }),
        textArea({
          ...{ name: 'reason', label: 'How you know', filled, isRequired: true },
          ...{ maxLength: 500, rows: 4, hint: 'Name no customer.' },
        }),
      )}</div>`,
    );
  }

  routes.page(closing, (ctx) => showClose(ctx));
  routes.action(closing, {
    schema: closureSchema,
    async act(ctx, closure) {
      const { _id: targetId, partnerId } = await findDeed(models, param(ctx, 'auditEntryId'));
      await deed(
        deps,
        ctx,
        { action: 'audit.close', partnerId, targetId, details: { status: closure.status } },
        () => closeDeed(deps, targetId, closure),
      );
      redirect(ctx, adminPaths.AUDIT_ENTRY + targetId, 'The deed is closed.');
    },
    retry: showClose,
  });

  routes.page(
    { path: '/admin/audit-runs', audience: 'operator', permission: 'read' },
    async (ctx) => {
      const { items, nextCursor } = await page(
        models.auditRuns,
        [],
        queryOf(ctx, pageSchema),
        (run) => run,
      );
      view(
        ctx,
        {
          title: 'Audits of the books',
          lead: 'Whether every cent and every point is where its entries say. The worker looks each day.',
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
                faults === 0 ? badge('OK', 'Right') : badge('FAILED', 'Wrong'),
            },
            { heading: 'Looked at', cell: ({ lookedAt }) => number(lookedAt), isNumber: true },
            { heading: 'Faults', cell: ({ faults }) => number(faults), isNumber: true },
          ],
          rows: items,
          empty: emptyState(
            'Never audited',
            'npm run audit does it at once, and the worker each day.',
          ),
        })}${pager(ctx, nextCursor)}</section>`,
      );
    },
  );

  routes.page(
    {
      path: '/admin/audit-runs/:auditRunId',
      params: { auditRunId: 'auditRun' },
      audience: 'operator',
      permission: 'read',
    },
    async (ctx) => {
      const run = await models.auditRuns.findById(param(ctx, 'auditRunId')).lean();
      if (run === null) throw nothingHere();
      view(
        ctx,
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
              { heading: 'Faults', cell: ({ faults }) => number(faults), isNumber: true },
              {
                heading: '',
                cell: ({ faults }) =>
                  faults === 0 ? badge('OK', 'Right') : badge('FAILED', 'Wrong'),
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
    },
  );
}
