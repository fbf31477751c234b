import { modeOfPartner } from '../../domain/go-live.ts';
import type { Mode } from '../../domain/mode.ts';
import { type Delivery, deliveries } from '../../domain/purchase.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { Config } from '../../platform/config.ts';
import type { IntegrationDetails, Integrations } from '../../views/integrations.ts';
import {
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  section,
  table,
} from '../components/components.ts';
import { countryField } from '../components/country-field.ts';
import { checkbox, field, form, formBehind, select } from '../components/form.ts';
import { day, type Html, html, nothing } from '../components/format.ts';
import { onwardLinks } from '../components/onward-links.ts';
import { keyColumns } from '../components/tables.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import { commandPath } from '../documents/command.ts';
import { allLanguages, type Language, languages } from '../documents/quickstarts.ts';
import type { TermsOfRule } from '../forms/rule-form.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { keyPermissions } from '../routing/modes.ts';
import { earnsWords } from '../words/rule-words.ts';

const crumbs = () => [['Integrations', '/integrations']] as const;

export function integrationsPage(
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
export function newIntegrationPage(
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
        ? countryField(filled, 'Your company’s. It sets the currency of your rules and funds.')
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

export function integrationPage(
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
  return html`<section class="card">${facts([
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

/** @param text the source file for the language */
export function quickstartPage(
  ctx: PageContext<'partner'>,
  language: Language,
  { text, portal, sha256 }: { text: string; portal: Config['portal']; sha256: string },
): Page {
  const { name, file, needs, run } = languages[language];
  const environment = [
    `export PARTNER_URL=${portal.apiUrl}`,
    `export PARTNER_KEY='pk_test_… (your TEST key)'`,
    `export PARTNER_SECRET='sk_test_… (its secret)'`,
  ].join('\n');
  return page(
    {
      title: 'Quick starts',
      lead: 'A purchase, signed and sent, in one file without dependencies. Copy it, run it, then move the signing into your own code.',
    },
    html`<nav class="tabs" aria-label="Languages"><ul>${allLanguages.map(
      ([one, { name: label }]) =>
        html`<li class="tab"><a class="tab-link" href="/quickstarts?language=${one}" ${one === language ? html`aria-current="page"` : nothing}>${label}</a></li>`,
    )}</ul></nav>`,
    section(
      'Run it',
      html`<p>It needs ${needs}. Save the file below as <code>${file}</code>; <code>A1</code> is your order ID.</p>`,
      codeBlock(`${environment}\n${run}\n`, 'How to run it'),
    ),
    section(`${file}`, codeBlock(text, `${name}: ${file}`)),
    html`<div id="command">${commandSection(portal.url, environment, sha256)}</div>`,
    onwardLinks(ctx, [
      ['/keys', 'A TEST key'],
      ['/doctor', 'Signature refused?'],
      ['/reference', 'API reference'],
    ]),
  );
}

function commandSection(portalUrl: string, environment: string, sha256: string): Html {
  return section(
    'The command',
    html`<p>It sends, reads, compares and explains events, and listens to webhooks, from your terminal. It is one file, and needs Node 22.12 or newer: <a href="${commandPath}" download>${commandPath.slice(1)}</a></p>`,
    facts([['SHA-256', code(sha256, { canCopy: true })]]),
    codeBlock(
      `curl -sSO ${portalUrl}${commandPath}\nopenssl dgst -sha256 partner-events.mjs\n${environment}\nnode partner-events.mjs --help\n`,
      'How to get and run it',
    ),
  );
}
