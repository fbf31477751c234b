/** Something that waits for its turn; it says itself what became of it, or is told that nothing did. */
export interface Job {
  reject(error: unknown): void;
}

/**
 * Does together what is asked for under one key while the batch before is still at work: one batch of
 * a key at a time, in the order in which its jobs were asked for.
 * @param maxBatch the most jobs that are done together
 * @param work does them; each job that it ends gets its result there, and its failure is every job's
 */
export function createBatches<J extends Job>(
  maxBatch: number,
  work: (key: string, jobs: readonly J[]) => Promise<void>,
): (key: string, job: J) => void {
  const waiting = new Map<string, J[]>();

  async function drain(key: string, queue: J[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      try {
        await work(key, batch);
      } catch (error) {
        for (const job of batch) job.reject(error);
      }
      queue.splice(0, batch.length);
    }
    waiting.delete(key);
  }

  return (key, job) => {
    const queue = waiting.get(key);
    if (queue) {
      queue.push(job);
      return;
    }
    const started = [job];
    waiting.set(key, started);
    drain(key, started);
  };
}
