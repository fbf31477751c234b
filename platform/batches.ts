import { setImmediate as turn } from 'node:timers/promises';

/** What was asked for, and whom to tell what became of it. */
export type Job<Asked, Done> = Asked & {
  resolve(done: Done): void;
  reject(error: unknown): void;
};

export interface BatchTerms {
  /** The most jobs that are done together. */
  maxBatch: number;
  /**
   * After a batch the next one waits for others to join it, at most this long: until it is as large as
   * the one before, since who asked is about to ask again. Who asks alone never waits.
   */
  gatherMs?: number;
  /** It waits until it is as large as may be: for what nobody waits for. */
  fills?: boolean;
}

/** The jobs of a key that are not done yet. */
interface Queue<Asked, Done> {
  jobs: Job<Asked, Done>[];
  /** Called whenever a job has joined. */
  joined?: (() => void) | undefined;
}

/**
 * Does together what is asked for under one key within one turn of the event loop, or while the batch
 * before is still at work: one batch of a key at a time, in the order in which its jobs were asked for.
 * @param work does them, and settles each; its own failure is that of every job it has not settled
 * @returns what asks: the key, and what is asked for
 */
export function createBatches<Asked extends object, Done>(
  { maxBatch, gatherMs = 0, fills = false }: BatchTerms,
  work: (key: string, jobs: readonly Job<Asked, Done>[]) => Promise<void>,
): (key: string, asked: Asked) => Promise<Done> {
  const queues = new Map<string, Queue<Asked, Done>>();

  async function drain(key: string, queue: Queue<Asked, Done>): Promise<void> {
    const { jobs } = queue;
    await turn();
    while (jobs.length > 0) {
      const batch = jobs.slice(0, maxBatch);
      try {
        await work(key, batch);
      } catch (error) {
        for (const job of batch) job.reject(error);
      }
      jobs.splice(0, batch.length);
      if (gatherMs > 0) await gather(queue, fills ? maxBatch : batch.length);
    }
    queues.delete(key);
  }

  async function gather(queue: Queue<Asked, Done>, enough: number): Promise<void> {
    if (queue.jobs.length >= enough) return;
    await new Promise<void>((resolve) => {
      // As long as nobody has joined, a process need not stay for it.
      const timer = setTimeout(resolve, gatherMs).unref();
      queue.joined = () => {
        timer.ref();
        if (queue.jobs.length < enough) return;
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
    queue.joined = undefined;
  }

  return (key, asked) =>
    new Promise((resolve, reject) => {
      const job = { ...asked, resolve, reject };
      const queue = queues.get(key);
      if (queue) {
        queue.jobs.push(job);
        queue.joined?.();
        return;
      }
      const started = { jobs: [job] };
      queues.set(key, started);
      drain(key, started);
    });
}
