import Joi from 'joi';
import type { Branding } from '../../domain/branding.ts';
import { defaultLanguage, type Language, languages } from '../../domain/languages.ts';
import { updateBranding } from '../../operations/branding/update.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import type { Filled } from '../forms/submit.ts';
import { brandingPage, editBrandingPage } from '../html/pages/branding.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const schema = Joi.object<Branding>({
  language: Joi.valid(...languages)
    .required()
    .messages({ 'any.only': 'Choose a language.', 'any.required': 'Choose a language.' }),
  color: Joi.string()
    .trim()
    .lowercase()
    .pattern(/^#[0-9a-f]{6}$/)
    .default(null)
    .messages({ 'string.pattern.base': 'A # and six hexadecimal digits, such as #4f46e5.' }),
  spendText: nameField.max(200).default(null).messages({
    'string.max': 'At most 200 characters.',
    'string.pattern.base': 'One line of text.',
  }),
  spendUrl: Joi.string().trim().max(500).uri({ scheme: 'https' }).default(null).messages({
    'string.uri': 'An address that begins with https://.',
    'string.uriCustomScheme': 'An address that begins with https://.',
  }),
});
const shownSchema = Joi.object<{ language?: Language }>({ language: Joi.valid(...languages) });
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

function show(ctx: PageContext<'partner'>, { now }: PageDeps): void {
  const { branding } = ctx.state.viewer.partner;
  const { language = branding?.language ?? defaultLanguage } = queryOf(ctx, shownSchema);
  render(ctx, brandingPage(ctx, { language, nowMs: now() }));
}

function showEdit(ctx: PageContext<'partner'>, _deps: PageDeps, filled?: Filled): void {
  render(ctx, editBrandingPage(ctx, filled));
}

async function save(ctx: PageContext<'partner'>, deps: PageDeps, chosen: Branding): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  await execute(deps, updateBranding, actorOf(ctx), { partnerId, ...chosen });
  redirect(ctx, '/branding', 'The branding is saved.');
}
