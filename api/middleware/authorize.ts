import { ServiceError } from '../../domain/errors.ts';
import type { Scope } from '../../models/schemas/integrations.ts';
import { type ApiMiddleware, requireState } from '../context.ts';

/**
 * Requires a scope, and a partner that is active in the credential's mode.
 * @param suspended whether suspended partners are admitted, as they are for refunds, which give money back
 * @throws ServiceError INSUFFICIENT_SCOPE or PARTNER_NOT_ACTIVE
 */
export function authorize(
  scope: Scope,
  { suspended = 'REFUSED' }: { suspended?: 'REFUSED' | 'ALLOWED' } = {},
): ApiMiddleware {
  return async (ctx, next) => {
    const { scopes, partnerStatus, mode, live } = requireState(ctx, 'principal');
    if (!scopes.includes(scope)) {
      throw new ServiceError('INSUFFICIENT_SCOPE', `This API key lacks the scope ${scope}.`);
    }
    const isSuspended = partnerStatus !== 'ACTIVE' && suspended === 'REFUSED';
    if (isSuspended || (mode === 'LIVE' && !live)) {
      throw new ServiceError(
        'PARTNER_NOT_ACTIVE',
        `This partner is not active in ${mode} mode. Contact the operators of the service.`,
      );
    }
    await next();
  };
}
