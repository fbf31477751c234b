import type { AuditRunDoc } from '../schemas/audit-run.ts';
import { type Page, type PageQuery, page } from '../store/paging.ts';
import type { ViewDeps } from './deps.ts';

type Reading = Pick<ViewDeps, 'models'>;

/** A page of the audits of the books, the newest first. */
export const readAuditRuns = ({ models }: Reading, query: PageQuery): Promise<Page<AuditRunDoc>> =>
  page(models.auditRuns, [], query, (run) => run);

export type AuditRuns = Awaited<ReturnType<typeof readAuditRuns>>;

export const readAuditRun = (
  { models }: Reading,
  auditRunId: string,
): Promise<AuditRunDoc | null> => models.auditRuns.findById(auditRunId).lean();
