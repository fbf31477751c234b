import { duplicateKey } from './insert-once.ts';
import type { Models } from './schemas/index.ts';
import type { RateLimitDoc } from './schemas/rate-limit.ts';

/** Whose permits are asked for, and how many there are in a window. */
export interface PermitRequest {
  partnerId: string;
  credentialId: string;
  limit: number;
  /** How many are needed now; more may be given, never more than are left. */
  wanted: number;
}

export interface PermitBlock {
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
const patienceMs = 1_000;

/**
 * Takes a block of permits from the credential's window in one write. A window begins with the first
 * block and ends a minute later by the database's clock, so that processes need not agree on the time.
 *
 * The write needs no journal and no majority: what a crash of the database forgets are permits, and
 * the window is over within a minute.
 * @throws Error when the database is away or takes longer than a second
 */
export async function takePermits(models: Models, request: PermitRequest): Promise<PermitBlock> {
  const { partnerId, credentialId, limit, wanted } = request;
  const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
  const untaken = { $max: [0, { $subtract: [limit, '$taken'] }] };
  const block = { $ceil: { $divide: [untaken, blocksInWhatIsLeft] } };
  const collection = models.connection.collection<RateLimitDoc>(models.rateLimits.collection.name);
  const take = () =>
    collection.findOneAndUpdate(
      { partnerId, credentialId },
      [
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
      ],
      {
        upsert: true,
        returnDocument: 'after',
        writeConcern: { w: 1, journal: false },
        timeoutMS: patienceMs,
      },
    );
  // Two processes that open a window at once: one inserts it, the other finds it.
  const window = await take().catch((error: { code?: unknown }) => {
    if (error.code !== duplicateKey) throw error;
    return take();
  });
  if (!window) throw new Error('an upsert gave no document');
  const { granted, taken, leftMs } = window;
  return { granted, untaken: Math.max(0, limit - taken), leftMs };
}
