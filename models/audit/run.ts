import { newId } from '../../platform/ids.ts';
import type { AuditRunDoc } from '../schemas/audit-run.ts';
import type { AuditDeps } from './audit.ts';
import { auditedChains } from './audited-chains.ts';
import { allChecks } from './checks.ts';
import { createReport, type ReportOptions, summaryOf } from './report.ts';

export interface RunOptions extends Partial<ReportOptions> {
  /** The partner to look at; without one, all. */
  partnerId?: string | undefined;
}

/** As long as work in flight may take, also when a process died over it and another takes it up. */
const defaultPatienceMs = 60_000;

/**
 * Proves on the live database every invariant of the books (domain, Accounting), in bounded memory
 * and while the service runs, and stores what it found.
 * @returns the run; it is clean when it has no faults
 */
export async function runAudit(
  { models, ledger, usage }: Pick<AuditDeps, 'models' | 'ledger' | 'usage'>,
  { partnerId, patienceMs = defaultPatienceMs, onProgress = () => undefined }: RunOptions = {},
): Promise<AuditRunDoc> {
  const startedAt = new Date();
  const chains = auditedChains({ ledger, usage });
  const report = createReport({ patienceMs, onProgress });
  for (const check of allChecks(chains)) {
    await check.run({ models, ledger, usage, chains, partnerId }, report);
  }
  await report.settle();
  const checks = report.results();
  const total = (of: 'lookedAt' | 'faults') => checks.reduce((sum, check) => sum + check[of], 0);
  const run = {
    _id: newId('auditRun'),
    partnerId: partnerId ?? null,
    startedAt,
    endedAt: new Date(),
    lookedAt: total('lookedAt'),
    faults: total('faults'),
    summary: summaryOf(checks),
    checks,
  };
  await models.auditRuns.create(run);
  return run;
}
