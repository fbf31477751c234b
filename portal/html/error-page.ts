import type { ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { TitledError } from '../titled-error.ts';
import { type PlainKey, say } from '../words/say.ts';
import { code, linkButton } from './components.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

const titles: Readonly<Record<number, PlainKey>> = {
  403: 'errorPage.titles.403',
  404: 'errorPage.titles.404',
  405: 'errorPage.titles.405',
  409: 'errorPage.titles.409',
  410: 'errorPage.titles.410',
  413: 'errorPage.titles.413',
  429: 'errorPage.titles.429',
  500: 'errorPage.titles.500',
  503: 'errorPage.titles.503',
};

/** Messages for our own failures; the details are only in the log, under the request's id. */
const ours: Readonly<Record<number, PlainKey>> = {
  500: 'errorPage.ours.500',
  503: 'errorPage.ours.503',
};

/** An error page: what happened, and how to continue. */
export function errorPage(ctx: PortalContext, error: ServiceError): string {
  const { status, message } = error;
  const title =
    error instanceof TitledError ? error.title : say(titles[status] ?? 'errorPage.thatDidntWork');
  const ourWords = ours[status];
  return layout(
    withDefaults(ctx),
    { title },
    html`<div class="card narrow error-page"><p>${ourWords === undefined ? message : say(ourWords)}</p>
<p class="actions">${linkButton('/', say('errorPage.error.button'))}</p>
<p class="muted">${say('errorPage.request', { status, requestId: code(ctx.state.requestId) })}</p></div>`,
  );
}

/** Defaults for failures that occur before the session is read. */
function withDefaults(ctx: PortalContext): Parameters<typeof layout>[0] {
  const { assets, mayOpen, csrf = '', viewer = null } = ctx.state;
  const { path, query, method } = ctx;
  return { path, query, method, state: { assets, mayOpen, csrf, viewer, flash: null } };
}
