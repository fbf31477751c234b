import Joi from 'joi';
import { pageSchema } from '../../../http/query.ts';
import { type Closure, closeAuditEntry } from '../../../operations/audit-entries.ts';
import { execute } from '../../../operations/execute.ts';
import { retireSigningKey } from '../../../operations/signing-keys.ts';
import {
  readAuditEntry,
  readAuditLog,
  readAuditRun,
  readAuditRuns,
} from '../../../views/audit-log.ts';
import { readSigner } from '../../../views/receipt.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf } from '../../operate.ts';
import {
  auditEntryPage,
  auditLogFilters,
  auditLogPage,
  auditRunPage,
  auditRunsPage,
  closeEntryPage,
} from '../../pages/admin/audit.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const closureSchema = Joi.object<Closure>({
  status: Joi.string().valid('DONE', 'FAILED').required().messages({
    'any.required': 'Choose what happened.',
    'any.only': 'Choose what happened.',
  }),
  reason: reasonField.required(),
});

const reading = { audience: 'operator', permission: 'read' } as const;
const params = { auditEntryId: 'auditEntry' } as const;
const closing = {
  path: '/admin/audit/:auditEntryId/close',
  params,
  audience: 'operator',
  permission: 'audit.close',
} as const;

/** The audit log, and the audits of the ledger. */
export function operatorAuditPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/audit' }, showAuditLog);
  routes.page({ ...reading, path: '/admin/audit/:auditEntryId', params }, showEntry);
  routes.page(closing, showClose);
  routes.action(closing, { schema: closureSchema, act: close, retry: showClose });
  routes.page({ ...reading, path: '/admin/audit-runs' }, showRuns);
  routes.page(
    { ...reading, path: '/admin/audit-runs/:auditRunId', params: { auditRunId: 'auditRun' } },
    showRun,
  );
  routes.action(
    { path: '/admin/signing-key/retire', audience: 'operator', permission: 'signing-key.retire' },
    { schema: Joi.object({}), act: retireKey, retry: showRuns },
  );
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

async function close(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  closure: Closure,
): Promise<void> {
  const auditEntryId = param(ctx, 'auditEntryId');
  await execute(deps, closeAuditEntry, actorOf(ctx), { auditEntryId, ...closure });
  redirect(ctx, operatorPaths.AUDIT_ENTRY + auditEntryId, 'Entry closed.');
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

async function retireKey(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  await execute(deps, retireSigningKey, actorOf(ctx), {});
  redirect(ctx, '/admin/audit-runs', 'Key retired.');
}

async function showRun(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const run = orNotFound(await readAuditRun(deps, param(ctx, 'auditRunId')));
  await nameIds(ctx, deps, [run.partnerId]);
  render(ctx, auditRunPage(ctx, run));
}
