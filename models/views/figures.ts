import { type Mode, modes } from '../../domain/mode.ts';
import { openStatuses, type RewardStatus } from '../../domain/reward-states.ts';
import { readOutbox } from '../outbox.ts';
import type { Models } from '../schemas/index.ts';
import { missingFundsIndex } from '../schemas/rewards.ts';

/** Counting stops here, which bounds the cost: this many means "at least this many". */
export const countLimit = 100_000;
/** Slower reads are cancelled, so that the figures never slow down the service. */
const readTimeoutMs = 2_000;

/** Figures of the business over all partners. No count is above `countLimit`. */
export interface Figures {
  /** What workflows are still to be told, by kind, and how much of it was set apart. */
  outbox: Awaited<ReturnType<typeof readOutbox>>;
  /** Rewards in a status that is not final, by status. */
  openRewards: { status: RewardStatus; count: number }[];
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
  const [outbox, openRewards, stored, missingFunds, open, overdue, audit, reconciled] =
    await Promise.all([
      readOutbox(models, readTimeoutMs),
      Promise.all(
        openStatuses.map(async (status) => ({
          status,
          count: await rewards.countDocuments({ status }, limited),
        })),
      ),
      rewards.estimatedDocumentCount({ maxTimeMS: readTimeoutMs }),
      readMissingFunds(models),
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
    outbox,
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

async function readMissingFunds({ rewards }: Models): Promise<Figures['missingFunds']> {
  return await rewards
    .aggregate<Figures['missingFunds'][number]>([
      { $match: { status: 'AWAITING_FUNDING' } },
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
