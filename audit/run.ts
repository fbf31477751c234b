import type { AuditRunDoc } from '../models/schemas/audit.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { auditAnnounced } from '../models/webhooks/announcements.ts';
import { newId } from '../platform/ids.ts';
import type { AuditDeps, Check, LoggedCheckpoint, LoggedHead } from './audit.ts';
import { loggedCheckpoints } from './checks/logged-checkpoints.ts';
import { loggedHeadsHold } from './checks/tree-heads.ts';
import { partnerChecks, sharedChecks } from './checks.ts';
import { auditedLedgers } from './ledgers.ts';
import { createPace } from './pace.ts';
import { partnersOf } from './pages.ts';
import { createReport, type Findings, type ReportOptions, summaryOf } from './report.ts';

/** How far an audit is, from which another attempt continues. */
export interface AuditProgress {
  startedAt: Date;
  /** The last partner that is done; empty before the first. */
  after: string;
  findings: Findings;
}

const dates = new Set(['startedAt', 'waitingSince', 'from', 'to']);

/** Progress that was kept as JSON. */
export const progressOfJson = (kept: AuditProgress): AuditProgress =>
  JSON.parse(JSON.stringify(kept), (key, value) =>
    dates.has(key) && typeof value === 'string' ? new Date(value) : value,
  );

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
  /** The tree heads recorded outside the database. */
  loggedHeads?: AsyncIterable<LoggedHead> | undefined;
  /** Where an interrupted audit was. */
  progress?: AuditProgress | undefined;
  /** Called when a partner is done. */
  onPartner?: (progress: AuditProgress) => void;
}

/** As long as work in progress may take, even if its process died and another one takes over. */
const defaultPatienceMs = 60_000;

/**
 * Checks all invariants of the ledger on the live database (docs/concepts/money.md), partner by
 * partner, in bounded memory while the service is running, and stores the result.
 * @returns the run; without faults it is clean
 */
export async function runAudit(
  { models, checkpoints, hashKey }: Pick<AuditDeps, 'models' | 'checkpoints' | 'hashKey'>,
  {
    reviewCents,
    partnerId,
    logged,
    loggedHeads,
    progress,
    patienceMs = defaultPatienceMs,
    onProgress = () => undefined,
    onPartner = () => undefined,
  }: RunOptions = {},
): Promise<AuditRunDoc> {
  const startedAt = progress?.startedAt ?? new Date();
  const report = createReport({ patienceMs, onProgress }, progress?.findings);
  const pace = createPace(models);
  const deps = { models, checkpoints, hashKey, reviewCents, partnerId, pace };
  const checks = partnerChecks(auditedLedgers);
  const runAll = async (all: readonly Check[], of: string | undefined, ids: readonly string[]) => {
    async function* partners() {
      yield* ids;
    }
    for (const check of all) await check.run({ ...deps, partnerId: of, partners }, report);
    await report.settle();
  };

  if (progress === undefined) {
    // The log comes first: a missing checkpoint must not be restored before it is looked for.
    if (logged) await runAll([loggedCheckpoints(logged)], partnerId, []);
    if (loggedHeads) await runAll([loggedHeadsHold(loggedHeads)], partnerId, []);
    // Without partners, every check is in the result.
    await runAll([...checks, ...sharedChecks], partnerId, []);
  }
  const count = partnerId === undefined ? await models.partners.estimatedDocumentCount() : 1;
  let done = 0;
  for await (const id of partnersOf(deps, progress?.after ?? '')) {
    await runAll(checks, id, [id]);
    done += 1;
    report.reached(Math.min(1, done / Math.max(1, count)));
    onPartner({ startedAt, after: id, findings: report.findings() });
  }

  const { checks: results, alone } = report.findings();
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
  await announceWith(models, async (session, announce) => {
    await models.auditRuns.create([run], { session });
    if (run.partnerId === null && run.faults > 0) announce(auditAnnounced(run));
  });
  return run;
}
