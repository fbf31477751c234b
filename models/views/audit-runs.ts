import type { AuditRunDoc } from '../schemas/audit.ts';
import { type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';

/** A page of the ledger's audits, newest first. */
export const readAuditRuns = (
  { models }: ModelDeps,
  query: PageQuery,
): Promise<Page<AuditRunDoc>> => page(models.auditRuns, [], query, (run) => run);

export type AuditRuns = Awaited<ReturnType<typeof readAuditRuns>>;

export const readAuditRun = (
  { models }: ModelDeps,
  auditRunId: string,
): Promise<AuditRunDoc | null> => models.auditRuns.findById(auditRunId);
