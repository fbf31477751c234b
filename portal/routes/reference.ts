import { readFileSync } from 'node:fs';
import type { PortalDeps } from '../deps.ts';
import { referenceLayout } from '../html/reference-layout.ts';
import { operationsOf, partnersPart } from '../reference.ts';
import type { Routes } from '../route-table.ts';

const contract = new URL('../../api/openapi.yaml', import.meta.url);

/** As every page's, but that Redoc writes its styles into the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

/** The contract of the partner API, to be read. */
export function referencePages(routes: Routes, { config }: PortalDeps): void {
  const part = partnersPart(readFileSync(contract, 'utf8'), config.portal.apiUrl);
  const operations = operationsOf(part);
  const common = { audience: 'partner', permission: 'read' } as const;

  routes.page({ ...common, path: '/reference' }, async (ctx) => {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    ctx.body = referenceLayout(ctx, operations);
  });

  routes.page({ ...common, path: '/reference/openapi.yaml' }, async (ctx) => {
    ctx.type = 'application/yaml';
    ctx.body = part;
  });
}
