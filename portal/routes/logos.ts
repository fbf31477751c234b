import type { Logo } from '../../domain/branding.ts';
import { findLogo } from '../../models/views/logos.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { orNotFound } from '../middleware/well-formed.ts';
import type { Routes } from '../routing/route-table.ts';

const spec = {
  path: '/logos/:logo',
  params: { logo: 'logo' },
  audience: 'public',
  permission: null,
} as const;

/** Partners' logos, for whoever reads a claim page or an email. */
export function logoRoutes(routes: Routes): void {
  routes.page(spec, show);
}

async function show(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const [hash = '', type] = param(ctx, 'logo').split('.');
  const bytes = orNotFound(await findLogo(deps, { hash, type: type as Logo['type'] }));
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    // Opened by itself it is a picture, and nothing besides.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    // Programs that read mail show it on pages of theirs.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.type = type === 'jpg' ? 'image/jpeg' : 'image/png';
  ctx.body = bytes;
}
