import { setImmediate as turn } from 'node:timers/promises';

/** A request in a batch, with the functions that settle it. */
export type BatchJob<Request, Result> = Request & {
  resolve(result: Result): void;
  reject(error: unknown): void;
};

export interface BatchOptions {
  /** The largest batch. */
  maxBatch: number;
  /**
   * After a batch, the next one waits up to this long for further requests, until it is as large as
   * the one before: callers that just got a result tend to make another request. A single request never waits.
   */
  maxWaitMs?: number;
}

/** Created once, since most batches settle all their requests. */
const unsettled = new Error('The batch ended without a result for this request.');

/** The requests under one key that are not settled yet. */
interface Queue<Request, Result> {
  jobs: BatchJob<Request, Result>[];
  /** Called when a request is added. */
  joined?: (() => void) | undefined;
}

/**
 * Batches the requests under one key that are made in the same turn of the event loop, or while the
 * previous batch is being processed. Each key has one batch at a time, in the order of requests.
 * @param work processes a batch and settles each of its requests; those it has not settled when it
 *   ends fail, with its error if it failed
 * @returns a function that takes a key and a request
 */
export function createBatcher<Request extends object, Result>(
  { maxBatch, maxWaitMs = 0 }: BatchOptions,
  work: (key: string, jobs: readonly BatchJob<Request, Result>[]) => Promise<void>,
): (key: string, request: Request) => Promise<Result> {
  const queues = new Map<string, Queue<Request, Result>>();

  async function drain(key: string, queue: Queue<Request, Result>): Promise<void> {
    const { jobs } = queue;
    await turn();
    while (jobs.length > 0) {
      const batch = jobs.slice(0, maxBatch);
      let failure: unknown = unsettled;
      try {
        await work(key, batch);
      } catch (error) {
        failure = error;
      }
      // This has no effect on requests that are settled.
      for (const job of batch) job.reject(failure);
      jobs.splice(0, batch.length);
      if (maxWaitMs > 0) await waitForMore(queue, batch.length);
    }
    queues.delete(key);
  }

  async function waitForMore(queue: Queue<Request, Result>, enough: number): Promise<void> {
    if (queue.jobs.length >= enough) return;
    await new Promise<void>((resolve) => {
      // While no request has been added, this does not keep the process alive.
      const timer = setTimeout(resolve, maxWaitMs).unref();
      queue.joined = () => {
        timer.ref();
        if (queue.jobs.length < enough) return;
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
    queue.joined = undefined;
  }

  return (key, request) =>
    new Promise((resolve, reject) => {
      const job = { ...request, resolve, reject };
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
