import type { BatchOptions } from '../platform/batcher.ts';

/**
 * How new purchases are batched. Nobody waits for them, and a batch takes the same few commands,
 * however large it is.
 */
export const batchOptions: BatchOptions = { maxBatch: 100, maxWaitMs: 250, waitsUntilFull: true };
