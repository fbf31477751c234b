import type { Delivery } from '../../../domain/delivery.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { IntegrationDoc } from '../../../models/schemas/integration.ts';
import type { IntegrationDetails, Integrations } from '../../../models/views/integrations.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { baseOf, permissionOf } from '../../routing/key-modes.ts';
import { code, emptyState, facts, linkButton, section, table } from '../components.ts';
import { checkbox, field, form, select } from '../form.ts';
import { day, money, number } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { keyTable } from '../key-table.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

const crumbs = [['Integrations', '/integrations']] as const;

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
    html`<section class="card">${table({
      caption: 'Integrations',
      columns: [
        {
          heading: 'Name',
          cell: ({ _id, name }) => html`<a class="clip" href="/integrations/${_id}">${name}</a>`,
        },
        { heading: 'Id', cell: ({ _id }) => code(_id, { canCopy: true }) },
        { heading: 'TEST keys', cell: ({ _id }) => keysOf.get(_id)?.TEST ?? 0, isNumber: true },
        { heading: 'LIVE keys', cell: ({ _id }) => keysOf.get(_id)?.LIVE ?? 0, isNumber: true },
        { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
      ],
      rows: items,
      empty: emptyState(
        'No integration yet',
        'It takes a name, and gets its first TEST key. Then send the first event.',
        create,
      ),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newIntegrationPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      ...{ title: 'New integration', crumbs },
      lead: 'One of your systems that sends events, such as your web shop.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/integrations/new', submit: 'Create the integration', filled },
      field({
        ...{ name: 'name', label: 'Name', filled, isRequired: true, autofocus: true },
        ...{ maxLength: 100, autocomplete: 'off', placeholder: 'Web shop' },
        hint: 'For you and your team. Order ids are unique within an integration.',
      }),
      checkbox({
        ...{ name: 'withKey', filled },
        label: 'Generate its first TEST key. The next page shows the secret, once.',
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
  const { _id: integrationId } = integration;
  const newKey = hasPermission(viewer, permissionOf(mode))
    ? linkButton(`${baseOf(mode)}/new?integration=${integrationId}`, `Generate a ${mode} key`)
    : nothing;
  const fund = hasPermission(viewer, 'integration.test-funding')
    ? linkButton(`/integrations/${integrationId}/test-funding`, 'Add test funding', 'secondary')
    : nothing;
  return page(
    { title: integration.name, crumbs, actions: keys.length === 0 ? nothing : newKey },
    html`<section class="card">${facts([
      ['Integration id', code(integrationId, { canCopy: true })],
      ['Since', day(integration.createdAt)],
      [
        'Claim links',
        html`${deliveryWords[integration.delivery]}${hasPermission(viewer, 'integration.update') ? html` · <a href="/integrations/${integrationId}/delivery">Change</a>` : nothing}`,
      ],
      ['Its requests', html`<a href="/events">In the events log</a>`],
    ])}</section>`,
    section(
      'API keys',
      keyTable(
        keys,
        emptyState(
          `No ${mode} key yet`,
          mode === 'TEST'
            ? 'A TEST key signs requests that change no balance. Its secret is shown once.'
            : 'A LIVE key signs requests that create real rewards. Its secret is shown once.',
          newKey,
        ),
      ),
    ),
    mode === 'LIVE'
      ? nothing
      : section(
          'Test funding',
          isFunded
            ? html`${facts([
                ['Free', money(balances.fundingCents, currency)],
                ['Reserved for rewards', money(balances.reservedCents, currency)],
                ['Claimed', money(balances.owedCents, currency)],
                ...waitingFacts(waiting, currency),
              ])}<div class="after">${fund}</div>`
            : emptyState(
                'Every TEST reward counts as funded',
                'Add test funding, which is not real money, to see what happens when funds run short: rewards without funding wait until there is some.',
                fund,
              ),
        ),
  );
}

/** Who delivers the claim links of an integration, to be chosen. */
export function deliveryPage(
  ctx: PageContext<'partner'>,
  { _id, name, delivery, alsoText }: IntegrationDoc,
  filled: Filled,
): Page {
  const path = `/integrations/${_id}`;
  return page(
    { title: 'Delivery of claim links', crumbs: [...crumbs, [name, path]] },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/delivery`, submit: 'Save', filled },
      select({
        ...{ name: 'delivery', label: 'Who delivers the link', filled, chosen: delivery },
        choices: Object.entries(deliveryWords).map(([value, text]) => ({ value, text })),
        hint: html`If you deliver it, the answer to each purchase has <code>reward.claimUrl</code>. Whoever has that link can claim the points: show it to the customer and to nobody else.`,
      }),
      checkbox({
        name: 'alsoText',
        label: 'Send a text message besides the email, where a purchase gives both',
        filled: filled === emptyForm ? filledWith({ alsoText: alsoText ? 'on' : '' }) : filled,
      }),
    )}</div>`,
  );
}

const deliveryWords: Record<Delivery, string> = {
  SERVICE: 'The service sends it to the customer',
  PARTNER: 'You deliver it yourself',
};

/** How many rewards wait for funds, and for how much; nothing where none does. */
function waitingFacts(
  { awaitingRewards, awaitingCents }: { awaitingRewards: number; awaitingCents: number },
  currency: string,
): readonly (readonly [string, Html])[] {
  if (awaitingRewards === 0) return [];
  return [
    [
      'Rewards that wait for funds',
      html`${number(awaitingRewards)}, for ${money(awaitingCents, currency)}`,
    ],
  ];
}
