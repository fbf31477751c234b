import { type Mode, modes } from '../domain/mode.ts';
import { openStates, type RewardState } from '../domain/reward.ts';
import { readDue } from '../models/due.ts';
import type { Models } from '../models/schemas/index.ts';
import { missingFundsIndex } from '../models/schemas/rewards.ts';

/** Counting stops here, which bounds the cost: this many means "at least this many". */
const countLimit = 100_000;
/** Slower reads are cancelled, so that the figures never slow down the service. */
const readTimeoutMs = 2_000;

/** Figures of the business over all partners. No count is above `countLimit`. */
export interface Figures {
  /** What is due, by what it is about, and how much of it was set apart. */
  due: Awaited<ReturnType<typeof readDue>>;
  /** Rewards in a state that is not final, by state. */
  openRewards: { state: RewardState; count: number }[];
  /** The number of rewards, estimated from the database's statistics. */
  rewards: number;
  missingFunds: { mode: Mode; currency: string; cents: number }[];
  reviews: { open: number; overdue: number };
  /** The newest audit of all partners. */
  lastAudit: { endedAt: Date; faults: number } | null;
  /** The newest reconciliation. */
  lastReconciliation: { endedAt: Date; startedAgain: number; failed: number } | null;
}

/**
 * Reads the figures from index entries of open work only, so that they cost the same with a thousand
 * purchases as with ten million.
 */
export async function readFigures(models: Models, nowMs: number): Promise<Figures> {
  const { rewards, reviews, auditRuns, reconciliationRuns } = models;
  const limited = { limit: countLimit, maxTimeMS: readTimeoutMs };
  const [due, openRewards, stored, missingFunds, open, overdue, audit, reconciled] =
    await Promise.all([
      readDue(models, readTimeoutMs),
      Promise.all(
        openStates.map(async (state) => ({
          state,
          count: await rewards.countDocuments({ state }, limited),
        })),
      ),
      rewards.estimatedDocumentCount({ maxTimeMS: readTimeoutMs }),
      sumOfMissingFunds(models),
      reviews.countDocuments({ status: 'OPEN' }, limited),
      reviews.countDocuments(
        { status: 'OPEN', mode: { $in: modes }, dueAt: { $lt: new Date(nowMs) } },
        limited,
      ),
      auditRuns
        .findOne({ partnerId: null }, { endedAt: 1, faults: 1 }, { maxTimeMS: readTimeoutMs })
        .sort({ _id: -1 }),
      reconciliationRuns
        .findOne({}, { endedAt: 1, startedAgain: 1, failed: 1 }, { maxTimeMS: readTimeoutMs })
        .sort({ _id: -1 }),
    ]);
  return {
    due,
    openRewards,
    rewards: stored,
    missingFunds,
    reviews: { open, overdue },
    lastAudit: audit && { endedAt: audit.endedAt, faults: audit.faults },
    lastReconciliation: reconciled && {
      endedAt: reconciled.endedAt,
      startedAgain: reconciled.startedAgain,
      failed: reconciled.failed,
    },
  };
}

async function sumOfMissingFunds({ rewards }: Models): Promise<Figures['missingFunds']> {
  return await rewards
    .aggregate<Figures['missingFunds'][number]>([
      { $match: { state: 'AWAITING_FUNDING' } },
      { $limit: countLimit },
      {
        $group: {
          _id: { mode: '$mode', currency: '$currency' },
          cents: { $sum: '$liabilityCents' },
        },
      },
      { $project: { _id: 0, mode: '$_id.mode', currency: '$_id.currency', cents: 1 } },
    ])
    .option({ hint: missingFundsIndex, maxTimeMS: readTimeoutMs });
}
