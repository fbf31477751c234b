import { assertNever } from '../../domain/assert-never.ts';
import { type Page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { renderWithNext } from '../next-step.ts';
import {
  recoveryCodesPage,
  revealedAccessTokenPage,
  revealedKeyPage,
  revealedServiceTokenPage,
  revealedTokenPage,
  revealedWebhookPage,
  revealGonePage,
} from '../pages/revealed.ts';
import type { Routes } from '../routing/route-table.ts';
import { type Reveal, revealedPath, takeRevealed } from '../session/reveal.ts';

/** The page that shows a secret once, never cached by browsers. */
export function revealedPages(routes: Routes): void {
  routes.page({ path: revealedPath, audience: 'user', permission: null }, showRevealed);
}

async function showRevealed(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const { revealed, back } = await takeRevealed(deps, ctx);
  if (revealed === null) return render(ctx, revealGonePage(back));
  const shown = pageOf(ctx, revealed, back ?? '/', deps.config.portal);
  if (revealed.kind === 'KEY' && isOfPartner(ctx)) {
    return await renderWithNext(ctx, deps, shown, { place: 'BELOW' });
  }
  render(ctx, shown);
}

const isOfPartner = (ctx: PageContext<'user'>): ctx is PageContext<'partner'> =>
  ctx.state.viewer.kind === 'partner';

function pageOf(
  ctx: PageContext<'user'>,
  what: Reveal,
  back: string,
  { apiUrl, url }: { apiUrl: string; url: string },
): Page {
  switch (what.kind) {
    case 'KEY':
      return revealedKeyPage(ctx, what, back, apiUrl);
    case 'WEBHOOK_SECRET':
      return revealedWebhookPage(what, back);
    case 'TOKEN':
      return revealedTokenPage(what, back);
    case 'ACCESS_TOKEN':
      return revealedAccessTokenPage(what, back, url);
    case 'SERVICE_TOKEN':
      return revealedServiceTokenPage(what, back);
    case 'CODES':
      return recoveryCodesPage(ctx, what);
    default:
      return assertNever(what, 'reveal');
  }
}
