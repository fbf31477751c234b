import Joi from 'joi';
import type { SigningKey } from '../../clients/typescript/types.ts';
import { auditStatuses } from '../../domain/operators.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { AuditEntryDoc, AuditRunDoc, CheckResult } from '../../models/schemas/audit.ts';
import { type Closure, closeAuditEntry } from '../../operations/audit-entries.ts';
import { retireSigningKey } from '../../operations/signing-keys.ts';
import {
  type AuditEntry,
  type AuditLogPage,
  type AuditRuns,
  readAuditEntry,
  readAuditLog,
  readAuditRun,
  readAuditRuns,
} from '../../views/audit-log.ts';
import { readSigner } from '../../views/receipt.ts';
import {
  badge,
  code,
  codeBlock,
  definitions,
  emptyState,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { confirm, form, select, textArea } from '../components/form.ts';
import { exactTime, type Html, html, nothing, number, time } from '../components/format.ts';
import { operatorPaths, toId } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import {
  type Asked,
  asked,
  choiceFilter,
  days,
  flagFilter,
  idFilter,
  ofPartner,
} from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { nameIds } from '../routing/name-ids.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { auditSentence, nameOfActor } from '../words/audit-words.ts';

const closureSchema = Joi.object<Closure>({
  status: Joi.string().valid('DONE', 'FAILED').required().messages({
    'any.required': 'Choose what happened.',
    'any.only': 'Choose what happened.',
  }),
  reason: reasonField.required(),
});

/** The audit log, and the audits of the ledger. */
export function operatorAuditPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/audit', showAuditLog);
  routes.page('/admin/audit/:auditEntryId', showEntry);
  routes.operation('/admin/audit/:auditEntryId/close', closeAuditEntry, {
    page: showClose,
    form: closureSchema,
    to: '/admin/audit/:auditEntryId',
    said: 'Entry closed.',
  });
  routes.page('/admin/audit-runs', showRuns);
  routes.page('/admin/audit-runs/:auditRunId', showRun);
  routes.operation('/admin/signing-key/retire', retireSigningKey, {
    on: showRuns,
    to: '/admin/audit-runs',
    said: 'Key retired.',
  });
}

async function showAuditLog(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, auditLogFilters);
  const log = await readAuditLog(deps, list.filter, queryOf(ctx, pageSchema));
  await nameIds(
    ctx,
    deps,
    log.items.map(({ targetId }) => targetId),
  );
  render(ctx, auditLogPage(ctx, list, log));
}

async function showEntry(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const read = await readAuditEntry(deps, param(ctx, 'auditEntryId'));
  await nameIds(ctx, deps, [read.entry.partnerId, read.entry.targetId]);
  render(ctx, auditEntryPage(ctx, read));
}

async function showClose(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const { entry } = await readAuditEntry(deps, param(ctx, 'auditEntryId'));
  render(ctx, closeEntryPage(ctx, entry, filled));
}

async function showRuns(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const runs = await readAuditRuns(deps, queryOf(ctx, pageSchema));
  await nameIds(
    ctx,
    deps,
    runs.items.map(({ partnerId }) => partnerId),
  );
  render(ctx, auditRunsPage(ctx, runs, await readSigner(deps)));
}

async function showRun(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const run = orNotFound(await readAuditRun(deps, param(ctx, 'auditRunId')));
  await nameIds(ctx, deps, [run.partnerId]);
  render(ctx, auditRunPage(ctx, run));
}

export const auditLogFilters = {
  status: choiceFilter('State', auditStatuses),
  ...ofPartner,
  isAlone: flagFilter('alone', 'Approval', 'None: approvals were off'),
  actorId: idFilter('actor', 'Who', 'opr_… or usr_…'),
  targetId: idFilter('target', 'Target', 'Any ID'),
  ...days,
};

const auditLogPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor, nameOf }: AuditLogPage,
): Page =>
  page(
    {
      title: 'Audit log',
      lead: 'What operators and partner users did, and whose data operators viewed. Days are UTC.',
    },
    list(ctx, {
      asked,
      caption: 'Actions',
      columns: {
        Action: (one) =>
          html`<a href="${operatorPaths.AUDIT_ENTRY}${one._id}">${auditSentence(one)}</a>`,
        Who: ({ actorId, approvedBy, isAlone }) =>
          html`${nameOfActor(nameOf, actorId)}${approvedBy ? html` <span class="muted">with ${nameOf.get(approvedBy) ?? approvedBy}</span>` : isAlone ? html` <span class="muted">alone, approvals off</span>` : nothing}`,
        Target: ({ targetId }) => toId(ctx, targetId),
        State: (one) => badge(one.status),
        When: ({ at }) => exactTime(at),
      },
      rows: items,
      empty: emptyState('No entries', 'Every action is recorded before it is carried out.'),
      nextCursor,
      exportTo: '/admin/audit/export',
    }),
  );

