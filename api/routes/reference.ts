import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import { type Installation, partnersPart } from '../../http/partner-reference.ts';
import { referencePage } from '../../http/reference-page.ts';
import type { ApiMiddleware, ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

const style = new URL('../../http/reference.css', import.meta.url);

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** URLs are relative, so that a proxy can serve the API under a path. */
const page = (installation: Installation): string => `<!doctype html>
<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Partner API reference</title>
<link rel="stylesheet" href="docs/reference.css">
</head><body class="alone"><main>
<h1>Partner API reference</h1>
<p><a href="openapi.yaml" download>OpenAPI (YAML)</a></p>
${referencePage(installation, () => '')()}
</main></body></html>
`;

/** The partners' API reference, as an OpenAPI document and as a page; public. */
export function createReferenceRouter({ config }: Pick<ApiDeps, 'config'>): Router<ApiState> {
  const { http, portal } = config;
  const installation = { apiUrl: '/', portalUrl: portal.url, brand: http.headerBrand };
  const router = new Router<ApiState>();
  router.get(
    '/openapi.yaml',
    document('application/yaml', () => partnersPart(installation)),
  );
  router.get(
    '/docs',
    document('text/html; charset=utf-8', () => page(installation)),
  );
  router.get(
    '/docs/reference.css',
    document('text/css; charset=utf-8', () => readFileSync(style, 'utf8')),
  );
  return router;
}

/** Serves a document that is made once, at the first request, and cached by its ETag. */
function document(type: string, read: () => string): ApiMiddleware {
  let loaded: { body: string; etag: string } | undefined;
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
