import Joi from 'joi';
import { partnersPart } from '../../http/partner-reference.ts';
import { searchText } from '../../http/query.ts';
import { referencePage } from '../../http/reference-page.ts';
import { type Html, html } from '../components/format.ts';
import { linkIfOpen, onwardLinks } from '../components/onward-links.ts';
import { view } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

const searchSchema = Joi.object<{ q: string }>({ q: searchText.allow('').default('') });

/** The reference of the partner API. */
export function referencePages(
  routes: RoutesOf<'partner'>,
  { config }: Pick<PortalDeps, 'config'>,
): void {
  const { apiUrl, url: portalUrl } = config.portal;
  const installation = { apiUrl, portalUrl, brand: config.http.headerBrand };
  let document: string | undefined;
  /** By the pages that operations link to. */
  const contents = new Map<string, ReturnType<typeof referencePage>>();

  routes.page('/reference', (ctx) => {
    const { q } = queryOf(ctx, searchSchema);
    const open = Object.values(trials).filter((path) => ctx.state.mayOpen(path));
    const content =
      contents.get(open.join()) ?? referencePage(installation, (id) => tryIt(ctx, id));
    contents.set(open.join(), content);
    const options = {
      title: 'API reference',
      lead: html`Everything that your back end sends and receives. <a href="/reference/openapi.yaml" download>OpenAPI (YAML)</a>`,
      sheets: [ctx.state.assets.pathOf('reference.css')],
    };
    const links = [
      ['/quickstarts', 'Quick starts'],
      ['/doctor', 'Signature doctor'],
    ] as const;
    view(ctx, options, content(q, searchForm(q)), onwardLinks(ctx, links));
  });
  routes.page('/reference/openapi.yaml', (ctx) => {
    document ??= partnersPart(installation);
    ctx.type = 'application/yaml';
    ctx.body = document;
  });
}

/** With JavaScript, the page is searched while the reader types. */
const searchForm = (q: string): Html =>
  html`<form method="get" action="/reference" role="search"><input type="search" name="q" value="${q}" placeholder="Search" aria-label="Search the reference" maxlength="255" data-search-page data-shortcut="/"></form>`;

/** The pages that try an operation against TEST. */
const trials: Readonly<Record<string, string>> = {
  reportPurchase: '/console?type=purchase',
  reportRefund: '/console?type=refund',
  startRehearsal: '/console/rehearsal',
};

function tryIt(ctx: PageContext, operationId: string): Html | string {
  const path = trials[operationId];
  return path === undefined ? '' : linkIfOpen(ctx, path, 'Try it in TEST');
}
