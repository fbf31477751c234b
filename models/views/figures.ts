import { type Mode, modes } from '../../domain/mode.ts';
import { openStatuses, type RewardStatus } from '../../domain/reward-states.ts';
import type { Models } from '../schemas/index.ts';

/** Counting stops here, so that the figures cost the same however much is open: read "at least". */
export const countLimit = 100_000;
/** A figure that takes longer is given up, rather than slow down the service that it describes. */
const patienceMs = 2_000;

/** How the business stands, over all partners. No count is above `countLimit`. */
export interface Figures {
  /** Purchases that have not begun, refunds not settled; `since` is the oldest one's, null without any. */
  unbegun: { count: number; since: Date | null };
  /** Rewards for which somebody is waited for, by status. */
  openRewards: { status: RewardStatus; count: number }[];
  /** Rewards ever made, as the database's own statistics have it. */
  rewards: number;
  missingFunds: { mode: Mode; currency: string; cents: number }[];
  reviews: { open: number; overdue: number };
  /** The newest audit of all partners. */
  lastAudit: { endedAt: Date; faults: number } | null;
  /** The newest round of the reconciliation. */
  lastReconciliation: { endedAt: Date; startedAgain: number; failed: number } | null;
}

/**
 * Reads the figures: index keys of what is open alone, never a scan of what once was, so that they
 * cost the same with a thousand purchases behind us and ten million.
 */
export async function readFigures(models: Models, nowMs: number): Promise<Figures> {
  const { orderEvents, rewards, reviews, auditRuns, reconciliationRuns } = models;
  const limited = { limit: countLimit, maxTimeMS: patienceMs };
  const awaiting = { pendingSince: { $gt: new Date(0) } };
  const [count, oldest, openRewards, stored, missingFunds, open, overdue, audit, reconciled] =
    await Promise.all([
      orderEvents.countDocuments(awaiting, limited),
      orderEvents
        .findOne(awaiting, { pendingSince: 1 }, { maxTimeMS: patienceMs })
        .sort({ pendingSince: 1 })
        .lean(),
      Promise.all(
        openStatuses.map(async (status) => ({
          status,
          count: await rewards.countDocuments({ status }, limited),
        })),
      ),
      rewards.estimatedDocumentCount({ maxTimeMS: patienceMs }),
      readMissingFunds(models),
      reviews.countDocuments({ status: 'OPEN' }, limited),
      reviews.countDocuments(
        { status: 'OPEN', mode: { $in: modes }, dueAt: { $lt: new Date(nowMs) } },
        limited,
      ),
      auditRuns
        .findOne({ partnerId: null }, { endedAt: 1, faults: 1 }, { maxTimeMS: patienceMs })
        .sort({ _id: -1 })
        .lean(),
      reconciliationRuns
        .findOne({}, { endedAt: 1, startedAgain: 1, failed: 1 }, { maxTimeMS: patienceMs })
        .sort({ _id: -1 })
        .lean(),
    ]);
  return {
    unbegun: { count, since: oldest?.pendingSince ?? null },
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
    .option({ hint: 'missing_funds', maxTimeMS: patienceMs });
}
