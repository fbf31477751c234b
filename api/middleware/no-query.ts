import { ServiceError } from '../../domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

/**
 * A query string is not signed, so that a signed endpoint takes none (docs/contract.md, Authentication).
 */
export const noQuery: ApiMiddleware = async (ctx, next) => {
  if (ctx.req.url?.includes('?')) {
    throw new ServiceError(
      'UNEXPECTED_QUERY',
      'This endpoint takes no query string, because it would not be signed.',
    );
  }
  await next();
};
