import type { Logo } from '../../domain/branding.ts';
import { param } from '../../http/context.ts';
import { findLogo } from '../../views/partners.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { orNotFound } from '../middleware/form.ts';
import type { RoutesOf } from '../routing/route-table.ts';

/** Partners' logos, for claim pages and emails. */
export function logoRoutes(routes: RoutesOf<'public'>): void {
  routes.page('/logos/:logo', showLogo);
}

async function showLogo(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
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
