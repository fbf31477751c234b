import type { AuditStatus } from '../domain/operators.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import type { AuditEntryDoc, AuditRunDoc } from '../models/schemas/audit.ts';
import type { Models } from '../models/schemas/index.ts';
import { createdOn, type DayRange } from '../models/store/day-range.ts';
import { given, type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import { requireFound } from '../models/store/require-found.ts';
import { idBound } from '../platform/ids.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Filters of the audit log. */
export interface AuditLogFilter extends DayRange {
  partnerId: string | undefined;
  actorId: string | undefined;
  targetId: string | undefined;
  status: AuditStatus | undefined;
  /** Only operations without the approval that they require. */
  isAlone: true | undefined;
}

/** A page of the audit log, with the names of actors and approvers. */
export async function readAuditLog(
  { models }: ModelDeps,
  filter: AuditLogFilter,
  query: PageQuery,
) {
  const entries = await readPage(
    models.auditEntries,
    entriesIn(filter),
    query,
    (entry: AuditEntryDoc) => entry,
  );
  const actors = entries.items.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]);
  return { ...entries, nameOf: await namesOfActors(models, actors) };
}

/** A page of what a partner's own users did, with their names. */
export async function readOwnAuditLog(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  query: PageQuery,
) {
  const users = await models.users.find({ partnerId }, { name: 1 });
  const actorId = { $in: users.map(({ _id }) => _id) };
  const entries = await readPage(
    models.auditEntries,
    [{ partnerId, actorId }],
    query,
    (entry: AuditEntryDoc) => entry,
  );
  return { ...entries, nameOf: new Map(users.map(({ _id, name }) => [_id, name])) };
}

export type OwnAuditLog = Awaited<ReturnType<typeof readOwnAuditLog>>;

/** The conditions on the entries of a list. */
export function entriesIn({ fromDay, toDay, ...equal }: AuditLogFilter): Record<string, unknown>[] {
  return [
    ...given(equal),
    ...createdOn({ fromDay, toDay }, (atMs) => idBound('audit', atMs)),
    // Makes MongoDB use the partial index of the few entries that were never completed.
    ...(equal.status === 'INTENDED' ? [{ at: { $gt: new Date(0) } }] : []),
  ];
}

export type AuditLogPage = Awaited<ReturnType<typeof readAuditLog>>;

/** An audit entry with the names of its actor and approver. @throws ServiceError NOT_FOUND */
export async function readAuditEntry({ models }: ModelDeps, auditEntryId: string) {
  const stored = await models.auditEntries.findById(auditEntryId);
  const entry = requireFound(stored, 'audit entry', auditEntryId);
  return { entry, nameOf: await namesOfActors(models, [entry.actorId, entry.approvedBy]) };
}

export type AuditEntry = Awaited<ReturnType<typeof readAuditEntry>>;

/** @throws ServiceError NOT_FOUND */
export async function findAuditEntry(models: Models, auditEntryId: string): Promise<AuditEntryDoc> {
  return requireFound(
    await models.auditEntries.findById(auditEntryId),
    'audit entry',
    auditEntryId,
  );
}

/** A page of the ledger's audits, newest first. */
export const readAuditRuns = (
  { models }: ModelDeps,
  query: PageQuery,
): Promise<ListPage<AuditRunDoc>> => readPage(models.auditRuns, [], query, (run) => run);

export type AuditRuns = Awaited<ReturnType<typeof readAuditRuns>>;

export const readAuditRun = (
  { models }: ModelDeps,
  auditRunId: string,
): Promise<AuditRunDoc | null> => models.auditRuns.findById(auditRunId);
