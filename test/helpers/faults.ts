import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
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
  'deleteMany',
];

/** How long another process that acts in the middle of a transaction may hold it up. */
const inTransactionMs = 20;

/** When a process dies. */
export interface Fate {
  /** The number of successful writes before it dies; the end of a transaction is one, too. */
  writesLeft: number;
  /** Whether the write in which it dies is carried out, and only its response is lost. */
  lastIsDone: boolean;
  isDead: boolean;
}

/** The error of every write of a dead process. */
export class Killed extends Error {
  override name = 'Killed';

  /** The driver asks every error of the end of a transaction. */
  hasErrorLabel(): boolean {
    return false;
  }
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
  /** What happens, once it began. */
  happening: Promise<unknown> | undefined;
}

const fates = new AsyncLocalStorage<Fate>();
const interruptions = new AsyncLocalStorage<Interruption>();
/** Of code that runs in a transaction, or beside one that has begun. */
const transactions = new AsyncLocalStorage<true>();

/** Makes operations on these models fail as set by `under` and `interrupted`. */
export function makeFaulty(models: Models): void {
  const { ledger, wallets, customerBalances, usagePeriods } = models;
  const { customerDays, ruleBudgets, dataKeys, webhookDeliveries } = models;
  const { orderEvents, requestLog, rewards, reviews, subscriptions, invoices } = models;
  const { redemptions, redemptionEvents, pointsEnds, pointsLinks } = models;
  const mortal = new Set<unknown>([
    ...[ledger, wallets, customerBalances, usagePeriods],
    ...[customerDays, ruleBudgets, dataKeys, webhookDeliveries],
    ...[orderEvents, requestLog, rewards, reviews, subscriptions, invoices],
    ...[redemptions, redemptionEvents, pointsEnds, pointsLinks],
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
  const { connection } = models;
  const startSession = connection.startSession.bind(connection);
  connection.startSession = async (options) => {
    const session = await startSession(options);
    const commit = session.commitTransaction.bind(session) as Operation;
    session.commitTransaction = dying(commit) as typeof session.commitTransaction;
    const withTransaction = session.withTransaction.bind(session) as Operation;
    session.withTransaction = ((work: Operation, options: unknown) =>
      withTransaction(
        () => transactions.run(true, () => work(session)),
        options,
      )) as typeof session.withTransaction;
    return session;
  };
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
    if (interruption === undefined || interruption.happening) return operate(...args);
    interruption.operationsLeft -= 1;
    if (interruption.operationsLeft >= 0) return operate(...args);
    const isInTransaction = transactions.getStore() === true;
    const happening = apart(interruption.happen);
    interruption.happening = happening;
    // Its failure is thrown by `interrupted`, if not before.
    happening.catch(() => undefined);
    // In the middle of a transaction, it may have to wait for the end of it.
    const before = isInTransaction ? Promise.race([happening, pause(inTransactionMs)]) : happening;
    if (name !== 'find' && name !== 'aggregate') return before.then(() => operate(...args));
    // These return a cursor at once, and read when its results are requested.
    const cursor = operate(...args) as Cursor;
    const toArray = cursor.toArray.bind(cursor);
    cursor.toArray = () => before.then(toArray);
    return cursor;
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
  const interruption: Interruption = { operationsLeft: operations, happen, happening: undefined };
  const result = await interruptions.run(interruption, work);
  await interruption.happening;
  return { result, hasHappened: interruption.happening !== undefined };
}
