import type { BatchOptions } from '../platform/batcher.ts';

/**
 * How activities are batched that begin new purchases or carry out moves. Nobody waits for them, and a batch takes
 * the same few commands, however large it is.
 */
export const batchOptions: BatchOptions = { maxBatch: 100, maxWaitMs: 250, waitsUntilFull: true };
