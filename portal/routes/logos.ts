import type { Logo } from '../../domain/branding.ts';
import { findLogo } from '../../models/views/partners.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { orNotFound } from '../middleware/form.ts';
import type { Routes } from '../routing/route-table.ts';

const spec = {
  path: '/logos/:logo',
  params: { logo: 'logo' },
  audience: 'public',
  permission: null,
} as const;

/** Partners' logos, for claim pages and emails. */
export function logoRoutes(routes: Routes): void {
  routes.page(spec, show);
}

async function show(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const [hash = '', type] = param(ctx, 'logo').split('.');
  const bytes = orNotFound(await findLogo(deps, { hash, type: type as Logo['type'] }));
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    // Opened directly, it must be an image and nothing else.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    // Webmail shows it on pages of other origins.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.type = type === 'jpg' ? 'image/jpeg' : 'image/png';
  ctx.body = bytes;
}
