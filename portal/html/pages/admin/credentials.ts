import type { Permission } from '../../../../domain/operator-roles.ts';
import type { SecretDoc } from '../../../../models/schemas/credential.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { AnyKey } from '../../../../models/views/keys.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { say } from '../../../words/say.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, code, emptyState, facts, section, table } from '../../components.ts';
import { type Choice, confirm, field, form, hidden, select } from '../../form.ts';
import { time } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { crumbsOfPartner, operatorPaths, to } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function newIntegrationOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: say('admin.credentials.newIntegrationOfPartner.title'),
      crumbs: crumbsOfPartner(partner),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('admin.credentials.newIntegrationOfPartner.submit'), filled },
      field({
        name: 'name',
        label: say('common.name'),
        filled,
        isRequired: true,
        maxLength: 100,
        hint: say('admin.credentials.name.hint'),
      }),
    )}</div>`,
  );
}

/** @param needsApproval whether a LIVE key needs a second operator */
export function newKeyOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  integrations: readonly Choice[],
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: say('admin.credentials.newKeyOfPartner.title'),
      crumbs: crumbsOfPartner(partner),
      lead: say('admin.credentials.newKeyOfPartner.lead'),
    },
    integrations.length === 0
      ? emptyState(
          say('admin.credentials.newKeyOfPartner.empty.title'),
          say('admin.credentials.newKeyOfPartner.empty.text'),
        )
      : html`<div class="card narrow">${form(
          ctx,
          { action: ctx.path, submit: say('admin.credentials.newKeyOfPartner.submit'), filled },
          select({
            name: 'integrationId',
            label: say('common.integration'),
            filled,
            choices: integrations,
          }),
          select({
            name: 'mode',
            label: say('common.mode'),
            filled,
            choices: [
              { value: 'TEST', text: 'TEST' },
              { value: 'LIVE', text: 'LIVE' },
            ],
            hint: needsApproval
              ? say('admin.credentials.mode.hint')
              : say('admin.credentials.newKeyOfPartner.mode.hint'),
          }),
          select({
            name: 'scopes',
            label: say('admin.credentials.scopes'),
            filled,
            choices: [
              { value: 'both', text: say('admin.credentials.choice.both') },
              { value: 'write', text: say('admin.credentials.choice.write') },
              { value: 'read', text: say('admin.credentials.choice.read') },
            ],
          }),
        )}</div>`,
  );
}

/** @param needsApproval whether another secret needs a second operator */
export function anyKeyPage(
  ctx: PageContext<'operator'>,
  { key, partner, integration }: AnyKey,
  needsApproval: boolean,
): Page {
  const path = operatorPaths.CREDENTIAL + key._id;
  const isActive = key.revokedAt === null;
  const may = (permission: Permission) => isActive && hasPermission(ctx.state.viewer, permission);
  return page(
    {
      title: say('admin.credentials.anyKey.title'),
      crumbs: crumbsOfPartner(partner),
      lead: code(key.apiKey, { canCopy: true }),
      mode: key.mode,
    },
    keySection(key, integration),
    secretsSection(
      key,
      may('credential.revoke-secret') ? (secretId) => revokeSecretForm(ctx, path, secretId) : null,
    ),
    may('credential.rotate') ? addSecretSection(ctx, path, needsApproval) : nothing,
    may('credential.revoke') ? revokeSection(ctx, path) : nothing,
  );
}

function keySection(key: AnyKey['key'], integration: AnyKey['integration']): Html {
  return section(
    say('admin.credentials.section.key'),
    facts([
      [say('common.state'), badge(key.revokedAt === null ? 'ACTIVE' : 'REVOKED')],
      [say('common.mode'), badge(key.mode)],
      [say('common.integration'), to('INTEGRATION', integration._id, integration.name)],
      [say('admin.credentials.may'), key.scopes.join(', ')],
      [say('common.created'), time(key.createdAt)],
      [say('admin.credentials.revoked'), time(key.revokedAt)],
      [say('common.id'), code(key._id, { canCopy: true })],
    ]),
  );
}

/** @param revokeForm of an active secret; null if the viewer cannot revoke any */
function secretsSection(key: AnyKey['key'], revokeForm: ((secretId: string) => Html) | null): Html {
  return section(
    say('admin.credentials.section.signingSecrets'),
    html`<p class="muted">${say('admin.credentials.anyKey.text')}</p>`,
    table({
      caption: say('admin.credentials.anyKey.caption'),
      columns: [
        {
          heading: say('admin.credentials.secret'),
          cell: ({ secretId }: SecretDoc) => code(secretId),
        },
        { heading: say('common.created'), cell: ({ createdAt }) => time(createdAt) },
        {
          heading: say('common.lastUsed'),
          cell: ({ lastUsedAt }) => time(lastUsedAt, say('admin.credentials.never')),
        },
        {
          heading: say('common.state'),
          cell: ({ revokedAt }) => badge(revokedAt || key.revokedAt ? 'REVOKED' : 'ACTIVE'),
        },
        {
          heading: '',
          cell: ({ secretId, revokedAt }) =>
            revokeForm && !revokedAt ? revokeForm(secretId) : nothing,
        },
      ],
      rows: key.secrets,
      empty: nothing,
    }),
  );
}

const revokeSecretForm = (ctx: PageContext<'operator'>, path: string, secretId: string): Html =>
  form(
    ctx,
    {
      action: `${path}/secrets/revoke`,
      submit: say('admin.credentials.anyKey.submit'),
      isInline: true,
      isDangerous: true,
    },
    hidden('secretId', secretId),
  );

function addSecretSection(
  ctx: PageContext<'operator'>,
  path: string,
  needsApproval: boolean,
): Html {
  return section(
    say('admin.credentials.section.addASecret'),
    needsApproval ? approvalNotice() : nothing,
    form(ctx, {
      action: `${path}/secrets`,
      submit: say('admin.credentials.anyKey.submit.createAnother'),
    }),
  );
}

function revokeSection(ctx: PageContext<'operator'>, path: string): Html {
  return section(
    say('admin.credentials.section.revoke'),
    confirm(ctx, {
      ask: say('admin.credentials.anyKey.ask'),
      action: `${path}/revoke`,
      submit: say('admin.credentials.anyKey.submit.revokeKey'),
      question: say('admin.credentials.anyKey.question'),
    }),
  );
}
