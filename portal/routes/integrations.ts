import Joi from 'joi';
import { currencyOfCountry } from '../../domain/currencies.ts';
import { type Delivery, deliveries } from '../../domain/purchase.ts';
import { partnersPart } from '../../http/partner-reference.ts';
import { pageSchema, searchText } from '../../http/query.ts';
import { referencePage } from '../../http/reference-page.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { createCredential } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration, updateIntegration } from '../../operations/integrations.ts';
import { updatePartner } from '../../operations/partners.ts';
import { integrationChoices, readIntegration, readIntegrations } from '../../views/integrations.ts';
import { readActiveRules } from '../../views/rules.ts';
import { type Html, html } from '../components/format.ts';
import { linkIfOpen, onwardLinks } from '../components/onward-links.ts';
import { render, view } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps, PortalDeps } from '../deps.ts';
import { commandPath, readCommand } from '../documents/command.ts';
import { inCurrency, type Language, languages, readQuickstarts } from '../documents/quickstarts.ts';
import { nameField } from '../forms/fields.ts';
import { profileForm } from '../forms/profile-form.ts';
import { firstRule } from '../forms/rule-form.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import {
  integrationPage,
  integrationsPage,
  newIntegrationPage,
  quickstartPage,
} from '../pages/integrations.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const creating = {
  path: '/integrations/new',
  audience: 'partner',
  permission: 'integration.create',
} as const;
const updating = {
  path: '/integrations/:integrationId/delivery',
  params: { integrationId: 'integration' },
  audience: 'partner',
  permission: 'integration.update',
  secondFactor: 'LIVE',
} as const;
const deliverySchema = Joi.object<{ delivery: Delivery }>({
  delivery: Joi.valid(...deliveries)
    .required()
    .messages({
      'any.only': 'Choose who sends the links.',
      'any.required': 'Choose who sends the links.',
    }),
});
interface NewIntegration {
  name: string;
  /** The company's, which sets its currency: asked with the first integration, before anything uses one. */
  country?: string;
  /** Also generates its first TEST key. */
  withKey?: 'on';
  /** Also activates a first TEST rule. */
  withRule?: 'on';
}
const schema = Joi.object<NewIntegration>({
  name: nameField.required(),
  country: profileForm.country,
  withKey: Joi.valid('on'),
  withRule: Joi.valid('on'),
});

/** A partner's integrations: its systems that send events. */
export function integrationPages(routes: Routes): void {
  routes.page({ ...reading, path: '/integrations' }, showIntegrations);
  routes.page(creating, showNew);
  routes.action(creating, { schema, act: create, retry: showNew });
  routes.page(
    {
      ...reading,
      path: '/integrations/:integrationId',
      params: { integrationId: 'integration' },
    },
    showIntegration,
  );
  routes.action(updating, { schema: deliverySchema, act: update, retry: showIntegration });
}

async function showIntegrations(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const integrations = await readIntegrations(deps, ownScope(ctx), queryOf(ctx, pageSchema));
  render(ctx, integrationsPage(ctx, integrations));
}

async function showNew(ctx: PageContext<'partner'>, deps: PageDeps, given?: Filled): Promise<void> {
  const { partner } = ctx.state.viewer;
  const [others, rules] = await Promise.all([
    integrationChoices(deps, ownScope(ctx)),
    readActiveRules(deps, ownScope(ctx), 'TEST'),
  ]);
  const isFirst = others.length === 0;
  const name = isFirst ? 'Web shop' : '';
  const filled = given ?? filledWith({ name, withKey: 'on', withRule: 'on' });
  const asks = {
    country: isFirst && asksForCountry(ctx),
    rule: rules.length === 0 ? firstRule(partner.currency) : null,
  };
  render(ctx, newIntegrationPage(ctx, filled, asks));
}

/** Whether nobody has chosen the company's country yet, and the viewer may. */
const asksForCountry = ({ state: { viewer } }: PageContext<'partner'>): boolean =>
  viewer.partner.country === null && hasPermission(viewer, 'partner.update');

