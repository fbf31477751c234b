import { partnersPart } from '../../http/partner-reference.ts';
import { referencePage } from '../../http/reference-page.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { type Html, html } from '../html/html.ts';
import { linkIfOpen, onwardLinks } from '../html/onward-links.ts';
import { view } from '../html/view.ts';
import type { Routes } from '../routing/route-table.ts';

/** The reference of the partner API. */
export function referencePages(routes: Routes, { config }: Pick<PortalDeps, 'config'>): void {
  const { apiUrl } = config.portal;
  const reading = { audience: 'partner', permission: 'read' } as const;
  let document: string | undefined;
  /** The page's content, by whether it links to the test console. */
  const contents = new Map<boolean, Html>();

  routes.page({ ...reading, path: '/reference' }, (ctx) => {
    const mayTry = ctx.state.mayOpen('/console');
    const content = contents.get(mayTry) ?? referencePage(apiUrl, (id) => tryIt(ctx, id));
    contents.set(mayTry, content);
    const options = {
      title: 'API reference',
      lead: html`Everything that your back end sends and receives. <a href="/reference/openapi.yaml" download>OpenAPI (YAML)</a>`,
      sheets: [ctx.state.assets.pathOf('reference.css')],
    };
    const links = [
      ['/quickstarts', 'Quick starts'],
      ['/doctor', 'Signature doctor'],
    ] as const;
    view(ctx, options, content, onwardLinks(ctx, links));
  });
  routes.page({ ...reading, path: '/reference/openapi.yaml' }, (ctx) => {
    document ??= partnersPart(apiUrl);
    ctx.type = 'application/yaml';
    ctx.body = document;
  });
}

/** A link to the test console for the operations that it can send. */
function tryIt(ctx: PageContext, operationId: string): Html | string {
  const type = { reportPurchase: 'purchase', reportRefund: 'refund' }[operationId];
  return type === undefined ? '' : linkIfOpen(ctx, `/console?type=${type}`, 'Try it');
}
