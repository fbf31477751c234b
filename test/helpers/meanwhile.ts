import { AsyncLocalStorage } from 'node:async_hooks';
import type { Models } from '../../models/schemas/index.ts';

interface Cursor {
  toArray(): Promise<unknown[]>;
}
type Operation = (...args: unknown[]) => unknown;
const operations = [
  ...['find', 'findOne', 'distinct', 'aggregate', 'countDocuments'],
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'findOneAndUpdate'],
];

interface Interruption {
  /** How many operations come before it. */
  operationsLeft: number;
  happen(): Promise<unknown>;
  hasHappened: boolean;
}
const interruptions = new AsyncLocalStorage<Interruption>();

/** Lets work be interrupted between any two of its operations on the database. */
export function makeInterruptible(models: Models): void {
  for (const model of Object.values(models.connection.models)) {
    const collection = model.collection as unknown as Record<string, Operation>;
    for (const name of operations) {
      const operate = collection[name]?.bind(collection);
      if (operate === undefined) throw new Error(`a collection has ${name}`);
      collection[name] = (...args) => {
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
  }
}

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
