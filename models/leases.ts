import { randomUUID } from 'node:crypto';
import { duplicateKey } from './insert-once.ts';
import type { Models } from './schemas/index.ts';
import type { LeaseDoc } from './schemas/lease.ts';

/** As long as nobody does the work after its holder died. */
const usualMs = 3_000;
/** How long the database has to answer: what waits for the answer can be done later. */
const patienceMs = 1_000;

export interface Lease {
  /** @returns whether this one holds it now, having asked for it */
  hold(): Promise<boolean>;
  /** Lets another one have it at once. */
  release(): Promise<void>;
}

/**
 * One's part in a lease, which one process at a time holds. It saves work that would be done twice, and
 * nothing more: a holder that is held up may go on while the next one has begun.
 * @param name what it is for
 * @param leaseMs after so long it ends, unless its holder asked again; asked sooner than a third of it,
 *   the holder goes by what it was told
 */
export function createLease(models: Models, name: string, leaseMs = usualMs): Lease {
  const collection = models.connection.collection<LeaseDoc>(models.leases.collection.name);
  const holder = randomUUID();
  const options = { writeConcern: { w: 1, journal: false }, timeoutMS: patienceMs } as const;
  let renewAtMs = 0;

  const ask = () => {
    const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
    const isOurs = { $or: [isOver, { $eq: ['$holder', holder] }] };
    return collection.findOneAndUpdate(
      { _id: name },
      [
        {
          $set: {
            holder: { $cond: [isOurs, holder, '$holder'] },
            endsAt: { $cond: [isOurs, { $add: ['$$NOW', leaseMs] }, '$endsAt'] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after', ...options },
    );
  };

  return {
    async hold() {
      const askedAtMs = performance.now();
      if (askedAtMs < renewAtMs) return true;
      // Two that ask for the first time at once: one inserts it, the other finds it.
      const lease = await ask().catch((error: { code?: unknown }) => {
        if (error.code !== duplicateKey) throw error;
        return ask();
      });
      const isHeld = lease?.holder === holder;
      if (isHeld) renewAtMs = askedAtMs + leaseMs / 3;
      return isHeld;
    },

    async release() {
      renewAtMs = 0;
      await collection.deleteOne({ _id: name, holder }, options);
    },
  };
}
