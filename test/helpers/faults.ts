import { AsyncLocalStorage } from 'node:async_hooks';
import type { Models } from '../../models/schemas/index.ts';

/**
 * What may go wrong around a process's operations on the database: it dies in one of its writes, or
 * another process is faster between two of its operations. Each holds for what runs under it alone.
 */

interface Cursor {
  toArray(): Promise<unknown[]>;
}
type Operation = (...args: unknown[]) => unknown;

const reads = ['find', 'findOne', 'distinct', 'aggregate', 'countDocuments'];
const writes = [
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'findOneAndUpdate'],
];

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

/** Dies in the write after so many. */
export const dyingAfter = (writesLeft: number, lastIsDone = false): Fate => ({
  writesLeft,
  lastIsDone,
  isDead: false,
});

export const immortal = (): Fate => dyingAfter(Number.POSITIVE_INFINITY);

interface Interruption {
  /** How many operations come before it. */
  operationsLeft: number;
  happen(): Promise<unknown>;
  hasHappened: boolean;
}

const fates = new AsyncLocalStorage<Fate>();
const interruptions = new AsyncLocalStorage<Interruption>();

/** Lets whatever uses these models fare as it is told, by `under` and `interrupted`. */
export function makeFaulty(models: Models): void {
  const { ledger, testFunding, usageEntries, dataKeys } = models;
  const { orderEvents, integrationEvents, rewards, reviews, subscriptions, invoices } = models;
  const { webhookDeliveries } = models;
  const mortal = new Set<unknown>([
    ...[ledger, testFunding, usageEntries, dataKeys],
    ...[orderEvents, integrationEvents, rewards, reviews, subscriptions, invoices],
    ...[webhookDeliveries, models.rewardTotals, models.rewardTallies],
  ]);
  for (const model of Object.values(models.connection.models)) {
    const collection = model.collection as unknown as Record<string, Operation>;
    for (const name of [...reads, ...writes]) {
      const operate = collection[name]?.bind(collection);
      if (operate === undefined) throw new Error(`a collection has ${name}`);
      const isMortal = mortal.has(model) && writes.includes(name);
      collection[name] = interruptible(name, isMortal ? dying(operate) : operate);
    }
  }
}

function dying(write: Operation): Operation {
  return async (...args) => {
    const fate = fates.getStore();
    if (fate === undefined) return await write(...args);
    if (fate.isDead) throw new Killed();
    fate.writesLeft -= 1;
    if (fate.writesLeft >= 0) return await write(...args);
    fate.isDead = true;
    if (fate.lastIsDone) await write(...args);
    throw new Killed();
  };
}

function interruptible(name: string, operate: Operation): Operation {
  return (...args) => {
    const interruption = interruptions.getStore();
    if (interruption === undefined || interruption.hasHappened) return operate(...args);
    interruption.operationsLeft -= 1;
    if (interruption.operationsLeft >= 0) return operate(...args);
    interruption.hasHappened = true;
    const interrupted = () => apart(interruption.happen).then(() => operate(...args));
    // What is found is asked of a cursor, which is there at once.
    if (name !== 'find') return interrupted();
    return { toArray: async () => await ((await interrupted()) as Cursor).toArray() };
  };
}

/** Does some work as a process of this fate: once it is dead, no later write of it reaches the database. */
export const under = <T>(fate: Fate, work: () => Promise<T>): Promise<T> => fates.run(fate, work);

/** For what an interrupted work sets going and does not itself do: nothing happens in the middle of it. */
export const apart = <T>(work: () => T): T => interruptions.exit(work);

/**
 * Does some work, and something else in the middle of it: all of that happens before the operation on
 * the database that comes after so many, as if another process had been faster.
 * @returns what the work came to, and whether it had so many operations that the other thing happened
 */
export async function interrupted<T>(
  operations: number,
  work: () => Promise<T>,
  happen: () => Promise<unknown>,
): Promise<{ result: T; hasHappened: boolean }> {
  const interruption: Interruption = { operationsLeft: operations, happen, hasHappened: false };
  const result = await interruptions.run(interruption, work);
  return { result, hasHappened: interruption.hasHappened };
}
