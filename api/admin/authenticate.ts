import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { ApiDeps } from '../deps.ts';
import type { AdminContext } from './context.ts';

/** Lets an operator pass whose bearer token is known; it is looked up by its hash. */
export function authenticate({ models }: Pick<ApiDeps, 'models'>) {
  return async (ctx: AdminContext, next: Next): Promise<void> => {
    const [, token] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(ctx.get('authorization')) ?? [];
    if (token === undefined) {
      throw new ServiceError(
        'AUTHENTICATION_MISSING',
        'Send an operator’s token as Authorization: Bearer <token>.',
        { 'WWW-Authenticate': 'Bearer' },
      );
    }
    const admin = await models.admins.findOne({ tokenHash: sha256Hex(token) }).lean();
    if (!admin || admin.revokedAt) {
      throw new ServiceError('INVALID_ADMIN_TOKEN', 'This token is not an active operator’s.', {
        'WWW-Authenticate': 'Bearer error="invalid_token"',
      });
    }
    ctx.state.admin = { adminId: admin._id, name: admin.name };
    await next();
  };
}
