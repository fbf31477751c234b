import { AsyncLocalStorage } from 'node:async_hooks';
import type { Models } from '../../models/schemas/index.ts';

/** How a process dies: in the write after so many, or never. */
export interface Fate {
  writesLeft: number;
  /** Whether the write it dies in was done, and only its answer was lost. */
  lastIsDone: boolean;
  isDead: boolean;
}

/** What a dead process says of whatever it was doing. */
export class Killed extends Error {
  override name = 'Killed';
}

export const immortal = (): Fate => ({
  writesLeft: Number.POSITIVE_INFINITY,
  lastIsDone: false,
  isDead: false,
});

type Write = (...args: unknown[]) => Promise<unknown>;
const writing = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'bulkWrite',
  'findOneAndUpdate',
] as const;
const fates = new AsyncLocalStorage<Fate>();

/** Lets whatever runs under a fate die as it says: no later write of it reaches the database. */
export function makeMortal(models: Models): void {
  const { ledger, testFunding, usageEntries, orderEvents, integrationEvents } = models;
  const { rewards, reviews, dataKeys } = models;
  for (const model of [
    ...[ledger, testFunding, usageEntries, dataKeys],
    ...[orderEvents, integrationEvents, rewards, reviews],
  ]) {
    const collection = model.collection as unknown as Record<string, Write>;
    for (const name of writing) {
      const write = collection[name]?.bind(collection);
      if (write === undefined) throw new Error(`a collection has ${name}`);
      collection[name] = async (...args) => {
        const fate = fates.getStore() ?? immortal();
        if (fate.isDead) throw new Killed();
        fate.writesLeft -= 1;
        if (fate.writesLeft >= 0) return await write(...args);
        fate.isDead = true;
        if (fate.lastIsDone) await write(...args);
        throw new Killed();
      };
    }
  }
}

export const under = <T>(fate: Fate, work: () => Promise<T>): Promise<T> => fates.run(fate, work);
