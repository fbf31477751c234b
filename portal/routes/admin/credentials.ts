import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { type Mode, modes } from '../../../domain/events.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import { createIntegration } from '../../../models/commands/create-integration.ts';
import { findCredential, findIntegration, findPartner } from '../../../models/commands/find.ts';
import { revokeCredential } from '../../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../../models/commands/revoke-secret.ts';
import type { Scope, SecretDoc } from '../../../models/schemas/credential.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { nameField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import { badge, code, emptyState, facts, section, table } from '../../html/components.ts';
import { confirm, field, form, hidden, select } from '../../html/form.ts';
import { time } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, crumbsOfPartner, to } from '../../html/links.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { revealDone } from '../../reveal.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

/** More integrations than a partner has. */
const maxIntegrations = 100;
/** What a key may do, as it is chosen. */
const scopeSets: Record<string, readonly Scope[]> = {
  both: ['events:write', 'events:read'],
  write: ['events:write'],
  read: ['events:read'],
};

const integrationSchema = Joi.object<{ name: string }>({ name: nameField.required() });
const secretSchema = Joi.object<{ secretId: string }>({
  secretId: Joi.string().max(64).required(),
});
const createSchema = Joi.object<{ integrationId: string; mode: Mode; scopes: string }>({
  integrationId: Joi.string().max(64).required(),
  mode: Joi.string()
    .valid(...modes)
    .required(),
  scopes: Joi.string()
    .valid(...Object.keys(scopeSets))
    .required(),
});

