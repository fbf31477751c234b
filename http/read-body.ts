import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import getRawBody from 'raw-body';
import type { ServiceError } from '../domain/errors.ts';
import type { HttpContext } from './context.ts';

/**
 * Reads the body. If the response's timeout (`responseTimeout`) is over before the body has arrived, that is the
 * client's fault, and not a failure of the service.
 * @throws what the functions return
 */
export async function readBody(
  ctx: Pick<HttpContext, 'req' | 'request' | 'state' | 'set'>,
  limit: number,
  errors: { tooLarge: () => ServiceError; incomplete: () => ServiceError },
): Promise<Buffer> {
  const { state } = ctx;
  state.ifLate = errors.incomplete;
  try {
    const { length } = ctx.request;
    return await getRawBody(ctx.req, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    // Not all of the body may be read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    const isTooLarge = (error as { type?: string }).type === 'entity.too.large';
    if (isTooLarge) await discardRest(ctx.req);
    throw isTooLarge ? errors.tooLarge() : errors.incomplete();
  } finally {
    state.ifLate = undefined;
  }
}

/** How long, and for how many bytes, a client may go on sending what is too large. */
const discardedWithin = { ms: 2_000, bytes: 16 * 1024 * 1024 };

/** A client whose connection is closed while it sends does not see the response. */
async function discardRest(req: IncomingMessage): Promise<void> {
  const enough = new AbortController();
  let bytes = 0;
  req.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > discardedWithin.bytes) enough.abort();
  });
  req.resume();
  const signal = AbortSignal.any([AbortSignal.timeout(discardedWithin.ms), enough.signal]);
  await finished(req, { signal, cleanup: true }).catch(() => undefined);
}
