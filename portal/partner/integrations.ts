import Joi from 'joi';
import { currencyOfCountry } from '../../domain/currencies.ts';
import { modeOfPartner } from '../../domain/go-live.ts';
import type { Mode } from '../../domain/mode.ts';
import { type Delivery, deliveries } from '../../domain/purchase.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { createCredential } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration, updateIntegration } from '../../operations/integrations.ts';
import { updatePartner } from '../../operations/partners.ts';
import {
  type IntegrationDetails,
  type Integrations,
  integrationChoices,
  readIntegration,
  readIntegrations,
} from '../../views/integrations.ts';
import { readActiveRules } from '../../views/rules.ts';
import {
  code,
  definitions,
  emptyState,
  linkButton,
  section,
  table,
} from '../components/components.ts';
import { countrySelect } from '../components/country-field.ts';
import { checkbox, field, form, formBehind, select } from '../components/form.ts';
import { day, type Html, html, nothing } from '../components/format.ts';
import { keyColumns } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { profileForm } from '../forms/profile-form.ts';
import { firstRule, type TermsOfRule } from '../forms/rule-form.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { keyPermissions, modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';
import { earnsWords } from '../words/rule-words.ts';

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

const deliverySchema = Joi.object<{ delivery: Delivery }>({
  delivery: Joi.valid(...deliveries)
    .required()
    .messages({
      'any.only': 'Choose who sends the links.',
      'any.required': 'Choose who sends the links.',
    }),
});

const path = '/integrations/:integrationId';

/** A partner's integrations: its systems that send events. */
export function integrationPages(routes: RoutesOf<'partner'>): void {
  routes.page('/integrations', showIntegrations);
  routes.page('/integrations/new', showNew, { operation: createIntegration });
  routes.action(
    '/integrations/new',
    { schema, act: create, retry: showNew },
    { operation: createIntegration },
  );
  routes.page(path, showIntegration);
  routes.operation(`${path}/delivery`, updateIntegration, {
    on: showIntegration,
    form: deliverySchema,
    to: path,
    said: 'Saved. The change applies to new purchases.',
  });
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

const crumbs = () => [['Integrations', '/integrations']] as const;

function integrationsPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor, keysOf }: Integrations,
): Page {
  const create = hasPermission(ctx.state.viewer, 'integration.create')
    ? linkButton('/integrations/new', 'New integration')
    : nothing;
  return page(
    {
      title: 'Integrations',
      lead: 'Each of your systems that sends events, such as a web shop or a till, is an integration with keys of its own.',
      actions: items.length === 0 ? nothing : create,
    },
    list(ctx, {
      caption: 'Integrations',
      columns: {
        Name: ({ _id, name }) => html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
        ID: ({ _id }) => code(_id, { canCopy: true }),
        'TEST keys': { number: ({ _id }) => keysOf.get(_id)?.TEST ?? 0 },
        'LIVE keys': { number: ({ _id }) => keysOf.get(_id)?.LIVE ?? 0 },
        Since: ({ createdAt }) => day(createdAt),
      },
      rows: items,
      empty: emptyState(
        'No integration yet',
        'It only needs a name, and comes with its first TEST key. Then send your first event.',
        create,
      ),
      nextCursor,
    }),
  );
}

/** @param asks what the first integration asks besides: the company's country, and a first rule */
function newIntegrationPage(
  ctx: PageContext<'partner'>,
  filled: Filled,
  { country, rule }: { country: boolean; rule: TermsOfRule | null },
): Page {
  return page(
    {
      title: 'New integration',
      crumbs: crumbs(),
      lead: 'One of your systems that sends events, such as your web shop.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/integrations/new', submit: 'Create integration', filled },
      field({
        name: 'name',
        label: 'Name',
        filled,
        isRequired: true,
        autofocus: true,
        maxLength: 100,
        autocomplete: 'off',
        placeholder: 'Web shop',
        hint: 'For you and your team. Order IDs are unique within an integration.',
      }),
      country
        ? countrySelect(filled, 'Your company’s. It sets the currency of your rules and funds.')
        : nothing,
      checkbox({
        name: 'withKey',
        filled,
        label: 'Generate its first TEST key. The next page shows the secret, once.',
      }),
      rule === null
        ? nothing
        : checkbox({
            name: 'withRule',
            filled,
            label: country
              ? 'Activate a first rule in TEST: 1 point for every unit of your currency. You can change it later.'
              : `Activate a first rule in TEST: ${earnsWords(rule)}. You can change it later.`,
          }),
    )}</div>`,
  );
}

const deliveryPermission = (partner: PartnerDoc) =>
  modeOfPartner(partner) === 'LIVE' ? 'integration.live' : 'integration.update';

function integrationPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { integration, keys }: IntegrationDetails,
  { nowMs, filled }: { nowMs: number; filled: Filled },
): Page {
  const { viewer } = ctx.state;
  const { _id: integrationId, name } = integration;
  const newKey = hasPermission(viewer, keyPermissions[mode])
    ? linkButton(`/keys/new?integration=${integrationId}`, `Generate ${mode} key`)
    : nothing;
  return page(
    { title: name, crumbs: crumbs(), actions: keys.length === 0 ? nothing : newKey },
    detailsSection(
      integration,
      hasPermission(viewer, deliveryPermission(viewer.partner))
        ? changeDelivery(ctx, integration, filled)
        : nothing,
    ),
    section(
      'API keys',
      table({
        caption: 'API keys',
        columns: keyColumns(nowMs),
        rows: keys,
        empty: noKeys(mode, newKey),
      }),
    ),
  );
}

function detailsSection({ _id, createdAt, delivery }: IntegrationDoc, change: Html): Html {
  return html`<section class="card">${definitions([
    ['Integration ID', code(_id, { canCopy: true })],
    ['Since', day(createdAt)],
    ['Claim links', deliveryWords[delivery]],
  ])}<div class="after">${change}</div></section>`;
}

/** The form that sets who sends the claim links of an integration. */
const changeDelivery = (
  ctx: PageContext<'partner'>,
  { _id, delivery }: IntegrationDoc,
  filled: Filled,
): Html =>
  formBehind(
    ctx,
    {
      ask: 'Change who sends claim links',
      isOpen: filled !== emptyForm,
      action: `/integrations/${_id}/delivery`,
      submit: 'Save',
      filled,
    },
    select({
      name: 'delivery',
      label: 'Who sends the link',
      filled,
      chosen: delivery,
      choices: deliveries.map((value) => ({ value, text: deliveryWords[value] })),
      hint: html`If you send it, the response to each purchase contains <code>reward.claimUrl</code>. Anyone with that link can claim the points, so show it only to the customer.`,
    }),
  );

const noKeys = (mode: Mode, newKey: Html): Html =>
  emptyState(
    `No ${mode} key yet`,
    mode === 'TEST'
      ? 'A TEST key signs requests that affect no balance. Its secret is shown once.'
      : 'A LIVE key signs requests that create real rewards. Its secret is shown once.',
    newKey,
  );

const deliveryWords: Readonly<Record<Delivery, string>> = {
  SERVICE: 'We send it to the customer',
  PARTNER: 'You send it yourself',
};
