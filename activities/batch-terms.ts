import type { BatchTerms } from '../platform/batches.ts';

/**
 * How new purchases are batched. Nobody waits for them, and a batch takes the same few commands,
 * however large it is.
 */
export const batchTerms: BatchTerms = { maxBatch: 100, gatherMs: 250, fills: true };
