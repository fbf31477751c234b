import type { ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { TitledError } from '../titled-error.ts';
import { code, linkButton } from './components.ts';
import { html } from './format.ts';
import { layout } from './layout.ts';

const titles: Readonly<Record<number, string>> = {
  403: 'You don’t have access',
  404: 'Page not found',
  405: 'Not possible on this page',
  409: 'Not possible right now',
  410: 'No longer available',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

/** Messages for our own failures; the details are only in the log, under the request's id. */
const ours: Readonly<Record<number, string>> = {
  500: 'This is our fault, and we have been notified. Try again in a moment.',
  503: 'A service we depend on is not responding. Try again in a few seconds; nothing is lost.',
};

/** An error page: what happened, and how to continue. */
export function errorPage(ctx: PortalContext, error: ServiceError): string {
  const { status, message } = error;
  const title = error instanceof TitledError ? error.title : (titles[status] ?? 'That didn’t work');
  const ourWords = ours[status];
  return layout(
    withDefaults(ctx),
    { title },
    html`<div class="card narrow error-page"><p>${ourWords === undefined ? message : ourWords}</p>
<p class="actions">${linkButton('/', 'Go to the start page')}</p>
<p class="muted">Request ${code(ctx.state.requestId)}</p></div>`,
  );
}

/** Defaults for failures that occur before the session is read. */
function withDefaults(ctx: PortalContext): Parameters<typeof layout>[0] {
  const { assets, mayOpen, csrf = '', viewer = null } = ctx.state;
  const { path, query, method } = ctx;
  return { path, query, method, state: { assets, mayOpen, csrf, viewer, flash: null } };
}
