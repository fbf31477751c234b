import { createSharedReads } from '../platform/batched-reads.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/** As long as those who were answered together take to ask again; hardly more than a read takes. */
const maxWaitMs = 4;

/**
 * Answers a GET with what is read for it. Those that ask for the same while a read is under way share
 * the next one, so that however often a partner asks, one read of a kind is under way.
 * @param keyOf tells one answer from another
 * @param read is given one of those that share the answer
 */
export function sharedAnswer(
  keyOf: (ctx: ApiContext) => string,
  read: (ctx: ApiContext) => Promise<unknown>,
): ApiMiddleware {
  const readOnce = createSharedReads({ maxWaitMs }, async (ctx: ApiContext) =>
    JSON.stringify(await read(ctx)),
  );
  return async (ctx) => {
    ctx.type = 'application/json';
    ctx.body = await readOnce(keyOf(ctx), ctx);
  };
}
