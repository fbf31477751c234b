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
import { html, nothing } from '../../html.ts';
import { operatorPaths, crumbsOfPartner, to } from '../../links.ts';
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
        ...{ name: 'name', label: say('common.name'), filled, isRequired: true, maxLength: 100 },
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
            ...{ name: 'integrationId', label: say('common.integration'), filled },
            choices: integrations,
          }),
          select({
            ...{ name: 'mode', label: say('common.mode'), filled },
            choices: [
              { value: 'TEST', text: 'TEST' },
              { value: 'LIVE', text: 'LIVE' },
            ],
            hint: needsApproval
              ? say('admin.credentials.mode.hint')
              : say('admin.credentials.newKeyOfPartner.mode.hint'),
          }),
          select({
            ...{ name: 'scopes', label: say('admin.credentials.scopes'), filled },
            choices: [
              { value: 'both', text: say('admin.credentials.choice.both') },
              { value: 'write', text: say('admin.credentials.choice.write') },
              { value: say('admin.credentials.read'), text: say('admin.credentials.choice.read') },
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
  const { viewer } = ctx.state;
  const path = operatorPaths.CREDENTIAL + key._id;
  const isActive = key.revokedAt === null;
  return page(
    {
      title: say('admin.credentials.anyKey.title'),
      crumbs: crumbsOfPartner(partner),
      lead: code(key.apiKey, { canCopy: true }),
      mode: key.mode,
    },
    section(
      say('admin.credentials.section.key'),
      facts([
        [say('common.state'), badge(isActive ? 'ACTIVE' : 'REVOKED')],
        [say('common.mode'), badge(key.mode)],
        [say('common.integration'), to('INTEGRATION', integration._id, integration.name)],
        [say('admin.credentials.may'), key.scopes.join(', ')],
        [say('common.created'), time(key.createdAt)],
        [say('admin.credentials.revoked'), time(key.revokedAt)],
        [say('common.id'), code(key._id, { canCopy: true })],
      ]),
    ),
    section(
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
            cell: ({ revokedAt }) => badge(revokedAt || !isActive ? 'REVOKED' : 'ACTIVE'),
          },
          {
            heading: '',
            cell: ({ secretId, revokedAt }) =>
              isActive && !revokedAt && hasPermission(viewer, 'credential.revoke-secret')
                ? form(
                    ctx,
                    {
                      ...{
                        action: `${path}/secrets/revoke`,
                        submit: say('admin.credentials.anyKey.submit'),
                      },
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
          say('admin.credentials.section.addASecret'),
          needsApproval ? approvalNotice() : nothing,
          form(ctx, {
            action: `${path}/secrets`,
            submit: say('admin.credentials.anyKey.submit.createAnother'),
          }),
        )
      : nothing,
    isActive && hasPermission(viewer, 'credential.revoke')
      ? section(
          say('admin.credentials.section.revoke'),
          confirm(ctx, {
            ...{
              ask: say('admin.credentials.anyKey.ask'),
              action: `${path}/revoke`,
              submit: say('admin.credentials.anyKey.submit.revokeKey'),
            },
            question: say('admin.credentials.anyKey.question'),
          }),
        )
      : nothing,
  );
}
