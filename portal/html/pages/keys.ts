import { maxActiveSecrets } from '../../../domain/credentials.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { KeyDetails, Keys } from '../../../models/views/keys.ts';
import type { PageContext } from '../../context.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { baseOf, permissionOf } from '../../routing/key-modes.ts';
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
} from '../components.ts';
import { time } from '../format.ts';
import { html, nothing } from '../html.ts';
import { keyTable } from '../key-table.ts';
import { environment, keyCrumbs, keyLinks } from '../keys.ts';
import { lastUseOf } from '../last-use.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

export function keysPage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  { items, nextCursor, nameOf }: Keys,
): Page {
  const generate = hasPermission(ctx.state.viewer, permissionOf(mode))
    ? linkButton(`${baseOf(mode)}/new`, `Generate a ${mode} key`)
    : nothing;
  return page(
    {
      title: 'API keys',
      lead: 'A key identifies the sender, and its secret signs requests. LIVE keys create real rewards.',
      actions: items.length === 0 ? nothing : generate,
    },
    html`<section class="card">${keyTable(
      items,
      emptyState(
        `No ${mode} key yet`,
        'The secret of a key is shown once, so have your secret store at hand.',
        generate,
      ),
      nameOf,
    )}${pager(ctx, nextCursor)}</section>`,
    section('Use your keys', keyLinks(ctx, mode)),
  );
}

/** @param apiUrl where the key is sent to */
export function keyPage(
  ctx: PageContext<'partner'>,
  { key, integrationName }: KeyDetails,
  apiUrl: string,
): Page {
  const { viewer } = ctx.state;
  const { _id, mode, integrationId, apiKey } = key;
  const mayChange = hasPermission(viewer, permissionOf(mode)) && key.revokedAt === null;
  const path = `${baseOf(mode)}/${_id}`;
  return page(
    {
      ...{ title: `${mode} key`, crumbs: keyCrumbs, mode },
      actions: mayChange
        ? html`${linkButton(`${path}/rotate`, 'Rotate the secret', 'secondary')}`
        : nothing,
    },
    key.revokedAt
      ? notice(
          'bad',
          html`This key was revoked on ${time(key.revokedAt)}. Requests with it are refused.`,
        )
      : nothing,
    section(
      'Key',
      facts([
        ['API key', code(apiKey, { canCopy: true })],
        ['Integration', html`<a href="/integrations/${integrationId}">${integrationName}</a>`],
        ['Scopes', key.scopes.map((scope) => html`${code(scope)} `)],
        ['Last used', time(lastUseOf(key.secrets), 'never')],
        ['Created', time(key.createdAt)],
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
          { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
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
      html`<p class="muted after">Up to ${maxActiveSecrets} can be active at a time: rotate, switch over, then revoke the old one once it is no longer used.</p>`,
    ),
    key.revokedAt
      ? nothing
      : section(
          'Use it',
          codeBlock(
            environment(apiUrl, apiKey, '<the secret that you stored>'),
            'Environment variables',
          ),
          keyLinks(ctx, mode),
        ),
    mayChange
      ? section(
          'Revoke the key',
          html`<p>Ends the key with all its secrets, for good. Requests with it are refused within seconds.</p>`,
          html`<a class="button danger" href="${path}/revoke">Revoke the key …</a>`,
        )
      : nothing,
  );
}
