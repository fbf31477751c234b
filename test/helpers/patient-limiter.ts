import type { Models } from '../../models/schemas/index.ts';

type Take = (filter: object, update: object, options: object) => Promise<unknown>;

/**
 * Lets the rate limiter wait for MongoDB for a minute. Otherwise it times out after a second, which a busy
 * machine can take, and counts alone.
 */
export function makeLimiterPatient({ rateLimits }: Models): void {
  const collection = rateLimits.collection as unknown as { findOneAndUpdate: Take };
  const take = collection.findOneAndUpdate.bind(collection);
  collection.findOneAndUpdate = (filter, update, options) =>
    take(filter, update, { ...options, timeoutMS: 60_000 });
}
