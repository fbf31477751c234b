import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Router from '@koa/router';
import { partnersPart } from '../../http/partner-reference.ts';
import type { ApiMiddleware, ApiState } from '../context.ts';

const contract = new URL('../openapi.yaml', import.meta.url);
const redoc = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');

/** Redoc needs inline styles; everything else is loaded from this server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** URLs are relative, so that a proxy can serve the API under a path. */
const page = `<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Partner API reference</title>
<script src="docs/redoc.js" defer></script>
</head><body style="margin: 0">
<noscript><p>This page needs JavaScript. Without it, read <a href="openapi.yaml">the OpenAPI document</a>.</p></noscript>
<redoc spec-url="openapi.yaml" disable-search="true" native-scrollbars="true"></redoc>
</body></html>
`;

/** The partners' API reference, as an OpenAPI document and as a page; public. */
export function createReferenceRouter(): Router<ApiState> {
  const router = new Router<ApiState>();
  router.get(
    '/openapi.yaml',
    document('application/yaml', () => partnersPart(readFileSync(contract, 'utf8'), '/')),
  );
  router.get(
    '/docs',
    document('text/html; charset=utf-8', () => page),
  );
  router.get(
    '/docs/redoc.js',
    document('text/javascript; charset=utf-8', () => readFileSync(redoc)),
  );
  return router;
}

/** Serves a document that is read once, at the first request, and cached by its ETag. */
function document(type: string, read: () => string | Buffer): ApiMiddleware {
  let loaded: { body: string | Buffer; etag: string } | undefined;
  return async (ctx) => {
    if (!loaded) {
      const body = read();
      loaded = { body, etag: createHash('sha256').update(body).digest('hex').slice(0, 32) };
    }
    ctx.set({
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    });
    ctx.status = 200;
    ctx.etag = loaded.etag;
    ctx.type = type;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = loaded.body;
  };
}
