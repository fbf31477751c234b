import { randomUUID } from 'node:crypto';
import type { Models } from '../schemas/index.ts';
import { upsertLightly } from './upsert-lightly.ts';

/** As long as nobody does the work after its holder died. */
const usualMs = 3_000;
const patienceMs = 1_000;

export interface Lease {
  /** @returns whether this one holds it now, having asked for it */
  hold(): Promise<boolean>;
  /** How many asked for it lately, this one too: of so many processes one does the work. */
  contenders(): number;
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
    return upsertLightly(models, models.leases, { _id: name }, [
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
