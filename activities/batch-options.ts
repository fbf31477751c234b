import type { BatchOptions } from '../platform/batcher.ts';

/**
 * How the activities that begin new purchases or carry out moves are batched. Nobody waits for them, and a batch
 * costs the same few commands, however large it is.
 */
export const batchOptions: BatchOptions = { maxBatch: 100, maxWaitMs: 250, waitsUntilFull: true };
