import { ServiceError } from '../../domain/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { ApiMiddleware } from '../context.ts';

const maxBodyBytes = 64 * 1024;
const tooLarge = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`);
const incomplete = () => new ServiceError('INVALID_JSON', 'The body arrived incomplete.');

/**
 * Reads the body as raw bytes, because the signature covers exactly those (docs/contract.md,
 * Authentication).
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or INVALID_JSON if it is incomplete
 */
export const rawBody: ApiMiddleware = async (ctx, next) => {
  const { type, charset } = ctx.request;
  if (type !== 'application/json' || !/^(utf-8)?$/i.test(charset)) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json.',
    );
  }
  if ((ctx.get('content-encoding') || 'identity') !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  }
  ctx.state.rawBody = await readBody(ctx, maxBodyBytes, { tooLarge, incomplete });
  await next();
};
