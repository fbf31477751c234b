import type { IncomingMessage } from 'node:http';
import { requestTimeout, ServiceError } from '../../domain/errors.ts';
import { readBody } from '../../http/read-body.ts';
import { type ApiMiddleware, requireState } from '../context.ts';

/** The media types of a list of orders, and what it is written in. */
export const orderListTypes: Readonly<Record<string, 'CSV' | 'JSON_LINES'>> = {
  'text/csv': 'CSV',
  'application/x-ndjson': 'JSON_LINES',
  'application/jsonl': 'JSON_LINES',
};

const maxFileBytes = 5 * 1024 * 1024;
/** The bytes in memory of lists that are arriving, and whose signature is therefore not checked yet. */
const maxArrivingBytes = 16 * maxFileBytes;
/** The lists of one partner that are read at a time. */
const maxOfPartner = 4;

/**
 * Reads a signed list of orders as raw bytes.
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT; VALIDATION_FAILED if it is
 *   incomplete
 */
export function fileBody(maxBytes = maxArrivingBytes): ApiMiddleware {
  const watch = createArrivals(maxBytes);
  return async (ctx, next) => {
    const { type, charset } = ctx.request;
    const isList = Object.hasOwn(orderListTypes, type) && /^"?(utf-?8)?"?$/i.test(charset);
    if (!isList || (ctx.get('content-encoding') || 'identity') !== 'identity') {
      const types = Object.keys(orderListTypes).join(', ');
      const message = `Send the list in UTF-8 and without a Content-Encoding, as one of ${types}.`;
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
    }
    const arrival = watch(ctx.req);
    try {
      ctx.state.rawBody = await readBody(
        ctx,
        maxFileBytes,
        { tooLarge, incomplete },
        arrival.ended,
      );
    } finally {
      arrival.end();
    }
    await next();
  };
}

/**
 * Bounds the memory of lists from anyone. A list that has sent nothing costs nothing; beyond the limit, the one that
 * has been arriving longest ends, so that nobody who stalls keeps others from sending.
 */
function createArrivals(maxBytes: number) {
  /** In the order in which they began. */
  const bytesOf = new Map<AbortController, number>();
  let total = 0;
  const end = (arrival: AbortController): void => {
    total -= bytesOf.get(arrival) ?? 0;
    bytesOf.delete(arrival);
  };
  const add = (arrival: AbortController, bytes: number): void => {
    const before = bytesOf.get(arrival);
    if (before === undefined) return;
    bytesOf.set(arrival, before + bytes);
    total += bytes;
    for (const [oldest, held] of bytesOf) {
      if (total <= maxBytes) return;
      if (held === 0) continue;
      end(oldest);
      oldest.abort(requestTimeout());
    }
  };
  return (req: IncomingMessage) => {
    const arrival = new AbortController();
    bytesOf.set(arrival, 0);
    req.on('data', ({ length }: Buffer) => add(arrival, length));
    return { ended: arrival.signal, end: () => end(arrival) };
  };
}

/**
 * Admits a few lists of a partner at a time; runs after its signature is checked.
 * @throws ServiceError RATE_LIMITED
 */
export function limitLists(): ApiMiddleware {
  const places = new Map<string, number>();
  return async (ctx, next) => {
    const { partnerId } = requireState(ctx, 'principal');
    const taken = places.get(partnerId) ?? 0;
    if (taken === maxOfPartner) {
      const message = 'Other lists of yours are being read. Send the same list again in a moment.';
      throw new ServiceError('RATE_LIMITED', message, { 'Retry-After': '2' });
    }
    places.set(partnerId, taken + 1);
    try {
      await next();
    } finally {
      const left = (places.get(partnerId) ?? 1) - 1;
      if (left > 0) places.set(partnerId, left);
      else places.delete(partnerId);
    }
  };
}

const tooLarge = () =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `Send at most ${maxFileBytes} bytes; send a list in parts.`,
  );
const incomplete = () => new ServiceError('VALIDATION_FAILED', 'The list arrived incomplete.');
