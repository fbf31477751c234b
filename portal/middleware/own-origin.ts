import { ServiceError } from '../../domain/errors.ts';
import type { PortalMiddleware } from '../context.ts';
import { say } from '../words/say.ts';

/**
 * Lets a form pass that was not sent by another site: a browser says where a POST comes from. Where
 * nothing says it, what the form carries decides alone.
 */
export function ownOrigin(portalUrl: string): PortalMiddleware {
  return async (ctx, next) => {
    const site = ctx.get('sec-fetch-site');
    const origin = ctx.get('origin');
    const own = [`${ctx.protocol}://${ctx.host}`, new URL(portalUrl).origin];
    const isForeign = site !== '' ? site !== 'same-origin' : origin !== '' && !own.includes(origin);
    if (isForeign) throw new ServiceError('FORBIDDEN', say('error.foreignForm'));
    await next();
  };
}
