import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import type { OperatorTokenDoc } from '../../models/schemas/operator.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { ApiDeps } from '../deps.ts';
import type { OperatorContext } from './context.ts';

/** How exactly the last use of a token is known; it is written no more often. */
const touchEveryMs = 60_000;

/**
 * Lets an operator pass whose bearer token is known, neither revoked nor expired; it is looked up by
 * its hash, each time anew, so that a revocation holds from the next request on.
 */
export function authenticate({ models, now, log }: Pick<ApiDeps, 'models' | 'now' | 'log'>) {
  return async (ctx: OperatorContext, next: Next): Promise<void> => {
    const [, text] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(ctx.get('authorization')) ?? [];
    if (text === undefined) {
      throw new ServiceError(
        'AUTHENTICATION_MISSING',
        'Send an operator’s token as Authorization: Bearer <token>.',
        { 'WWW-Authenticate': 'Bearer' },
      );
    }
    const hash = sha256Hex(text);
    const admin = await models.operators.findOne({ 'tokens.hash': hash }).lean();
    const token = admin?.tokens.find((one) => one.hash === hash);
    if (!admin || !token || admin.revokedAt || token.revokedAt) {
      throw invalid('This token does not belong to an active operator.');
    }
    if (token.expiresAt.getTime() <= now()) {
      throw invalid(
        'This token has expired. Sign in to the portal and create one under Your tokens.',
      );
    }
    const { _id: operatorId, name, role } = admin;
    ctx.state.operator = { operatorId, name, role, tokenId: token.tokenId };
    touch(operatorId, token, ctx.state.address);
    await next();
  };

  /** Notes when and from where, without holding the request up. */
  function touch(_id: string, { tokenId, lastUsedAt }: OperatorTokenDoc, address: string): void {
    const at = new Date(now());
    const before = new Date(now() - touchEveryMs);
    if (lastUsedAt && lastUsedAt > before) return;
    const isStale = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: before } }] };
    models.operators
      .updateOne(
        { _id, tokens: { $elemMatch: { tokenId, ...isStale } } },
        { $set: { 'tokens.$.lastUsedAt': at, 'tokens.$.lastUsedFrom': address } },
      )
      .catch((error) => log.warn({ err: error, operatorId: _id }, 'last use was not recorded'));
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_ADMIN_TOKEN', message, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}
