import helmet from 'koa-helmet';
import type { ServiceError } from '../../domain/errors.ts';
import { toServiceError } from '../../http/errors.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import { encodings, loadAssets } from '../assets/load.ts';
import { customerErrorPage } from '../components/customer-layout.ts';
import { errorPage } from '../components/error-page.ts';
import type { PortalContext, PortalMiddleware } from '../context.ts';
import { isProgram } from '../programs/access.ts';
import { asksForJson, isForCustomers } from './customers.ts';

/** Renders any thrown error as a page that says what happened and how to continue. */
export function errorPages(log: Logger): PortalMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) {
        log.error({ err: thrown, requestId: ctx.state.requestId, code: error.code }, error.message);
      }
      answer(ctx, error);
    }
  };
}

function answer(ctx: PortalContext, error: ServiceError): void {
  const { code, message } = error;
  ctx.state.code = code;
  ctx.status = error.status;
  ctx.set(error.headers);
  if (isProgram(ctx)) {
    ctx.body = { error: { code, message } };
    return;
  }
  if (isForCustomers(ctx)) {
    if (asksForJson(ctx)) ctx.body = { error: { code, message } };
    else customerErrorPage(ctx, error);
    return;
  }
  // Replaces the whole page, even if htmx requested only a part.
  if (ctx.get('hx-request') === 'true') {
    ctx.set({ 'HX-Retarget': 'body', 'HX-Reswap': 'innerHTML', 'HX-Reselect': 'body > *' });
  }
  ctx.type = 'html';
  ctx.body = errorPage(ctx, error);
}

const none = ["'none'"];
const self = ["'self'"];

/**
 * Security headers: browsers load only our own resources, no inline script or style, and never in someone
 * else's frame. The style sheet's icons are `data:` URLs.
 */
export function securityHeaders({ portal }: Pick<Config, 'portal'>): PortalMiddleware {
  const isSecure = portal.url.startsWith('https:');
  const secured = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: self,
        styleSrc: self,
        imgSrc: ["'self'", 'data:'],
        fontSrc: self,
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

/** Serves assets. Their names contain the content's hash, so browsers fetch each only once. */
export function assets(): PortalMiddleware {
  const loaded = loadAssets();
  return async (ctx, next) => {
    ctx.state.assets = loaded;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    const asset = isRead ? loaded.find(ctx.path) : undefined;
    if (!asset) return await next();
    const accepted = ctx.acceptsEncodings(...encodings);
    const encoding = encodings.find((one) => one === accepted) ?? 'identity';
    ctx.state.route = '/assets/:name';
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.set('Content-Type', asset.type);
    ctx.vary('Accept-Encoding');
    if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
    ctx.body = await asset.bytes(encoding);
  };
}
