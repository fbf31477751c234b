import type { Mode } from '../../../domain/mode.ts';
import { maxActiveSecrets } from '../../../domain/partners.ts';
import type { KeyDetails, Keys } from '../../../models/views/integrations.ts';
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
import { type Html, html, nothing } from '../html.ts';
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
    ? linkButton(`${baseOf(mode)}/new`, `Generate ${mode} key`)
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
        'The secret of a key is shown once, so have your secret store ready.',
        generate,
      ),
      nameOf,
    )}${pager(ctx, nextCursor)}</section>`,
    section('Use your keys', keyLinks(ctx, mode)),
  );
}

/** @param apiUrl the API to which the key is sent */
export function keyPage(ctx: PageContext<'partner'>, details: KeyDetails, apiUrl: string): Page {
  const { key } = details;
  const { _id, mode, revokedAt } = key;
  const mayChange = hasPermission(ctx.state.viewer, permissionOf(mode)) && revokedAt === null;
  const path = `${baseOf(mode)}/${_id}`;
  return page(
    {
      title: `${mode} key`,
      crumbs: keyCrumbs(),
      mode,
      actions: mayChange
        ? html`${linkButton(`${path}/rotate`, 'Rotate secret', 'secondary')}`
        : nothing,
    },
    revokedAt
      ? notice(
          'bad',
          html`This key was revoked on ${time(revokedAt)}. Requests signed with it are refused.`,
        )
      : nothing,
    keySection(details),
    secretsSection(key, mayChange),
    revokedAt ? nothing : useSection(ctx, key, apiUrl),
    mayChange
      ? section(
          'Revoke key',
          html`<p>Ends the key and all its secrets permanently. Requests signed with it are refused within seconds.</p>`,
          html`<a class="button danger" href="${path}/revoke">Revoke key …</a>`,
        )
      : nothing,
  );
}

function keySection({ key, integrationName }: KeyDetails): Html {
  const { _id, apiKey, integrationId, scopes, secrets, createdAt } = key;
  return section(
    'Key',
    facts([
      ['API key', code(apiKey, { canCopy: true })],
      ['Integration', html`<a href="/integrations/${integrationId}">${integrationName}</a>`],
      ['Scopes', scopes.map((scope) => html`${code(scope)} `)],
      ['Last used', time(lastUseOf(secrets), 'never')],
      ['Created', time(createdAt)],
      ['ID', code(_id, { canCopy: true })],
    ]),
  );
}

function secretsSection(key: KeyDetails['key'], mayChange: boolean): Html {
  return section(
    'Secrets',
    table({
      caption: 'Secrets',
      columns: [
        { heading: 'Secret', cell: ({ secretId }) => code(secretId) },
        {
          heading: 'State',
          cell: ({ revokedAt }) => badge(revokedAt || key.revokedAt ? 'REVOKED' : 'ACTIVE'),
        },
        {
          heading: 'Last used',
          cell: ({ lastUsedAt }) => time(lastUsedAt, 'never'),
        },
        { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
        {
          heading: '',
          cell: ({ secretId, revokedAt }) =>
            mayChange && revokedAt === null
              ? html`<a href="${baseOf(key.mode)}/secrets/${secretId}/revoke">Revoke …</a>`
              : nothing,
        },
      ],
      rows: key.secrets.toReversed(),
      empty: nothing,
    }),
    html`<p class="muted after">Up to ${maxActiveSecrets} secrets can be active at a time: rotate, switch over, then revoke the old one once it is no longer used.</p>`,
  );
}

function useSection(
  ctx: PageContext<'partner'>,
  { apiKey, mode }: KeyDetails['key'],
  apiUrl: string,
): Html {
  return section(
    'Use it',
    codeBlock(environment(apiUrl, apiKey, '<the secret that you stored>'), 'Environment variables'),
    keyLinks(ctx, mode),
  );
}
