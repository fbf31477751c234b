import { ServiceError } from '../../domain/errors.ts';
import type { PortalMiddleware } from '../context.ts';

/**
 * Refuses forms sent from other sites, according to the headers that browsers add. Without these headers,
 * only the CSRF token decides.
 */
export function ownOrigin(portalUrl: string): PortalMiddleware {
  return async (ctx, next) => {
    const site = ctx.get('sec-fetch-site');
    const origin = ctx.get('origin');
    const own = [`${ctx.protocol}://${ctx.host}`, new URL(portalUrl).origin];
    const isForeign = site !== '' ? site !== 'same-origin' : origin !== '' && !own.includes(origin);
    if (isForeign) throw new ServiceError('FORBIDDEN', 'This form was sent from another site.');
    await next();
  };
}