function auditEntryPage(ctx: PageContext<'operator'>, { entry, nameOf }: AuditEntry): Page {
  const { actorId, approvedBy, status, details } = entry;
  const who = (id: string) => {
    const name = nameOfActor(nameOf, id);
    return nameOf.has(id) ? html`${name} <span class="muted">${toId(ctx, id)}</span>` : name;
  };
  return page(
    {
      title: auditSentence(entry),
      crumbs: [['Audit log', '/admin/audit']],
      lead: badge(status),
    },
    status === 'INTENDED'
      ? notice(
          'warn',
          'Started, but not completed: it is still running, or a process stopped halfway. Repeat the action, or find out what happened and close the entry.',
        )
      : nothing,
    section(
      'Action',
      definitions([
        ['Who', who(actorId)],
        ...(approvedBy ? [['Approved by', who(approvedBy)] as const] : []),
        ...(entry.isAlone ? [['Approved by', 'nobody: approvals were off'] as const] : []),
        ['Partner', toId(ctx, entry.partnerId)],
        ['Target', toId(ctx, entry.targetId)],
        ['Operation', code(entry.action)],
        ['Started', time(entry.at)],
        ['Completed', time(entry.completedAt)],
        ['Request', code(entry.requestId)],
        ['ID', code(entry._id, { canCopy: true })],
      ]),
    ),
    Object.keys(details).length === 0
      ? nothing
      : section('Details', codeBlock(JSON.stringify(details, null, 2), 'Details')),
    status === 'INTENDED' && hasPermission(ctx.state.viewer, 'audit.close')
      ? html`<p>${linkButton(`${operatorPaths.AUDIT_ENTRY}${entry._id}/close`, 'Close entry', 'secondary')}</p>`
      : nothing,
  );
}

function closeEntryPage(ctx: PageContext<'operator'>, entry: AuditEntryDoc, filled: Filled): Page {
  return page(
    {
      title: 'Close entry',
      crumbs: [
        ['Audit log', '/admin/audit'],
        [auditSentence(entry), operatorPaths.AUDIT_ENTRY + entry._id],
      ],
      lead: 'Find out what happened first. Your findings are recorded in the entry.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Close entry', filled },
      select({
        name: 'status',
        label: 'What happened',
        filled,
        choices: [
          { value: '', text: 'Choose …' },
          { value: 'DONE', text: 'It was done' },
          { value: 'FAILED', text: 'It was not done' },
        ],
      }),
      textArea({
        name: 'reason',
        label: 'How you know',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 4,
        hint: 'Name no customer.',
      }),
    )}</div>`,
  );
}

const auditRunsPage = (
  ctx: PageContext<'operator'>,
  { items, nextCursor }: AuditRuns,
  signer: SigningKey | undefined,
): Page =>
  page(
    {
      title: 'Audits',
      lead: 'Checks that every cent and every point is where the ledger says. An audit runs once a day.',
    },
    list(ctx, {
      caption: 'Audits',
      columns: {
        Ended: ({ _id, endedAt }) =>
          html`<a href="${operatorPaths.AUDIT_RUN}${_id}">${time(endedAt)}</a>`,
        Scope: ({ partnerId }) => (partnerId === null ? 'all partners' : toId(ctx, partnerId)),
        Result: ({ faults }) => resultBadge(faults),
        Checked: { number: ({ lookedAt }) => lookedAt },
        Faults: { number: ({ faults }) => faults },
      },
      rows: items,
      empty: emptyState('No audits yet', 'The service audits the ledger once a day.'),
      nextCursor,
    }),
    section(
      'Receipts',
      html`<p>${signerWords(signer)}</p>`,
      hasPermission(ctx.state.viewer, 'signing-key.retire') && signer?.retiredAt === null
        ? confirm(ctx, {
            ask: 'Retire the key …',
            action: '/admin/signing-key/retire',
            submit: 'Retire the key',
            question:
              'Do this when the key may have leaked, for example with a master key. The next tree head is signed with a new one. Receipts stay valid, and partners find both keys at /.well-known/jwks.json.',
          })
        : nothing,
    ),
  );

function signerWords(signer: SigningKey | undefined): Html {
  if (signer === undefined)
    return html`Once a day the head of all ledger entries is signed. Nothing is signed yet.`;
  const { kid, createdAt, retiredAt } = signer;
  return retiredAt === null
    ? html`The head of all ledger entries is signed once a day, with the key ${code(kid)} since ${exactTime(new Date(createdAt))}.`
    : html`The key ${code(kid)} was retired ${exactTime(new Date(retiredAt))}. The next signing makes a new one.`;
}

function auditRunPage(ctx: PageContext<'operator'>, run: AuditRunDoc): Page {
  return page(
    {
      title: run.faults === 0 ? 'The audit found no faults' : 'The audit found faults',
      crumbs: [['Audits', '/admin/audit-runs']],
      lead: run.summary,
    },
    section(
      'Audit',
      definitions([
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
    columns: {
      Check: { text: ({ name }) => name },
      Checked: { number: ({ lookedAt }) => lookedAt },
      Waiting: { number: ({ waiting }) => waiting },
      Faults: { number: ({ faults }) => faults },
      '': ({ faults }) => resultBadge(faults),
    },
    rows: checks,
  });

const resultBadge = (faults: number): Html =>
  faults === 0 ? badge('OK', 'OK') : badge('FAILED', 'Needs attention');
