import type { SecretDoc } from '../../../../models/schemas/credential.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { AnyKey } from '../../../../models/views/keys.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, code, emptyState, facts, section, table } from '../../components.ts';
import { type Choice, confirm, field, form, hidden, select } from '../../form.ts';
import { time } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { adminPaths, crumbsOfPartner, to } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function newIntegrationOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  return page(
    { title: 'New integration', crumbs: crumbsOfPartner(partner) },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Create integration', filled },
      field({
        ...{ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 },
        hint: 'One of the partner’s systems that sends events, such as its web shop.',
      }),
    )}</div>`,
  );
}

/** @param needsApproval whether a LIVE key takes a second operator */
export function newKeyOfPartnerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  integrations: readonly Choice[],
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: 'New key',
      crumbs: crumbsOfPartner(partner),
      lead: 'Its secret is shown once. Partners create their own keys in their portal.',
    },
    integrations.length === 0
      ? emptyState('No integration yet', 'A key belongs to an integration. Create one first.')
      : html`<div class="card narrow">${form(
          ctx,
          { action: ctx.path, submit: 'Create key', filled },
          select({
            ...{ name: 'integrationId', label: 'Integration', filled },
            choices: integrations,
          }),
          select({
            ...{ name: 'mode', label: 'Mode', filled },
            choices: [
              { value: 'TEST', text: 'TEST' },
              { value: 'LIVE', text: 'LIVE' },
            ],
            hint: needsApproval
              ? 'A LIVE key needs a live partner and a second operator.'
              : 'A LIVE key needs a live partner.',
          }),
          select({
            ...{ name: 'scopes', label: 'Allowed to', filled },
            choices: [
              { value: 'both', text: 'send events and read' },
              { value: 'write', text: 'send events' },
              { value: 'read', text: 'read' },
            ],
          }),
        )}</div>`,
  );
}

/** @param needsApproval whether one more secret takes a second operator */
export function anyKeyPage(
  ctx: PageContext<'operator'>,
  { key, partner, integration }: AnyKey,
  needsApproval: boolean,
): Page {
  const { viewer } = ctx.state;
  const path = adminPaths.CREDENTIAL + key._id;
  const isActive = key.revokedAt === null;
  return page(
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
        ['Created', time(key.createdAt)],
        ['Revoked', time(key.revokedAt)],
        ['Id', code(key._id, { canCopy: true })],
      ]),
    ),
    section(
      'Signing secrets',
      html`<p class="muted">At most two can be active, so a partner can switch without an outage. Nobody can view a secret again.</p>`,
      table({
        caption: 'Signing secrets',
        columns: [
          { heading: 'Secret', cell: ({ secretId }: SecretDoc) => code(secretId) },
          { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
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
          'Add a secret',
          needsApproval ? approvalNotice : nothing,
          form(ctx, { action: `${path}/secrets`, submit: 'Create another secret' }),
        )
      : nothing,
    isActive && hasPermission(viewer, 'credential.revoke')
      ? section(
          'Revoke',
          confirm(ctx, {
            ...{ ask: 'Revoke the key …', action: `${path}/revoke`, submit: 'Revoke the key' },
            question:
              'Within seconds it stops working everywhere, with all its secrets. This cannot be undone.',
          }),
        )
      : nothing,
  );
}
