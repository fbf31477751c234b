import { newId } from '../../platform/ids.ts';
import type { AuditRunDoc } from '../schemas/audit-run.ts';
import type { AuditDeps, LoggedCheckpoint } from './audit.ts';
import { auditedChains } from './audited-chains.ts';
import { loggedCheckpoints } from './checks/logged-checkpoints.ts';
import { allChecks } from './checks.ts';
import { createPace } from './pace.ts';
import { partnersOf, remembered } from './pages.ts';
import { createReport, type ReportOptions, summaryOf } from './report.ts';

export interface RunOptions extends Partial<ReportOptions> {
  /** The partner to look at; without one, all. */
  partnerId?: string | undefined;
  /** What a log outside the database holds; without it, the database is held against itself alone. */
  logged?: AsyncIterable<LoggedCheckpoint> | undefined;
}

/** As long as work in flight may take, also when a process died over it and another takes it up. */
const defaultPatienceMs = 60_000;

/**
 * Proves on the live database every invariant of the books (docs/domain.md, Accounting), in bounded memory
 * and while the service runs, and stores what it found.
 * @returns the run; it is clean when it has no faults
 */
export async function runAudit(
  deps: Pick<AuditDeps, 'models' | 'ledger' | 'usage' | 'checkpoints'>,
  {
    partnerId,
    logged,
    patienceMs = defaultPatienceMs,
    onProgress = () => undefined,
  }: RunOptions = {},
): Promise<AuditRunDoc> {
  const startedAt = new Date();
  const { models, ledger, usage, checkpoints } = deps;
  const chains = auditedChains({ ledger, usage });
  const report = createReport({ patienceMs, onProgress });
  // The log comes first: what is missing must not be put back before it is looked for.
  const checks = [...(logged ? [loggedCheckpoints(logged)] : []), ...allChecks(chains)];
  const partners = remembered(partnersOf({ models, chains, partnerId }));
  const pace = createPace(models);
  for (const [nth, check] of checks.entries()) {
    report.reached(nth / checks.length);
    await check.run(
      { models, ledger, usage, checkpoints, chains, partnerId, partners, pace },
      report,
    );
  }
  await report.settle();
  const results = report.results();
  const alone = report.doneAlone();
  const total = (of: 'lookedAt' | 'faults') => results.reduce((sum, check) => sum + check[of], 0);
  const run = {
    _id: newId('auditRun'),
    partnerId: partnerId ?? null,
    startedAt,
    endedAt: new Date(),
    lookedAt: total('lookedAt'),
    faults: total('faults'),
    summary: summaryOf(results, alone),
    checks: results,
    alone,
  };
  await models.auditRuns.create(run);
  return run;
}
