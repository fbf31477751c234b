import { randomUUID } from 'node:crypto';
import type { Models } from './schemas/index.ts';
import { upsertLightly } from './upsert-lightly.ts';

/** As long as nobody does the work after its holder died. */
const usualMs = 3_000;
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
  const holder = randomUUID();
  let renewAtMs = 0;

  const ask = () => {
    const isOver = { $lte: [{ $ifNull: ['$endsAt', new Date(0)] }, '$$NOW'] };
    const isOurs = { $or: [isOver, { $eq: ['$holder', holder] }] };
    return upsertLightly(models, models.leases, { _id: name }, [
      {
        $set: {
          holder: { $cond: [isOurs, holder, '$holder'] },
          endsAt: { $cond: [isOurs, { $add: ['$$NOW', leaseMs] }, '$endsAt'] },
        },
      },
    ]);
  };

  return {
    async hold() {
      const askedAtMs = performance.now();
      if (askedAtMs < renewAtMs) return true;
      const isHeld = (await ask()).holder === holder;
      if (isHeld) renewAtMs = askedAtMs + leaseMs / 3;
      return isHeld;
    },

    async release() {
      renewAtMs = 0;
      await models.leases.deleteOne({ _id: name, holder }, { timeoutMS: patienceMs });
    },
  };
}
