import { createSharedReads } from '../platform/batched-reads.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/** As long as those who were answered together take to ask again; hardly more than a read takes. */
const gatherMs = 4;

/**
 * Answers a GET with what is read for it. Those that ask for the same while a read is under way share
 * the next one, so that however often a partner asks, one read of a kind is under way.
 * @param askedBy what the read is given
 * @param keyOf tells one answer from another
 */
export function sharedAnswer<Asked>(
  askedBy: (ctx: ApiContext) => Asked,
  keyOf: (asked: Asked) => string,
  read: (asked: Asked) => Promise<unknown>,
): ApiMiddleware {
  const readOnce = createSharedReads({ gatherMs }, async (asked: Asked) =>
    JSON.stringify(await read(asked)),
  );
  return async (ctx) => {
    const asked = askedBy(ctx);
    ctx.type = 'application/json';
    ctx.body = await readOnce(keyOf(asked), asked);
  };
}
