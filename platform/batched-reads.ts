import { type BatchTerms, createBatches } from './batches.ts';

/**
 * Reads together what is asked for under one key, as `createBatches` does things together. A read never
 * begins before it was asked for, so that it finds all that had been written by then.
 * @param read answers each question, in their order
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

/** The same, where all who ask under one key ask for the same thing. */
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
