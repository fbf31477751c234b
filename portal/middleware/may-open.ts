import type { PortalMiddleware, Viewer } from '../context.ts';
import type { Route } from '../routing/route.ts';
import { isOpenToViewing, viewingOperatorOf } from '../session/viewing.ts';
import { hasPermission } from './access.ts';

/** Provides `mayOpen`, with which pages check whether the viewer may follow a link. */
export function mayOpen(table: readonly Route[]): PortalMiddleware {
  const pageAt = createPageFinder(table);
  return async (ctx, next) => {
    ctx.state.mayOpen = (path) => {
      const page = pageAt(path);
      return page !== undefined && opens(ctx.state.viewer ?? null, page);
    };
    ctx.state.isPage = (path) => pageAt(path) !== undefined;
    await next();
  };
}

/**
 * Finds the page of a link: the first match, as in the router. Where the mode decides who may open it, a
 * link without one is taken to be LIVE's, which needs most.
 */
export function createPageFinder(table: readonly Route[]): (link: string) => Route | undefined {
  const pages = table
    .filter(({ method }) => method === 'GET')
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`) }));
  return (link) => {
    const [path = '', query] = link.replace(/#.*/, '').split('?');
    const inMode = new URLSearchParams(query?.replaceAll('&amp;', '&')).get('mode') ?? 'LIVE';
    return pages.find(
      ({ route: { mode }, pattern }) => (mode ?? inMode) === inMode && pattern.test(path),
    )?.route;
  };
}

/** Predicts what `admit` and `requirePermission` will decide. */
export function opens(viewer: Viewer | null, { audience, permission, path }: Route): boolean {
  if (audience === 'public') return true;
  if (viewingOperatorOf(viewer) && audience === 'user') return isOpenToViewing(path);
  if (!viewer || (audience !== 'user' && audience !== viewer.kind)) return false;
  return permission === null || hasPermission(viewer, permission);
}
