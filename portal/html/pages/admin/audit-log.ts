import { auditStatuses } from '../../../../domain/audit-log.ts';
import type { AuditEntryDoc } from '../../../../models/schemas/audit-entry.ts';
import type { AuditEntry, AuditLog } from '../../../../models/views/audit-log.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
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
} from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { choicesOf, emptyOf, filterBar, idFilterField, unmatchedNote } from '../../filters.ts';
import { form, select, textArea } from '../../form.ts';
import { exactTime, time } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { operatorPaths, toId } from '../../links.ts';
import { listFoot } from '../../list-foot.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { savedViews } from '../../saved-views.ts';
import { type Page, page } from '../../view.ts';

const aloneChoices = () => [
  { value: '', text: say('admin.auditLog.any') },
  { value: 'YES', text: say('admin.auditLog.choice.yes') },
];

export function auditLogPage(
  ctx: PageContext<'operator'>,
  { items, nextCursor, nameOf }: AuditLog,
  nowMs: number,
): Page {
  return page(
    {
      title: say('admin.auditLog.title'),
      lead: say('admin.auditLog.lead'),
    },
    filterBar(ctx, [
      { name: 'status', label: say('common.state'), choices: choicesOf(auditStatuses, wordsOf) },
      partnerFilter(ctx),
      { name: 'alone', label: say('admin.auditLog.alone'), choices: aloneChoices() },
      idFilterField('actor', say('admin.auditLog.actor'), say('admin.auditLog.actor.placeholder')),
      idFilterField(
        'target',
        say('admin.auditLog.target'),
        say('admin.auditLog.target.placeholder'),
      ),
      ...dayFilters(),
    ]),
    html`<div id="list">${savedViews(ctx, 'audit')}${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${unmatchedNote(ctx)}${table(
      {
        caption: say('admin.auditLog.caption'),
        columns: [
          {
            heading: say('admin.auditLog.action'),
            cell: (one) =>
              html`<a href="${operatorPaths.AUDIT_ENTRY}${one._id}"><code>${one.action}</code></a>`,
          },
          {
            heading: say('admin.auditLog.who'),
            cell: ({ actorId, approvedBy, isAlone }) =>
              html`${nameOf.get(actorId) ?? actorId}${approvedBy ? html` <span class="muted">${say('admin.auditLog.with', { name: nameOf.get(approvedBy) ?? approvedBy })}</span>` : isAlone ? html` <span class="muted">${say('admin.auditLog.aloneApprovalsOff')}</span>` : nothing}`,
          },
          { heading: say('admin.auditLog.target'), cell: ({ targetId }) => toId(ctx, targetId) },
          { heading: say('common.state'), cell: (one) => badge(one.status) },
          { heading: say('common.when'), cell: ({ at }) => exactTime(at) },
        ],
        rows: items,
        empty: emptyOf(
          ctx,
          emptyState(say('admin.auditLog.empty.title'), say('admin.auditLog.empty.text')),
        ),
      },
    )}${listFoot(ctx, 'audit', items, nextCursor)}</section></div>`,
  );
}

export function auditEntryPage(ctx: PageContext<'operator'>, { entry, nameOf }: AuditEntry): Page {
  const { actorId, approvedBy, status, details } = entry;
  const who = (id: string) =>
    nameOf.has(id)
      ? html`${nameOf.get(id)} <span class="muted">${toId(ctx, id)}</span>`
      : toId(ctx, id);
  return page(
    {
      title: entry.action,
      crumbs: [[say('admin.auditLog.auditLog'), '/admin/audit']],
      lead: badge(status),
    },
    status === 'INTENDED' ? notice('warn', say('admin.auditLog.auditEntry.notice')) : nothing,
    section(
      say('admin.auditLog.section.action'),
      facts([
        [say('admin.auditLog.who'), who(actorId)],
        ...(approvedBy ? [[say('admin.auditLog.approvedBy'), who(approvedBy)] as const] : []),
        ...(entry.isAlone
          ? [[say('admin.auditLog.approvedBy'), say('admin.auditLog.auditEntry.text')] as const]
          : []),
        [say('common.partner'), toId(ctx, entry.partnerId)],
        [say('admin.auditLog.target'), toId(ctx, entry.targetId)],
        [say('admin.auditLog.started'), time(entry.at)],
        [say('admin.auditLog.completed'), time(entry.completedAt)],
        [say('common.request'), code(entry.requestId)],
        [say('common.id'), code(entry._id, { canCopy: true })],
      ]),
    ),
    Object.keys(details).length === 0
      ? nothing
      : section(
          say('admin.auditLog.section.details'),
          codeBlock(JSON.stringify(details, null, 2), say('admin.auditLog.details')),
        ),
    status === 'INTENDED' && hasPermission(ctx.state.viewer, 'audit.close')
      ? html`<p>${linkButton(`${operatorPaths.AUDIT_ENTRY}${entry._id}/close`, say('admin.auditLog.closeIt'), 'secondary')}</p>`
      : nothing,
  );
}

export function closeEntryPage(
  ctx: PageContext<'operator'>,
  { _id, action }: AuditEntryDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: say('admin.auditLog.closeEntry.title'),
      crumbs: [
        [say('admin.auditLog.auditLog'), '/admin/audit'],
        [action, operatorPaths.AUDIT_ENTRY + _id],
      ],
      lead: say('admin.auditLog.closeEntry.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('admin.auditLog.closeEntry.submit'), filled },
      select({
        name: 'status',
        label: say('admin.auditLog.status'),
        filled,
        choices: [
          { value: '', text: say('admin.auditLog.choose') },
          { value: 'DONE', text: say('admin.auditLog.choice.done') },
          { value: 'FAILED', text: say('admin.auditLog.choice.failed') },
        ],
      }),
      textArea({
        name: 'reason',
        label: say('admin.auditLog.reason'),
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: say('admin.auditLog.reason.hint'),
      }),
    )}</div>`,
  );
}
