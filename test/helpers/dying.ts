import type { Billing } from './billing.ts';

type Write = (...args: unknown[]) => Promise<unknown>;

const writing = ['insertOne', 'insertMany', 'updateOne', 'findOneAndUpdate'] as const;

/**
 * A process that is killed after so many writes: no later one of it reaches the database or the
 * ledger.
 * @param lastIsDone whether the write it dies in was done, and only its answer was lost
 */
export function dyingAfter(billing: Billing, writes: number, lastIsDone = false) {
  const { models } = billing;
  let done = 0;
  let dead = false;
  const killed = () => new Error('killed');
  const mortal =
    (write: Write): Write =>
    async (...args) => {
      if (dead) throw killed();
      if (done < writes) {
        done += 1;
        return await write(...args);
      }
      dead = true;
      if (lastIsDone) await write(...args);
      throw killed();
    };

  const buried: (() => void)[] = [];
  for (const model of [
    ...[models.subscriptions, models.invoices],
    ...[models.usageEntries, models.ledger],
  ]) {
    const collection = model.collection as unknown as Record<string, Write>;
    for (const name of writing) {
      const write = collection[name]?.bind(collection);
      if (write === undefined) throw new Error(`a collection has ${name}`);
      collection[name] = mortal(write);
      buried.push(() => delete collection[name]);
    }
  }
  return {
    deps: {
      usage: billing.anotherUsage(),
      ledger: billing.anotherLedger(),
    },
    writes: () => done,
    /** Later processes write again. */
    bury(): void {
      for (const undo of buried) undo();
    },
  };
}
