import Joi from 'joi';
import type { Mode } from '../../domain/events.ts';
import { createCredential } from '../../models/commands/create-credential.ts';
import type { Scope } from '../../models/schemas/credential.ts';
import type { PageContext } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled, filledWith } from '../forms.ts';
import { emptyState, linkButton } from '../html/components.ts';
import { form, select } from '../html/form.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { baseOf, keyCrumbs as crumbs, keyModes } from '../keys.ts';
import { revealKey } from '../reveal.ts';
import type { Routes } from '../route-table.ts';

/** To choose one from: the newest, and the one that was asked for. */
const maxChoices = 100;

const scopeChoices = {
  both: ['events:write', 'events:read'],
  write: ['events:write'],
  read: ['events:read'],
} as const satisfies Record<string, readonly Scope[]>;
type ScopeChoice = keyof typeof scopeChoices;

const newSchema = Joi.object<{ integrationId: string; scopes: ScopeChoice }>({
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  scopes: Joi.string()
    .valid(...Object.keys(scopeChoices))
    .default('both')
    .messages({ 'any.only': 'Choose what the key may do.' }),
});

/** How a key is made, with its first secret. */
export function newKeyPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  for (const { mode, permission, secondFactor } of Object.values(keyModes)) {
    const creating = {
      ...({ audience: 'partner', permission, secondFactor } as const),
      path: `${baseOf(mode)}/new`,
    };
    const showThisNew = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showNew(ctx, mode, filled);
    routes.page(creating, (ctx) => showThisNew(ctx));
    routes.action(creating, {
      schema: newSchema,
      async act(ctx, { integrationId, scopes }) {
        const partnerId = ctx.state.viewer.partner._id;
        const fields = { partnerId, integrationId, mode, scopes: [...scopeChoices[scopes]] };
        const { partnerId: _, ...details } = fields;
        const made = await deed(
          deps,
          ctx,
          { action: 'credential.create', partnerId, targetId: null, details },
          () => createCredential(deps, fields),
          ({ credential, secretId }) => ({ targetId: credential._id, details: { secretId } }),
        );
        await revealKey(deps, ctx, `Your new ${mode} key`, made);
      },
      retry: showThisNew,
    });
  }

  async function showNew(ctx: PageContext<'partner'>, mode: Mode, given?: Filled) {
    const { partner } = ctx.state.viewer;
    const title = `Generate a ${mode} key`;
    if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
      return view(
        ctx,
        { title, crumbs },
        emptyState(
          'LIVE keys come with go-live',
          'They make real rewards, which you pay for: so they can be generated once your go-live is approved, and not before.',
          linkButton('/go-live', 'See what is missing'),
        ),
      );
    }
    const { integration: asked } = ctx.query;
    const newest = await models.integrations
      .find({ partnerId: partner._id }, { name: 1 })
      .sort({ _id: -1 })
      .limit(maxChoices)
      .lean();
    const older =
      typeof asked !== 'string' || newest.some(({ _id }) => _id === asked)
        ? null
        : await models.integrations
            .findOne({ partnerId: partner._id, _id: asked }, { name: 1 })
            .lean();
    const integrations = older ? [older, ...newest] : newest;
    if (integrations.length === 0) {
      return view(
        ctx,
        { title, crumbs, mode },
        emptyState(
          'A key belongs to an integration',
          'Make one first: it takes a name and nothing else.',
          linkButton('/integrations/new', 'New integration'),
        ),
      );
    }
    const filled =
      given ?? (typeof asked === 'string' ? filledWith({ integrationId: asked }) : emptyForm);
    view(
      ctx,
      {
        ...{ title, crumbs, mode },
        lead: 'The next page shows the secret, once. Have your secret store open.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: `${baseOf(mode)}/new`, submit: `Generate the ${mode} key`, filled },
        select({
          ...{ name: 'integrationId', label: 'Integration', filled },
          choices: integrations.map(({ _id, name }) => ({ value: _id, text: name })),
        }),
        select({
          ...{ name: 'scopes', label: 'The key may', filled, chosen: 'both' },
          hint: 'Events are purchases and refunds. Plans, usage and billing are read.',
          choices: [
            { value: 'both', text: 'Send events and read' },
            { value: 'write', text: 'Send events' },
            { value: 'read', text: 'Read' },
          ],
        }),
      )}</div>`,
    );
  }
}
