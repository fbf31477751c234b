import { type BatchOptions, createBatcher } from './batcher.ts';

/**
 * A batching loader: reads what is requested under one key together, in batches as `createBatcher`
 * makes them. A read never starts before it was requested, so that it sees everything written by
 * then.
 * @param read returns a result for each request, in the same order
 */
export function createBatchedReads<Request, Result>(
  options: BatchOptions,
  read: (requests: readonly Request[]) => Promise<readonly Result[]>,
): (key: string, request: Request) => Promise<Result> {
  const enqueue = createBatcher<{ request: Request }, Result>(options, async (_key, jobs) => {
    const results = await read(jobs.map(({ request }) => request));
    jobs.forEach(({ resolve }, place) => {
      resolve(results[place] as Result);
    });
  });
  return (key, request) => enqueue(key, { request });
}

/** A batching loader for which all requests under one key are for the same thing. */
export function createSharedReads<Request, Result>(
  options: Pick<BatchOptions, 'maxWaitMs'>,
  read: (request: Request) => Promise<Result>,
): (key: string, request: Request) => Promise<Result> {
  return createBatchedReads<Request, Result>(
    { ...options, maxBatch: Number.MAX_SAFE_INTEGER },
    async (requests) => {
      const result = await read(requests[0] as Request);
      return requests.map(() => result);
    },
  );
}
