import { encodings, loadAssets } from '../assets/load.ts';
import type { PortalMiddleware } from '../context.ts';

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
