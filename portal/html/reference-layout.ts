import type { Operation } from '../../http/partner-reference.ts';
import type { PageContext } from '../context.ts';
import { type Html, html } from './html.ts';
import { linkIfOpen } from './onward-links.ts';
import { viewNote } from './view-bar.ts';

/** Redoc has its own fonts and no dark mode; this uses the reader's fonts. */
const fontFamily = 'system-ui, sans-serif';
const theme = JSON.stringify({
  colors: { primary: { main: '#4338ca' } },
  typography: { fontFamily, headings: { fontFamily }, links: { color: '#4338ca' } },
});

/** The API reference as a separate page, since Redoc’s styles and ours would conflict. */
export function referenceLayout(ctx: PageContext, operations: readonly Operation[]): string {
  const { assets } = ctx.state;
  return `<!doctype html>\n${html`<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Partner Events</title>
<link rel="icon" href="${assets.pathOf('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.pathOf('reference.css')}">
<script src="${assets.pathOf('redoc.js')}" defer></script>
</head><body>
${viewNote(ctx)}
<header class="bar"><a href="/home">Partner Events</a><a href="/quickstarts">Quick starts</a>${linkIfOpen(ctx, '/doctor', 'Signature doctor')}<a href="/reference/openapi.yaml" download>OpenAPI (YAML)</a></header>
<main><h1>API reference</h1>
<ul class="operations">${operations.map(
    ({ method, path, operationId, summary }) =>
      html`<li><code>${method} ${path}</code> <span>${summary}</span> <a href="#operation/${operationId}">Read</a> ${tryIt(ctx, operationId)}</li>`,
  )}</ul>
<noscript><p>The reference below needs JavaScript. Without it, read <a href="/reference/openapi.yaml">the OpenAPI document</a> itself.</p></noscript>
<redoc spec-url="/reference/openapi.yaml" disable-search="true" hide-download-button="true" native-scrollbars="true" theme="${theme}"></redoc>
</main></body></html>`}`;
}

function tryIt({ state }: PageContext, operationId: string): Html {
  const path = consoleOf[operationId];
  return path !== undefined && state.mayOpen(path)
    ? html`<a href="${path}">Try it in the test console</a>`
    : html`<a href="/quickstarts">Sign it in your code</a>`;
}

/** Links to the test console for the operations that it can send. */
const consoleOf: Record<string, string> = {
  reportPurchase: '/console?type=purchase',
  reportRefund: '/console?type=refund',
};
