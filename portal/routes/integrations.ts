import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { createIntegration } from '../../models/commands/create-integration.ts';
import { isFundedFrom, waitingIn, walletBalances } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { IntegrationDoc } from '../../models/schemas/integration.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { nameField } from '../fields.ts';
import { emptyForm, type Filled } from '../forms.ts';
import { code, emptyState, facts, linkButton, section, table } from '../html/components.ts';
import { field, form } from '../html/form.ts';
import { day, money, number } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { keyTable } from '../html/key-table.ts';
import { pager } from '../html/pager.ts';
import { view } from '../html/view.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

const crumbs = [['Integrations', '/integrations']] as const;
/** The newest keys of an integration; all of them are listed with the keys. */
const maxKeys = 25;

/** @throws ServiceError NOT_FOUND, for another partner's too */
export async function findOwnIntegration(
  models: Models,
  partnerId: string,
  _id: string,
): Promise<IntegrationDoc> {
  const integration = await models.integrations.findOne({ partnerId, _id }).lean();
  if (integration) return integration;
  throw new ServiceError('NOT_FOUND', 'There is no such integration.');
}

/** The systems of a partner that send events. */
export function integrationPages(routes: Routes, deps: PortalDeps): void {
  const { models, ledger } = deps;

  routes.page({ path: '/integrations', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const { items, nextCursor } = await page(
      models.integrations,
      [{ partnerId }],
      queryOf(ctx, pageSchema),
      (integration) => integration,
    );
    const keys = await models.credentials.aggregate<{ _id: string; TEST: number; LIVE: number }>([
      {
        $match: { partnerId, integrationId: { $in: items.map(({ _id }) => _id) }, revokedAt: null },
      },
      {
        $group: {
          _id: '$integrationId',
          TEST: { $sum: { $cond: [{ $eq: ['$mode', 'TEST'] }, 1, 0] } },
          LIVE: { $sum: { $cond: [{ $eq: ['$mode', 'LIVE'] }, 1, 0] } },
        },
      },
    ]);
    const keysOf = new Map(keys.map((one) => [one._id, one]));
    const create = hasPermission(viewer, 'integration.create')
      ? linkButton('/integrations/new', 'New integration')
      : nothing;
    view(
      ctx,
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
          'It takes a name and nothing else. Then generate a TEST key for it, and send the first event.',
          create,
        ),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  async function showNew(ctx: PageContext<'partner'>, filled: Filled = emptyForm) {
    view(
      ctx,
      { title: 'New integration', crumbs },
      html`<div class="card narrow">${form(
        ctx,
        { action: '/integrations/new', submit: 'Create the integration', filled },
        field({
          ...{ name: 'name', label: 'Name', filled, isRequired: true, autofocus: true },
          ...{ maxLength: 100, autocomplete: 'off', placeholder: 'Web shop' },
          hint: 'For you and your team. Order ids are unique within an integration.',
        }),
      )}</div>`,
    );
  }

  const creating = {
    path: '/integrations/new',
    audience: 'partner',
    permission: 'integration.create',
  } as const;
  routes.page(creating, (ctx) => showNew(ctx));
  routes.action(creating, {
    schema: Joi.object<{ name: string }>({ name: nameField.required() }),
    async act(ctx, { name }) {
      const partnerId = ctx.state.viewer.partner._id;
      const { _id } = await deed(
        deps,
        ctx,
        { action: 'integration.create', partnerId, targetId: null, details: { name } },
        () => createIntegration(deps, { partnerId, name }),
        ({ _id: targetId }) => ({ targetId }),
      );
      redirect(ctx, `/integrations/${_id}`, `${name} is made. Generate a TEST key for it next.`);
    },
    retry: showNew,
  });

  routes.page(
    {
      path: '/integrations/:integrationId',
      params: { integrationId: 'integration' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const { viewer } = ctx.state;
      const { _id: partnerId, currency } = viewer.partner;
      const integration = await findOwnIntegration(models, partnerId, param(ctx, 'integrationId'));
      const { _id: integrationId } = integration;
      const wallet = { mode: 'TEST', partnerId, integrationId } as const;
      const [keys, isFunded, balances, waiting] = await Promise.all([
        models.credentials
          .find({ partnerId, integrationId })
          .sort({ _id: -1 })
          .limit(maxKeys)
          .lean(),
        isFundedFrom(ledger, wallet),
        walletBalances(ledger, wallet),
        waitingIn(models, wallet),
      ]);
      const newKey = hasPermission(viewer, 'credential.test')
        ? linkButton(`/keys/test/new?integration=${integrationId}`, 'Generate a TEST key')
        : nothing;
      const fund = hasPermission(viewer, 'integration.test-funding')
        ? linkButton(`/integrations/${integrationId}/test-funding`, 'Add test funding', 'secondary')
        : nothing;
      view(
        ctx,
        { title: integration.name, crumbs, actions: keys.length === 0 ? nothing : newKey },
        html`<section class="card">${facts([
          ['Integration id', code(integrationId, { canCopy: true })],
          ['Since', day(integration.createdAt)],
          ['Its requests', html`<a href="/events">In the events log</a>`],
        ])}</section>`,
        section(
          'API keys',
          keyTable(
            keys,
            emptyState(
              'No key yet',
              'A TEST key signs requests that change no balance. Its secret is shown once.',
              newKey,
            ),
          ),
        ),
        section(
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
                'Add test funding, which is nobody’s money, to see what happens when funds run short: rewards that find none wait until there is some.',
                fund,
              ),
        ),
      );
    },
  );
}

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
