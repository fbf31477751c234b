import { maxActiveSecrets } from '../../domain/credentials.ts';
import { page, pageSchema } from '../../http/paging.ts';
import type { PortalDeps } from '../deps.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../html/components.ts';
import { time } from '../html/format.ts';
import { html, nothing } from '../html/html.ts';
import { keyTable } from '../html/key-table.ts';
import { pager } from '../html/pager.ts';
import { view } from '../html/view.ts';
import { integrationNames } from '../integration-names.ts';
import {
  baseOf,
  keyCrumbs as crumbs,
  environment,
  findKey,
  permissionOf,
  wayOnWithKey,
} from '../keys.ts';
import { lastUseOf } from '../last-use.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

/** API keys and their signing secrets. TEST and LIVE have paths of their own: others may change them. */
export function keyPages(routes: Routes, { models, config }: PortalDeps): void {
  routes.page({ path: '/keys', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const { items, nextCursor } = await page(
      models.credentials,
      [{ partnerId }],
      queryOf(ctx, pageSchema),
      (key) => key,
    );
    const nameOf = await integrationNames(models, partnerId, items);
    const newTest = hasPermission(viewer, 'credential.test')
      ? linkButton(
          '/keys/test/new',
          'Generate a TEST key',
          items.length === 0 ? 'primary' : 'secondary',
        )
      : nothing;
    const newLive = hasPermission(viewer, 'credential.live')
      ? linkButton(
          '/keys/live/new',
          'Generate a LIVE key',
          viewer.partner.goLive.state === 'LIVE' ? 'primary' : 'secondary',
        )
      : nothing;
    view(
      ctx,
      {
        title: 'API keys',
        lead: 'A key says who sends, and its secret signs. LIVE keys make real rewards.',
        actions: items.length === 0 ? nothing : html`${newTest}${newLive}`,
      },
      html`<section class="card">${keyTable(
        items,
        emptyState(
          'No key yet',
          'Generate a TEST key first. Its secret is shown once, so have your secret store at hand.',
          newTest,
        ),
        nameOf,
      )}${pager(ctx, nextCursor)}</section>`,
      section('With a key in hand', wayOnWithKey(ctx)),
    );
  });

  routes.page(
    {
      path: '/keys/:credentialId',
      params: { credentialId: 'credential' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const { viewer } = ctx.state;
      const key = await findKey(models, ctx);
      const { _id, mode, partnerId, integrationId, apiKey } = key;
      const nameOf = await integrationNames(models, partnerId, [key]);
      const mayChange = hasPermission(viewer, permissionOf(mode)) && key.revokedAt === null;
      const path = `${baseOf(mode)}/${_id}`;
      view(
        ctx,
        {
          ...{ title: `${mode} key`, crumbs, mode },
          actions: mayChange
            ? html`${linkButton(`${path}/rotate`, 'Rotate the secret', 'secondary')}`
            : nothing,
        },
        key.revokedAt
          ? notice(
              'bad',
              html`This key was revoked on ${time(key.revokedAt)}. Requests under it are refused.`,
            )
          : nothing,
        section(
          'Key',
          facts([
            ['API key', code(apiKey, { canCopy: true })],
            [
              'Integration',
              html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`,
            ],
            ['Scopes', key.scopes.map((scope) => html`${code(scope)} `)],
            ['Last used', time(lastUseOf(key.secrets), 'never')],
            ['Made', time(key.createdAt)],
            ['Id', code(_id, { canCopy: true })],
          ]),
        ),
        section(
          'Secrets',
          table({
            caption: 'Secrets',
            columns: [
              { heading: 'Secret', cell: ({ secretId }) => code(secretId) },
              {
                heading: 'State',
                cell: ({ revokedAt }) => badge(revokedAt || key.revokedAt ? 'REVOKED' : 'ACTIVE'),
              },
              { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
              { heading: 'Made', cell: ({ createdAt }) => time(createdAt) },
              {
                heading: '',
                cell: ({ secretId, revokedAt }) =>
                  mayChange && revokedAt === null
                    ? html`<a href="${baseOf(mode)}/secrets/${secretId}/revoke">Revoke …</a>`
                    : nothing,
              },
            ],
            rows: key.secrets.toReversed(),
            empty: nothing,
          }),
          html`<p class="muted after">Up to ${maxActiveSecrets} are active at a time: rotate, change over, then revoke the old one once it is used no longer.</p>`,
        ),
        key.revokedAt
          ? nothing
          : section(
              'Use it',
              codeBlock(
                environment(config.portal.apiUrl, apiKey, '<the secret that you stored>'),
                'Environment variables',
              ),
              wayOnWithKey(ctx),
            ),
        mayChange
          ? section(
              'Revoke the key',
              html`<p>Ends the key with all its secrets, for good. Requests under it are refused within seconds.</p>`,
              html`<a class="button danger" href="${path}/revoke">Revoke the key …</a>`,
            )
          : nothing,
      );
    },
  );
}
