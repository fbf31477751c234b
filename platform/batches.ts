import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** What was asked for, and whom to tell what became of it. */
export type Job<Asked, Done> = Asked & {
  resolve(done: Done): void;
  reject(error: unknown): void;
};

export interface BatchTerms {
  /** The most jobs that are done together. */
  maxBatch: number;
  /**
   * After a batch of several the next one waits this long for others to join it: where several asked at
   * once, more are about to. Who asks alone never waits.
   */
  gatherMs?: number;
  /** The same after a batch of one: for what nobody waits for. */
  gathersAlways?: boolean;
}

/**
 * Does together what is asked for under one key within one turn of the event loop, or while the batch
 * before is still at work: one batch of a key at a time, in the order in which its jobs were asked for.
 * @param work does them, and settles each; its own failure is that of every job it has not settled
 * @returns what asks: the key, and what is asked for
 */
export function createBatches<Asked extends object, Done>(
  { maxBatch, gatherMs = 0, gathersAlways = false }: BatchTerms,
  work: (key: string, jobs: readonly Job<Asked, Done>[]) => Promise<void>,
): (key: string, asked: Asked) => Promise<Done> {
  const waiting = new Map<string, Job<Asked, Done>[]>();

  async function drain(key: string, queue: Job<Asked, Done>[]): Promise<void> {
    await turn();
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      try {
        await work(key, batch);
      } catch (error) {
        for (const job of batch) job.reject(error);
      }
      queue.splice(0, batch.length);
      const isBusy = batch.length > 1 || gathersAlways;
      if (gatherMs > 0 && isBusy && queue.length < maxBatch) await delay(gatherMs);
    }
    waiting.delete(key);
  }

  return (key, asked) =>
    new Promise((resolve, reject) => {
      const job = { ...asked, resolve, reject };
      const queue = waiting.get(key);
      if (queue) {
        queue.push(job);
        return;
      }
      const started = [job];
      waiting.set(key, started);
      drain(key, started);
    });
}
