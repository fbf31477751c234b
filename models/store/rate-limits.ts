import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import { upsertLightly } from './upsert-lightly.ts';

/** Whose permits are asked for, and how many there are in a window. */
export interface RateLimitRequest {
  partnerId: string;
  mode: Mode;
  limit: number;
  /** How many are needed now; more may be given, never more than are left. */
  wanted: number;
}

export interface RateLimitBlock {
  granted: number;
  /** What nobody has taken yet. */
  untaken: number;
  /** How long the window goes on. */
  leftMs: number;
}

export const windowMs = 60_000;
/**
 * A block is this part of what is left: few writes while there is plenty, and little lies idle with
 * one process while another runs out.
 */
export const blocksInWhatIsLeft = 16;

/**
 * Takes a block of permits from the window of a partner's keys of one mode, in one write. A window begins with the first
 * block and ends a minute later by the database's clock, so that processes need not agree on the time.
 *
 * The write needs no journal and no majority: what a crash of the database forgets are permits, and
 * the window is over within a minute.
 * @throws Error when the database is away or takes longer than a second
 */
export async function takeFromRateLimit(
  models: Models,
  request: RateLimitRequest,
): Promise<RateLimitBlock> {
  const { partnerId, mode, limit, wanted } = request;
  const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
  const untaken = { $max: [0, { $subtract: [limit, '$taken'] }] };
  const block = { $ceil: { $divide: [untaken, blocksInWhatIsLeft] } };
  const window = await upsertLightly(models, models.rateLimits, { partnerId, mode }, [
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
