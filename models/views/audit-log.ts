import type { AuditStatus } from '../../domain/audit-log.ts';
import { idBound } from '../../platform/ids.ts';
import { namesOfActors } from '../identity/actors.ts';
import type { AuditEntryDoc } from '../schemas/audit-entry.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import { requireFound } from '../store/require-found.ts';
import type { ModelDeps } from './deps.ts';

/** What the audit log is narrowed by. */
export interface AuditLogFilter extends DayRange {
  partnerId: string | undefined;
  actorId: string | undefined;
  targetId: string | undefined;
  status: AuditStatus | undefined;
  /** What one did alone that needs two. */
  isAlone: true | undefined;
}

/** A page of the audit log, with the names of who did what. */
export async function readAuditLog(
  { models }: ModelDeps,
  filter: AuditLogFilter,
  query: PageQuery,
) {
  const entries = await page(
    models.auditEntries,
    entriesIn(filter),
    query,
    (entry: AuditEntryDoc) => entry,
  );
  const actors = entries.items.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]);
  return { ...entries, nameOf: await namesOfActors(models, actors) };
}

/** What the entries of a list have in common. */
export function entriesIn({ fromDay, toDay, ...equal }: AuditLogFilter): Record<string, unknown>[] {
  return [
    ...given(equal),
    ...createdOn({ fromDay, toDay }, (atMs) => idBound('audit', atMs)),
    // So that the few that were never completed are found by the index that holds them alone.
    ...(equal.status === 'INTENDED' ? [{ at: { $gt: new Date(0) } }] : []),
  ];
}

export type AuditLog = Awaited<ReturnType<typeof readAuditLog>>;

/** An entry of the audit log with the names of who did it. @throws ServiceError NOT_FOUND */
export async function readAuditEntry({ models }: ModelDeps, auditEntryId: string) {
  const stored = await models.auditEntries.findById(auditEntryId).lean();
  const entry = requireFound(stored, 'audit entry', auditEntryId);
  return { entry, nameOf: await namesOfActors(models, [entry.actorId, entry.approvedBy]) };
}

export type AuditEntry = Awaited<ReturnType<typeof readAuditEntry>>;
