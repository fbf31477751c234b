import { AsyncLocalStorage } from 'node:async_hooks';
import type { Models } from '../../models/schemas/index.ts';

/**
 * Faults of database operations: a process dies in one of its writes, or another process acts between two
 * of its operations. A fault only affects the code that runs under it.
 */

interface Cursor {
  toArray(): Promise<unknown[]>;
}
type Operation = (...args: unknown[]) => unknown;

const reads = ['find', 'findOne', 'distinct', 'aggregate', 'countDocuments'];
const writes = [
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'findOneAndUpdate'],
];

/** When a process dies. */
export interface Fate {
  /** The number of successful writes before it dies. */
  writesLeft: number;
  /** Whether the write in which it dies is carried out, and only its response is lost. */
  lastIsDone: boolean;
  isDead: boolean;
}

/** The error of every write of a dead process. */
export class Killed extends Error {
  override name = 'Killed';
}

/** Dies after a number of successful writes. */
export const dyingAfter = (writesLeft: number, lastIsDone = false): Fate => ({
  writesLeft,
  lastIsDone,
  isDead: false,
});

export const immortal = (): Fate => dyingAfter(Number.POSITIVE_INFINITY);

interface Interruption {
  /** The number of operations before it. */
  operationsLeft: number;
  happen(): Promise<unknown>;
  hasHappened: boolean;
}

const fates = new AsyncLocalStorage<Fate>();
const interruptions = new AsyncLocalStorage<Interruption>();

/** Makes operations on these models fail as set by `under` and `interrupted`. */
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
      if (operate === undefined) throw new Error(`a collection has no method ${name}`);
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
    // `find` returns a cursor synchronously, and reads when its results are requested.
    if (name !== 'find') return interrupted();
    return { toArray: async () => await ((await interrupted()) as Cursor).toArray() };
  };
}

/** Runs work as a process with this fate. Once it is dead, none of its writes reaches the database. */
export const under = <T>(fate: Fate, work: () => Promise<T>): Promise<T> => fates.run(fate, work);

/** Runs work outside any interruption, for work that the interrupted code only triggers. */
export const apart = <T>(work: () => PromiseLike<T>): Promise<T> =>
  // A query of mongoose runs only once it is awaited.
  interruptions.exit(async () => await work());

/**
 * Runs work and, between two of its database operations, something else, as if another process had been
 * faster.
 * @param operations the number of database operations before the interruption
 * @returns the result of the work, and whether it had enough operations for the interruption to happen
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
