import helmet from 'koa-helmet';
import type { Config } from '../../platform/config.ts';
import type { PortalMiddleware } from '../context.ts';

const none = ["'none'"];
const self = ["'self'"];

/**
 * Security headers: browsers load only our own resources, no inline script or style, and never in someone
 * else's frame. The style sheet's icons are `data:` URLs.
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
    // Our own pages get the full referrer, from which the way back is determined; other sites get none.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
    await secured(ctx, next);
  };
}
