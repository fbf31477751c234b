import type { ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { code, linkButton } from './components.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

const titles: Record<number, string> = {
  403: 'You don’t have access',
  404: 'Page not found',
  405: 'This page cannot do that',
  409: 'Not possible right now',
  410: 'No longer available',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

/** What a reader is told of our own failures; what went wrong stands in the log, under the request's id. */
const ours: Record<number, string> = {
  500: 'This is our fault, and we have been notified. Try again in a moment.',
  503: 'A service we depend on is not responding. Try again in a few seconds; nothing is lost.',
};

/** A page for what could not be answered: what happened, and the way on. */
export function errorPage(ctx: PortalContext, { status, message }: ServiceError): string {
  const title = titles[status] ?? 'That didn’t work';
  return layout(
    withDefaults(ctx),
    { title },
    html`<div class="card narrow error-page"><p>${ours[status] ?? message}</p>
<p class="actions">${linkButton('/', 'Go to the start page')}</p>
<p class="muted">${status} · request ${code(ctx.state.requestId)}</p></div>`,
  );
}

/** A failure may come before the session was read. */
function withDefaults(ctx: PortalContext): Parameters<typeof layout>[0] {
  const { assets, mayOpen, csrf = '', viewer = null } = ctx.state;
  const { path, query, method } = ctx;
  return { path, query, method, state: { assets, mayOpen, csrf, viewer, flash: null } };
}
