import Joi from 'joi';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { inCurrency, type Language, languages, readQuickstarts } from '../documents/quickstarts.ts';
import { quickstartPage } from '../html/pages/quickstarts.ts';
import { render } from '../html/view.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const querySchema = Joi.object<{ language: Language }>({
  language: Joi.string()
    .valid(...Object.keys(languages))
    .default('curl'),
});
const texts = readQuickstarts();

/** Quick starts: a file per language that signs and sends a purchase. */
export function quickstartPages(routes: Routes): void {
  routes.page({ path: '/quickstarts', audience: 'partner', permission: 'read' }, showQuickstart);
}

function showQuickstart(ctx: PageContext<'partner'>, { config }: PageDeps): void {
  const { language } = queryOf(ctx, querySchema);
  const { currency } = ctx.state.viewer.partner;
  const text = inCurrency(texts.get(languages[language].file) ?? '', currency);
  render(ctx, quickstartPage(ctx, language, { text, apiUrl: config.portal.apiUrl }));
}
