import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import { upsertUnjournaled } from './upsert-unjournaled.ts';

/** A partner and mode, the limit of its window, and how many requests to take from it. */
export interface RateLimitRequest {
  partnerId: string;
  mode: Mode;
  limit: number;
  /** How many are needed now. More may be granted, if available. */
  wanted: number;
}

export interface RateLimitBlock {
  granted: number;
  /** Requests left in the window. */
  untaken: number;
  /** How long until the window ends. */
  leftMs: number;
}

export const windowMs = 60_000;
/**
 * The requests left are taken in blocks of one in this many: few writes while there are plenty, and few
 * unused ones in one process while another runs out.
 */
export const blocksInWhatIsLeft = 16;

/**
 * Takes a block of requests from a partner's window in one mode, in one write. A window starts with
 * the first block and ends a minute later by the database's clock, so that processes need not agree
 * on the time.
 *
 * The write needs neither journal nor majority: a crash of the database only loses counts, and the
 * window is over within a minute.
 * @throws Error if the database is unavailable or takes longer than a second
 */
export async function takeFromRateLimit(
  models: Models,
  request: RateLimitRequest,
): Promise<RateLimitBlock> {
  const { partnerId, mode, limit, wanted } = request;
  const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
  const untaken = { $max: [0, { $subtract: [limit, '$taken'] }] };
  const block = { $ceil: { $divide: [untaken, blocksInWhatIsLeft] } };
  const window = await upsertUnjournaled(models, models.rateLimits, { partnerId, mode }, [
    {
      $set: {
        taken: { $cond: [isOver, 0, '$taken'] },
        endsAt: { $cond: [isOver, { $add: ['$$NOW', windowMs] }, '$endsAt'] },
      },
    },
    { $set: { granted: { $min: [untaken, { $max: [block, wanted] }] } } },
    {
      $set: {
        taken: { $add: ['$taken', '$granted'] },
        leftMs: { $subtract: ['$endsAt', '$$NOW'] },
      },
    },
  ]);
  const { granted, taken, leftMs } = window;
  return { granted, untaken: Math.max(0, limit - taken), leftMs };
}