/** A partner's integrations and keys, as operators make and end them. */
export function adminCredentialPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, config } = deps;
  const ofPartner = { params: { partnerId: 'partner' }, audience: 'operator' } as const;

  const integrating = {
    ...ofPartner,
    path: '/admin/partners/:partnerId/integrations/new',
    permission: 'integration.create',
  } as const;

  async function showIntegrate(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    view(
      ctx,
      { title: 'New integration', crumbs: crumbsOfPartner(partner) },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Make the integration', filled },
        field({
          ...{ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 },
          hint: 'One of the partner’s systems that sends events, such as its web shop.',
        }),
      )}</div>`,
    );
  }

  routes.page(integrating, (ctx) => showIntegrate(ctx));
  routes.action(integrating, {
    schema: integrationSchema,
    async act(ctx, { name }) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      await deed(
        deps,
        ctx,
        { action: 'integration.create', partnerId, targetId: null, details: { name } },
        () => createIntegration(deps, { partnerId, name }),
        ({ _id: targetId }) => ({ targetId }),
      );
      redirect(ctx, adminPaths.PARTNER + partnerId, 'The integration is made.');
    },
    retry: showIntegrate,
  });

  const creating = {
    ...ofPartner,
    path: '/admin/partners/:partnerId/credentials/new',
    permission: 'credential.create',
    secondFactor: true,
  } as const;

  async function showCreate(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const integrations = await models.integrations
      .find({ partnerId: partner._id })
      .sort({ _id: 1 })
      .limit(maxIntegrations)
      .lean();
    view(
      ctx,
      {
        title: 'New key',
        crumbs: crumbsOfPartner(partner),
        lead: 'Its secret is shown once. Partners make their own keys in their portal.',
      },
      integrations.length === 0
        ? emptyState('No integration yet', 'A key belongs to one. Make it first.')
        : html`<div class="card narrow">${form(
            ctx,
            { action: ctx.path, submit: 'Make the key', filled },
            select({
              ...{ name: 'integrationId', label: 'Integration', filled },
              choices: integrations.map(({ _id, name }) => ({ value: _id, text: name })),
            }),
            select({
              ...{ name: 'mode', label: 'Mode', filled },
              choices: [
                { value: 'TEST', text: 'TEST' },
                { value: 'LIVE', text: 'LIVE' },
              ],
              hint: needsTwo(config.fourEyes, { action: 'credential.create', mode: 'LIVE' })
                ? 'A LIVE key needs a live partner and a second operator.'
                : 'A LIVE key needs a live partner.',
            }),
            select({
              ...{ name: 'scopes', label: 'May', filled },
              choices: [
                { value: 'both', text: 'send events and read' },
                { value: 'write', text: 'send events' },
                { value: 'read', text: 'read' },
              ],
            }),
          )}</div>`,
    );
  }

  routes.page(creating, (ctx) => showCreate(ctx));
  routes.action(creating, {
    schema: createSchema,
    async act(ctx, { scopes, ...fields }) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      const asked = { partnerId, ...fields, scopes: [...(scopeSets[scopes] ?? [])] };
      await undertake(fourEyes, ctx, 'credential.create', asked, (made) =>
        revealDone(deps, ctx, { action: 'credential.create', asked, outcome: made }),
      );
    },
    retry: showCreate,
  });

  const ofKey = {
    path: '/admin/credentials/:credentialId',
    params: { credentialId: 'credential' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofKey, permission: 'read' }, async (ctx) => {
    const key = await findCredential(models, param(ctx, 'credentialId'));
    const [partner, integration] = await Promise.all([
      findPartner(models, key.partnerId),
      findIntegration(models, key.integrationId),
    ]);
    const { viewer } = ctx.state;
    const path = adminPaths.CREDENTIAL + key._id;
    const isActive = key.revokedAt === null;
    view(
      ctx,
      {
        title: 'Key',
        crumbs: crumbsOfPartner(partner),
        lead: code(key.apiKey, { canCopy: true }),
        mode: key.mode,
      },
      section(
        'Key',
        facts([
          ['State', badge(isActive ? 'ACTIVE' : 'REVOKED')],
          ['Mode', badge(key.mode)],
          ['Integration', to('INTEGRATION', integration._id, integration.name)],
          ['May', key.scopes.join(', ')],
          ['Made', time(key.createdAt)],
          ['Revoked', time(key.revokedAt)],
          ['Id', code(key._id, { canCopy: true })],
        ]),
      ),
      section(
        'Signing secrets',
        html`<p class="muted">At most two are active, so that a partner changes over without an outage. Nobody can look at one again.</p>`,
        table({
          caption: 'Signing secrets',
          columns: [
            { heading: 'Secret', cell: ({ secretId }: SecretDoc) => code(secretId) },
            { heading: 'Made', cell: ({ createdAt }) => time(createdAt) },
            { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
            {
              heading: 'State',
              cell: ({ revokedAt }) => badge(revokedAt || !isActive ? 'REVOKED' : 'ACTIVE'),
            },
            {
              heading: '',
              cell: ({ secretId, revokedAt }) =>
                isActive && !revokedAt && hasPermission(viewer, 'credential.revoke-secret')
                  ? form(
                      ctx,
                      {
                        ...{ action: `${path}/secrets/revoke`, submit: 'Revoke' },
                        ...{ isInline: true, isDangerous: true },
                      },
                      hidden('secretId', secretId),
                    )
                  : nothing,
            },
          ],
          rows: key.secrets,
          empty: nothing,
        }),
      ),
      isActive && hasPermission(viewer, 'credential.rotate')
        ? section(
            'One more secret',
            needsTwo(config.fourEyes, { action: 'credential.rotate', mode: key.mode })
              ? twoNotice
              : nothing,
            form(ctx, { action: `${path}/secrets`, submit: 'Make one more secret' }),
          )
        : nothing,
      isActive && hasPermission(viewer, 'credential.revoke')
        ? section(
            'Revoke',
            confirm(ctx, {
              ...{ ask: 'Revoke the key …', action: `${path}/revoke`, submit: 'Revoke the key' },
              question:
                'Within seconds it stops working everywhere, with all its secrets. It cannot be taken back.',
            }),
          )
        : nothing,
    );
  });

  routes.action(
    {
      ...ofKey,
      path: `${ofKey.path}/secrets`,
      permission: 'credential.rotate',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const key = await findCredential(models, param(ctx, 'credentialId'));
        const asked = { partnerId: key.partnerId, credentialId: key._id, mode: key.mode };
        await undertake(fourEyes, ctx, 'credential.rotate', asked, (made) =>
          revealDone(deps, ctx, { action: 'credential.rotate', asked, outcome: made }),
        );
      },
    },
  );

  routes.action(
    {
      ...ofKey,
      path: `${ofKey.path}/secrets/revoke`,
      permission: 'credential.revoke-secret',
      secondFactor: true,
    },
    {
      schema: secretSchema,
      async act(ctx, { secretId }) {
        const { _id, partnerId } = await findCredential(models, param(ctx, 'credentialId'));
        await deed(
          deps,
          ctx,
          { action: 'credential.revoke-secret', targetId: _id, partnerId, details: { secretId } },
          () => revokeSecret(deps, _id, secretId),
        );
        redirect(ctx, adminPaths.CREDENTIAL + _id, 'The secret is revoked.');
      },
    },
  );

  routes.action(
    { ...ofKey, path: `${ofKey.path}/revoke`, permission: 'credential.revoke', secondFactor: true },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id, partnerId } = await findCredential(models, param(ctx, 'credentialId'));
        await deed(deps, ctx, { action: 'credential.revoke', targetId: _id, partnerId }, () =>
          revokeCredential(deps, _id),
        );
        redirect(ctx, adminPaths.CREDENTIAL + _id, 'The key is revoked.');
      },
    },
  );
}