async function create(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { name, country, withKey, withRule }: NewIntegration,
): Promise<void> {
  const partner = await withCountry(ctx, deps, country);
  const partnerId = partner._id;
  const { _id } = await execute(deps, createIntegration, actorOf(ctx), { partnerId, name });
  const rules = await readActiveRules(deps, ownScope(ctx), 'TEST');
  if (withRule === 'on' && rules.length === 0) {
    const rule = { partnerId, ...firstRule(partner.currency) };
    const { _id: ruleId } = await execute(deps, createRule, actorOf(ctx), rule);
    await execute(deps, activateRule, actorOf(ctx), { ruleId, seen: null });
  }
  if (withKey === 'on') {
    const made = await execute(deps, createCredential, actorOf(ctx), {
      partnerId,
      integrationId: _id,
      mode: 'TEST' as const,
      scopes: ['events:write', 'events:read'],
    });
    return await revealKey(deps, ctx, 'Your new TEST key', made);
  }
  redirect(ctx, `/integrations/${_id}`, `${name} created. Generate a TEST key for it next.`);
}

/** The partner, with the country that its owner has just chosen and that country's currency. */
async function withCountry(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  country: string | undefined,
): Promise<PartnerDoc> {
  const { partner, user } = ctx.state.viewer;
  if (country === undefined || !asksForCountry(ctx)) return partner;
  return await execute(deps, updatePartner, actorOf(ctx), {
    partnerId: partner._id,
    country,
    currency: currencyOfCountry(country) ?? partner.currency,
    ...(partner.contactEmail === null && { contactEmail: user.email }),
  });
}

async function showIntegration(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const mode = modeOf(ctx);
  const found = await readIntegration(deps, ownScope(ctx), param(ctx, 'integrationId'), mode);
  const shown = { nowMs: deps.now(), filled };
  await renderWithNext(ctx, deps, integrationPage(ctx, mode, found, shown));
}

async function update(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { delivery }: { delivery: Delivery },
): Promise<void> {
  const partnerId = ctx.state.viewer.partner._id;
  const integrationId = param(ctx, 'integrationId');
  await execute(deps, updateIntegration, actorOf(ctx), {
    partnerId,
    integrationId,
    delivery,
  });
  redirect(ctx, `/integrations/${integrationId}`, 'Saved. The change applies to new purchases.');
}

const querySchema = Joi.object<{ language: Language }>({
  language: Joi.string()
    .valid(...Object.keys(languages))
    .default('curl'),
});
const texts = readQuickstarts();

/** Quick starts: a file per language that signs and sends a purchase. */
export function quickstartPages(routes: Routes): void {
  routes.page({ path: '/quickstarts', audience: 'partner', permission: 'read' }, showQuickstart);
  routes.page({ path: commandPath, audience: 'public', permission: null }, sendCommand);
}

async function sendCommand(ctx: PageContext<'public'>, { config }: PageDeps): Promise<void> {
  const { file } = await readCommand(config);
  ctx.type = 'text/javascript';
  ctx.set('Content-Disposition', `attachment; filename="${commandPath.slice(1)}"`);
  ctx.body = file;
}

async function showQuickstart(ctx: PageContext<'partner'>, { config }: PageDeps): Promise<void> {
  const { language } = queryOf(ctx, querySchema);
  const { currency } = ctx.state.viewer.partner;
  const text = inCurrency(texts.get(languages[language].file) ?? '', currency);
  const { sha256 } = await readCommand(config);
  render(ctx, quickstartPage(ctx, language, { text, portal: config.portal, sha256 }));
}

const searchSchema = Joi.object<{ q: string }>({ q: searchText.allow('').default('') });

/** The reference of the partner API. */
export function referencePages(routes: Routes, { config }: Pick<PortalDeps, 'config'>): void {
  const { apiUrl, url: portalUrl } = config.portal;
  const installation = { apiUrl, portalUrl, brand: config.http.headerBrand };
  const reading = { audience: 'partner', permission: 'read' } as const;
  let document: string | undefined;
  /** By the pages that operations link to. */
  const contents = new Map<string, ReturnType<typeof referencePage>>();

  routes.page({ ...reading, path: '/reference' }, (ctx) => {
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
  routes.page({ ...reading, path: '/reference/openapi.yaml' }, (ctx) => {
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
