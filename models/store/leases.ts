import { randomUUID } from 'node:crypto';
import type { Models } from '../schemas/index.ts';
import { upsertUnjournaled } from './upsert-unjournaled.ts';

/** How long the work pauses after the holder of its lease died. */
const usualMs = 3_000;
const patienceMs = 1_000;

export interface Lease {
  /** Acquires or renews the lease. @returns whether this process holds it */
  hold(): Promise<boolean>;
  /** How many processes recently wanted it, including this one: one of them does the work. */
  contenders(): number;
  /** Releases it, so that another process can acquire it immediately. */
  release(): Promise<void>;
}

/**
 * A lease that one process at a time holds. It only avoids doing work twice: a holder that was
 * paused may continue after the next one has begun.
 * @param name what it is for
 * @param leaseMs how long it lasts unless renewed. A holder relies on it for a third of that before
 *   it asks again.
 */
export function createLease(models: Models, name: string, leaseMs = usualMs): Lease {
  const holder = randomUUID();
  let renewAtMs = 0;
  let contenders = 1;

  const ask = () => {
    const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
    const others = {
      $filter: {
        input: { $ifNull: ['$contenders', []] },
        cond: {
          $and: [
            { $ne: ['$$this.holder', holder] },
            { $gt: ['$$this.askedAt', { $subtract: ['$$NOW', leaseMs] }] },
          ],
        },
      },
    };
    const isOurs = { $or: [isOver, { $eq: ['$holder', holder] }] };
    return upsertUnjournaled(models, models.leases, { _id: name }, [
      {
        $set: {
          holder: { $cond: [isOurs, holder, '$holder'] },
          endsAt: { $cond: [isOurs, { $add: ['$$NOW', leaseMs] }, '$endsAt'] },
          contenders: { $concatArrays: [others, [{ holder, askedAt: '$$NOW' }]] },
        },
      },
    ]);
  };

  return {
    async hold() {
      const askedAtMs = performance.now();
      if (askedAtMs < renewAtMs) return true;
      const lease = await ask();
      contenders = lease.contenders.length;
      const isHeld = lease.holder === holder;
      if (isHeld) renewAtMs = askedAtMs + leaseMs / 3;
      return isHeld;
    },

    contenders: () => contenders,

    async release() {
      renewAtMs = 0;
      await models.leases.deleteOne({ _id: name, holder }, { timeoutMS: patienceMs });
    },
  };
}
