import type { BatchTerms } from '../platform/batches.ts';

/**
 * How what begins and accounts purchases is done together. Nobody waits for it, and a batch costs the same
 * few commands, however many are in it.
 */
export const batchTerms: BatchTerms = { maxBatch: 100, gatherMs: 250, fills: true };
