import { type BatchTerms, createBatches } from './batches.ts';

/**
 * A batching loader: reads what is requested under one key together, in batches as `createBatches`
 * makes them. A read never starts before it was requested, so that it sees everything written by
 * then.
 * @param read returns a result for each request, in the same order
 */
export function createBatchedReads<Asked, Found>(
  terms: BatchTerms,
  read: (asked: readonly Asked[]) => Promise<readonly Found[]>,
): (key: string, asked: Asked) => Promise<Found> {
  const ask = createBatches<{ asked: Asked }, Found>(terms, async (_key, questions) => {
    const found = await read(questions.map(({ asked }) => asked));
    questions.forEach(({ resolve }, place) => {
      resolve(found[place] as Found);
    });
  });
  return (key, asked) => ask(key, { asked });
}

/** A batching loader for which all requests under one key are for the same thing. */
export function createSharedReads<Asked, Found>(
  terms: Pick<BatchTerms, 'gatherMs'>,
  read: (asked: Asked) => Promise<Found>,
): (key: string, asked: Asked) => Promise<Found> {
  return createBatchedReads<Asked, Found>(
    { ...terms, maxBatch: Number.MAX_SAFE_INTEGER },
    async (asked) => {
      const found = await read(asked[0] as Asked);
      return asked.map(() => found);
    },
  );
}
