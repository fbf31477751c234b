import { loadAssets } from '../assets/load.ts';
import type { PortalMiddleware } from '../context.ts';

/** Serves what pages link; the name holds the content's hash, so that a browser asks once. */
export function assets(): PortalMiddleware {
  const loaded = loadAssets();
  return async (ctx, next) => {
    ctx.state.assets = loaded;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    const asset = isRead ? loaded.find(ctx.path) : undefined;
    if (!asset) return await next();
    const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
    ctx.state.route = '/assets/:name';
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.set('Content-Type', asset.type);
    ctx.vary('Accept-Encoding');
    if (encoding === 'br' || encoding === 'gzip') ctx.set('Content-Encoding', encoding);
    ctx.body = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip : asset.plain;
  };
}
