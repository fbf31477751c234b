import { createSharedReads } from '../platform/batched-reads.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/** Clients that shared a response can send their next requests within this time and share again. */
const maxWaitMs = 4;

/**
 * Responds to a GET with the result of a read. Requests with the same key that arrive during a read
 * share the next one, so that at most one read per key runs at a time.
 * @param keyOf requests with the same key get the same response
 * @param read gets the context of one of the requests that share the response
 */
export function sharedResponse(
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
