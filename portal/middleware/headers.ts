import helmet from 'koa-helmet';
import type { Config } from '../../platform/config.ts';
import type { PortalMiddleware } from '../context.ts';

const none = ["'none'"];
const self = ["'self'"];

/**
 * What a browser may do with our pages: nothing that is not ours, no script or style within a page, in
 * nobody's frame. Icons of the style sheet are `data:`.
 */
export function headers({ portal }: Pick<Config, 'portal'>): PortalMiddleware {
  const isSecure = portal.url.startsWith('https:');
  const secured = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: self,
        styleSrc: self,
        imgSrc: ["'self'", 'data:'],
        connectSrc: self,
        frameSrc: self,
        formAction: self,
        baseUri: none,
        frameAncestors: none,
      },
    },
    strictTransportSecurity: isSecure && { maxAge: 31_536_000, includeSubDomains: false },
    // To ourselves in full, since the way back is read from it; to anybody else nothing.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
    await secured(ctx as never, next);
  };
}
