import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import type { OperatorTokenDoc } from '../../models/schemas/people.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { ApiDeps } from '../deps.ts';
import type { OperatorContext } from './context.ts';

/** A token's last use is written at most this often, and is only known that precisely. */
const touchEveryMs = 60_000;

/**
 * Admits operators with an active bearer token. The token is looked up by its hash on every request,
 * without a cache, so that a revocation takes effect with the next one.
 * @throws ServiceError AUTHENTICATION_MISSING without a token; INVALID_ADMIN_TOKEN for one that is
 *   unknown, revoked or expired
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
    const operator = await models.operators.findOne({ 'tokens.hash': hash });
    const token = operator?.tokens.find((one) => one.hash === hash);
    if (!operator || !token || operator.revokedAt || token.revokedAt) {
      throw invalid('This token does not belong to an active operator.');
    }
    if (token.expiresAt.getTime() <= now()) {
      throw invalid(
        'This token has expired. Sign in to the portal and create one under Your tokens.',
      );
    }
    const { _id: operatorId, name, role } = operator;
    ctx.state.operator = { operatorId, name, role, tokenId: token.tokenId };
    touch(operatorId, token, ctx.state.address);
    await next();
  };

  /** Records when and from where the token was used, without delaying the request. */
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
      .catch((error) =>
        log.warn({ err: error, operatorId: _id }, 'could not record the last use of a token'),
      );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_ADMIN_TOKEN', message, {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}
