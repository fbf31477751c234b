import { setImmediate as turn } from 'node:timers/promises';

/** A request in a batch, with the functions that settle it. */
export type Job<Asked, Done> = Asked & {
  resolve(done: Done): void;
  reject(error: unknown): void;
};

export interface BatchTerms {
  /** The largest batch. */
  maxBatch: number;
  /**
   * After a batch, the next one waits up to this long for further requests, until it is as large as
   * the one before: whoever was just answered is about to ask again. A single request never waits.
   */
  gatherMs?: number;
  /** Whether it waits until it has `maxBatch` requests: for work that nobody waits for. */
  fills?: boolean;
}

/** The requests under one key that are not settled yet. */
interface Queue<Asked, Done> {
  jobs: Job<Asked, Done>[];
  /** Called when a request is added. */
  joined?: (() => void) | undefined;
}

/**
 * Batches the requests under one key that are made in the same turn of the event loop, or while the
 * previous batch is being processed. Each key has one batch at a time, in the order of requests.
 * @param work processes a batch and settles each of its requests; if it fails, so do the requests
 *   it has not settled
 * @returns a function that takes a key and a request
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
      // While no request has been added, this does not keep the process alive.
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
