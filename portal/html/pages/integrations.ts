import { type Delivery, deliveries } from '../../../domain/delivery.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { IntegrationDoc } from '../../../models/schemas/integration.ts';
import type { IntegrationDetails, Integrations } from '../../../models/views/integrations.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { baseOf, permissionOf } from '../../routing/key-modes.ts';
import { type PlainKey, say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { code, emptyState, facts, linkButton, section, table } from '../components.ts';
import { checkbox, field, form, select } from '../form.ts';
import { day, money, number } from '../format.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { keyTable } from '../key-table.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('integrations.integrations'), '/integrations']] as const;

export function integrationsPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor, keysOf }: Integrations,
): Page {
  const create = hasPermission(ctx.state.viewer, 'integration.create')
    ? linkButton('/integrations/new', say('integrations.newIntegration'))
    : nothing;
  return page(
    {
      title: say('integrations.title'),
      lead: say('integrations.lead'),
      actions: items.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: say('integrations.caption'),
      columns: [
        {
          heading: say('common.name'),
          cell: ({ _id, name }) => html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
        },
        { heading: say('common.id'), cell: ({ _id }) => code(_id, { canCopy: true }) },
        {
          heading: say('integrations.testKeys'),
          cell: ({ _id }) => keysOf.get(_id)?.TEST ?? 0,
          isNumber: true,
        },
        {
          heading: say('integrations.liveKeys'),
          cell: ({ _id }) => keysOf.get(_id)?.LIVE ?? 0,
          isNumber: true,
        },
        { heading: say('common.since'), cell: ({ createdAt }) => day(createdAt) },
      ],
      rows: items,
      empty: emptyState(say('integrations.empty.title'), say('integrations.empty.text'), create),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newIntegrationPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: say('integrations.newIntegration.title'),
      crumbs: crumbs(),
      lead: say('integrations.newIntegration.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/integrations/new', submit: say('integrations.newIntegration.submit'), filled },
      field({
        name: 'name',
        label: say('common.name'),
        filled,
        isRequired: true,
        autofocus: true,
        maxLength: 100,
        autocomplete: 'off',
        placeholder: say('integrations.name.placeholder'),
        hint: say('integrations.name.hint'),
      }),
      checkbox({
        name: 'withKey',
        filled,
        label: say('integrations.withKey'),
      }),
    )}</div>`,
  );
}

export function integrationPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { integration, keys, isFunded, balances, waiting }: IntegrationDetails,
): Page {
  const { viewer } = ctx.state;
  const { currency } = viewer.partner;
  const { _id: integrationId, name } = integration;
  const newKey = hasPermission(viewer, permissionOf(mode))
    ? linkButton(
        `${baseOf(mode)}/new?integration=${integrationId}`,
        say('integrations.generateAKey', { mode }),
      )
    : nothing;
  const addFunding = hasPermission(viewer, 'integration.test-funding')
    ? linkButton(
        `/integrations/${integrationId}/test-funding`,
        say('integrations.addTestFunding'),
        'secondary',
      )
    : nothing;
  const funding = [
    [say('common.free'), money(balances.fundingCents, currency)],
    [say('integrations.reservedForRewards'), money(balances.reservedCents, currency)],
    [say('integrations.claimed'), money(balances.owedCents, currency)],
    ...waitingFacts(waiting, currency),
  ] as const;
  return page(
    { title: name, crumbs: crumbs(), actions: keys.length === 0 ? nothing : newKey },
    detailsSection(integration, hasPermission(viewer, 'integration.update')),
    section(say('integrations.section.apiKeys'), keyTable(keys, noKeys(mode, newKey))),
    mode === 'LIVE' ? nothing : testFundingSection(isFunded ? funding : null, addFunding),
  );
}

function detailsSection({ _id, createdAt, delivery }: IntegrationDoc, mayUpdate: boolean): Html {
  return html`<section class="card">${facts([
    [say('integrations.integrationId'), code(_id, { canCopy: true })],
    [say('common.since'), day(createdAt)],
    [
      say('integrations.claimLinks'),
      html`${say(deliveryWords[delivery])}${mayUpdate ? html` · <a href="/integrations/${_id}/delivery">${say('integrations.change')}</a>` : nothing}`,
    ],
    [
      say('integrations.itsRequests'),
      html`<a href="/events">${say('integrations.integration.link')}</a>`,
    ],
  ])}</section>`;
}

const noKeys = (mode: Mode, newKey: Html): Html =>
  emptyState(
    say('integrations.integration.empty.title', { mode }),
    mode === 'TEST'
      ? say('integrations.integration.empty.text')
      : say('integrations.integration.empty.text.liveKey'),
    newKey,
  );

/** @param funding null if none was ever added */
const testFundingSection = (
  funding: readonly (readonly [string, Part])[] | null,
  addFunding: Html,
): Html =>
  section(
    say('integrations.section.testFunding'),
    funding
      ? html`${facts(funding)}<div class="after">${addFunding}</div>`
      : emptyState(
          say('integrations.integration.empty.title.everyTest'),
          say('integrations.integration.empty.text.addTest'),
          addFunding,
        ),
  );

/** The form that sets who sends the claim links of an integration. */
export function deliveryPage(
  ctx: PageContext<'partner'>,
  { _id, name, delivery, alsoText }: IntegrationDoc,
  filled: Filled,
): Page {
  const path = `/integrations/${_id}`;
  return page(
    { title: say('integrations.delivery.title'), crumbs: [...crumbs(), [name, path]] },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/delivery`, submit: say('common.button.save'), filled },
      select({
        name: 'delivery',
        label: say('integrations.delivery'),
        filled,
        chosen: delivery,
        choices: deliveries.map((value) => ({ value, text: say(deliveryWords[value]) })),
        hint: say('integrations.delivery.hint', { code: tags.code }),
      }),
      checkbox({
        name: 'alsoText',
        label: say('integrations.alsoText'),
        filled: filled === emptyForm ? filledWith({ alsoText: alsoText ? 'on' : '' }) : filled,
      }),
    )}</div>`,
  );
}

const deliveryWords: Readonly<Record<Delivery, PlainKey>> = {
  SERVICE: 'integrations.delivery.service',
  PARTNER: 'integrations.delivery.partner',
};

/** The rewards that are waiting for funds and the missing amount; nothing if there are none. */
function waitingFacts(
  { awaitingRewards, awaitingCents }: { awaitingRewards: number; awaitingCents: number },
  currency: string,
): readonly (readonly [string, Part])[] {
  if (awaitingRewards === 0) return [];
  return [
    [
      say('integrations.waitingFacts.text'),
      say('integrations.for', {
        awaitingRewards: number(awaitingRewards),
        awaiting: money(awaitingCents, currency),
      }),
    ],
  ];
}
