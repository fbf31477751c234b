import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import getRawBody from 'raw-body';
import { requestTimeout, ServiceError } from '../domain/errors.ts';
import type { HttpContext } from './context.ts';

/** The slowest rate at which a body may come, after the time that every request has: 256 kbit/s. */
const slowestBytesPerMs = 32;

/**
 * How long a body may take to arrive, in milliseconds.
 * @param firstMs the time that even an empty one has
 * @param bytes its announced length, or the most that it may have
 */
export const arrivalMs = (firstMs: number, bytes: number): number =>
  firstMs + Math.ceil(bytes / slowestBytesPerMs);

/**
 * Reads the body, which has a time of its own: the response's starts anew when it has arrived.
 * @param errors of a body that is too large, or that ends too early
 * @param ended stops reading, with its reason as the error
 * @throws what the functions return; ServiceError REQUEST_TIMEOUT if it comes too slowly
 */
export async function readBody(
  ctx: Pick<HttpContext, 'req' | 'request' | 'state' | 'set'>,
  limit: number,
  errors: { tooLarge: () => ServiceError; incomplete: () => ServiceError },
  ended?: AbortSignal,
): Promise<Buffer> {
  const { req } = ctx;
  const { length } = ctx.request;
  const { responseClock: clock } = ctx.state;
  if (clock === undefined) throw new Error('a body is read within a response timeout');
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(requestTimeout()),
    arrivalMs(clock.timeoutMs, Math.min(length ?? limit, limit)),
  );
  const onEnded = () => reject(ended?.reason);
  ended?.addEventListener('abort', onEnded);
  clock.stop();
  try {
    const whole = getRawBody(req, { limit, ...(length !== undefined && { length }) });
    return await Promise.race([whole, stopped]);
  } catch (error) {
    // Not all of the body may be read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    if (error instanceof ServiceError) throw error;
    const isTooLarge = (error as { type?: string }).type === 'entity.too.large';
    if (isTooLarge) await discardRest(req);
    throw isTooLarge ? errors.tooLarge() : errors.incomplete();
  } finally {
    clearTimeout(timer);
    ended?.removeEventListener('abort', onEnded);
    clock.start();
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
