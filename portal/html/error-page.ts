import type { ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { say } from '../words/say.ts';
import { code, linkButton } from './components.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

const titles = (): Record<number, string> => ({
  403: say('errorPage.titles.403'),
  404: say('errorPage.titles.404'),
  405: say('errorPage.titles.405'),
  409: say('errorPage.titles.409'),
  410: say('errorPage.titles.410'),
  413: say('errorPage.titles.413'),
  429: say('errorPage.titles.429'),
  500: say('errorPage.titles.500'),
  503: say('errorPage.titles.503'),
});

/** What a reader is told of our own failures; what went wrong stands in the log, under the request's id. */
const ours = (): Record<number, string> => ({
  500: say('errorPage.ours.500'),
  503: say('errorPage.ours.503'),
});

/** A page for what could not be answered: what happened, and the way on. */
export function errorPage(ctx: PortalContext, { status, message }: ServiceError): string {
  const title = titles()[status] ?? say('errorPage.thatDidntWork');
  return layout(
    withDefaults(ctx),
    { title },
    html`<div class="card narrow error-page"><p>${ours()[status] ?? message}</p>
<p class="actions">${linkButton('/', say('errorPage.error.button'))}</p>
<p class="muted">${say('errorPage.request', { status, requestId: code(ctx.state.requestId) })}</p></div>`,
  );
}

/** A failure may come before the session was read. */
function withDefaults(ctx: PortalContext): Parameters<typeof layout>[0] {
  const { assets, mayOpen, csrf = '', viewer = null } = ctx.state;
  const { path, query, method } = ctx;
  return { path, query, method, state: { assets, mayOpen, csrf, viewer, flash: null } };
}
