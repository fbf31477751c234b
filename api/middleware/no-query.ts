import { ServiceError } from '../../domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

/**
 * Refuses query strings, because the signature does not cover them (docs/contract.md, Authentication).
 * @throws ServiceError UNEXPECTED_QUERY
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
