import type { Models } from '../../models/schemas/index.ts';

type Take = (filter: object, update: object, options: object) => Promise<unknown>;

/**
 * Lets the rate limiter wait for its permits as long as it takes. Else it gives up after a second, for
 * which a busy machine stalls now and then, and counts for itself.
 */
export function makeLimiterPatient({ rateLimits }: Models): void {
  const collection = rateLimits.collection as unknown as { findOneAndUpdate: Take };
  const take = collection.findOneAndUpdate.bind(collection);
  collection.findOneAndUpdate = (filter, update, options) =>
    take(filter, update, { ...options, timeoutMS: 60_000 });
}
