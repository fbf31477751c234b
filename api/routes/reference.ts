import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Router from '@koa/router';
import { partnersPart } from '../../http/partner-reference.ts';
import type { ApiMiddleware, ApiState } from '../context.ts';

const contract = new URL('../openapi.yaml', import.meta.url);
const redoc = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');

/** Redoc writes its styles into the page; everything comes from here. */
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

/** The addresses are relative, so that a proxy may serve the API under a path. */
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

/** What anyone may read: how partners use the API, as a document and as a page. */
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

/** Read once, when somebody asks; asked for again, it is not sent again. */
function document(type: string, read: () => string | Buffer): ApiMiddleware {
  let made: { body: string | Buffer; etag: string } | undefined;
  return async (ctx) => {
    if (!made) {
      const body = read();
      made = { body, etag: createHash('sha256').update(body).digest('hex').slice(0, 32) };
    }
    ctx.set({
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    });
    ctx.status = 200;
    ctx.etag = made.etag;
    ctx.type = type;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = made.body;
  };
}
