import { ServiceError } from '../../domain/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { ApiMiddleware } from '../context.ts';

/** The media types of a list of orders, and what it is written in. */
export const orderListTypes: Readonly<Record<string, 'CSV' | 'JSON_LINES'>> = {
  'text/csv': 'CSV',
  'application/x-ndjson': 'JSON_LINES',
  'application/jsonl': 'JSON_LINES',
};

const maxFileBytes = 5 * 1024 * 1024;
/** Files are kept in memory until their signature is checked, so only so many arrive at a time. */
const maxArriving = 16;

/**
 * Reads a signed list of orders as raw bytes.
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE; RATE_LIMITED while many others arrive;
 *   VALIDATION_FAILED if it is incomplete
 */
export function fileBody(): ApiMiddleware {
  let arriving = 0;
  return async (ctx, next) => {
    const { type, charset } = ctx.request;
    const isList = Object.hasOwn(orderListTypes, type) && /^"?(utf-?8)?"?$/i.test(charset);
    if (!isList || (ctx.get('content-encoding') || 'identity') !== 'identity') {
      const types = Object.keys(orderListTypes).join(', ');
      const message = `Send the list in UTF-8 and without a Content-Encoding, as one of ${types}.`;
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
    }
    if (arriving === maxArriving) {
      const message = 'Many lists are arriving. Send the same request again in a moment.';
      throw new ServiceError('RATE_LIMITED', message, { 'Retry-After': '2' });
    }
    arriving += 1;
    try {
      ctx.state.rawBody = await readBody(ctx, maxFileBytes, { tooLarge, incomplete });
      await next();
    } finally {
      arriving -= 1;
    }
  };
}

const tooLarge = () =>
  new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `Send at most ${maxFileBytes} bytes; send a list in parts.`,
  );
const incomplete = () => new ServiceError('VALIDATION_FAILED', 'The list arrived incomplete.');
