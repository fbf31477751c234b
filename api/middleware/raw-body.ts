import getRawBody from 'raw-body';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

const maxBodyBytes = 64 * 1024;

/**
 * Reads the bytes exactly as they arrived, since those are what is signed (docs/contract.md,
 * Authentication).
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
    // What is left of the body is not read: the connection ends with the answer.
    ctx.set('Connection', 'close');
    if ((error as { type?: string }).type === 'entity.too.large') {
      throw new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`);
    }
    throw new ServiceError('INVALID_JSON', 'The body arrived incomplete.');
  }
  await next();
};
