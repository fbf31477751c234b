import getRawBody from 'raw-body';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

const maxBodyBytes = 64 * 1024;

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
  try {
    ctx.state.rawBody = await getRawBody(ctx.req, {
      limit: maxBodyBytes,
      ...(ctx.request.length !== undefined && { length: ctx.request.length }),
    });
  } catch (error) {
    // The rest of the body is never read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    if ((error as { type?: string }).type === 'entity.too.large') {
      throw new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`);
    }
    throw new ServiceError('INVALID_JSON', 'The body arrived incomplete.');
  }
  await next();
};
