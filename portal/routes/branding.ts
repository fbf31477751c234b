import Joi from 'joi';
import { type Language, languages } from '../../domain/languages.ts';
import { updateBranding } from '../../operations/branding/update.ts';
import { execute } from '../../operations/execute.ts';
import { actorOf } from '../../portal/operate.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import { brandingPage, editBrandingPage } from '../html/pages/branding.ts';
import { render } from '../html/view.ts';
import type { Routes } from '../routing/route-table.ts';

interface Chosen {
  language: Language;
}

const schema = Joi.object<Chosen>({
  language: Joi.valid(...languages)
    .required()
    .messages({ 'any.only': 'Choose a language.', 'any.required': 'Choose a language.' }),
});
const editing = {
  path: '/branding/edit',
  audience: 'partner',
  permission: 'partner.update',
} as const;

/** What a partner's customers see of it. */
export function brandingPages(routes: Routes): void {
  routes.page({ path: '/branding', audience: 'partner', permission: 'read' }, show);
  routes.page(editing, showEdit);
  routes.action(editing, { schema, act: save, retry: showEdit });
}

function show(ctx: PageContext<'partner'>): void {
  render(ctx, brandingPage(ctx));
}

function showEdit(ctx: PageContext<'partner'>, _deps: PageDeps, filled?: Filled): void {
  render(ctx, editBrandingPage(ctx, filled));
}

async function save(ctx: PageContext<'partner'>, deps: PageDeps, chosen: Chosen): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updateBranding, actorOf(ctx), { partnerId, ...chosen });
  redirect(ctx, '/branding', 'The branding is saved.');
}
