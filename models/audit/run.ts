import { newId } from '../../platform/ids.ts';
import type { AuditRunDoc } from '../schemas/audit.ts';
import type { AuditDeps, LoggedCheckpoint } from './audit.ts';
import { loggedCheckpoints } from './checks/logged-checkpoints.ts';
import { allChecks } from './checks.ts';
import { auditedLedgers } from './ledgers.ts';
import { createPace } from './pace.ts';
import { partnersOf, remembered } from './pages.ts';
import { createReport, type ReportOptions, summaryOf } from './report.ts';

export interface RunOptions extends Partial<ReportOptions> {
  /** `FOUR_EYES_REVIEW_CENTS`; without it, the sums of decided reviews are not compared. */
  reviewCents?: number | undefined;
  /** The partner to audit; all if absent. */
  partnerId?: string | undefined;
  /**
   * The checkpoints recorded outside the database; without them, only the database itself is
   * checked.
   */
  logged?: AsyncIterable<LoggedCheckpoint> | undefined;
}

/** As long as work in progress may take, even if its process died and another one takes over. */
const defaultPatienceMs = 60_000;

/**
 * Checks all invariants of the ledger on the live database (docs/domain.md, Accounting), in bounded
 * memory while the service is running, and stores the result.
 * @returns the run; without faults it is clean
 */
export async function runAudit(
  deps: Pick<AuditDeps, 'models' | 'checkpoints' | 'hashKey'>,
  {
    reviewCents,
    partnerId,
    logged,
    patienceMs = defaultPatienceMs,
    onProgress = () => undefined,
  }: RunOptions = {},
): Promise<AuditRunDoc> {
  const startedAt = new Date();
  const { models } = deps;
  const ledgers = auditedLedgers(models);
  const report = createReport({ patienceMs, onProgress });
  // The log comes first: a missing checkpoint must not be restored before it is looked for.
  const checks = [...(logged ? [loggedCheckpoints(logged)] : []), ...allChecks(ledgers)];
  const partners = remembered(partnersOf({ models, ledgers, partnerId }));
  const pace = createPace(models);
  for (const [nth, check] of checks.entries()) {
    report.reached(nth / checks.length);
    const given = { ...deps, reviewCents, ledgers, partnerId, partners, pace };
    await check.run(given, report);
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
