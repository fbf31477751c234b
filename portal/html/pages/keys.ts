import { maxActiveSecrets } from '../../../domain/credentials.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { KeyDetails, Keys } from '../../../models/views/keys.ts';
import type { PageContext } from '../../context.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { baseOf, permissionOf } from '../../routing/key-modes.ts';
import { say } from '../../words/say.ts';
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
    ? linkButton(`${baseOf(mode)}/new`, say('keys.generateAKey', { mode }))
    : nothing;
  return page(
    {
      title: say('keys.title'),
      lead: say('keys.lead'),
      actions: items.length === 0 ? nothing : generate,
    },
    html`<section class="card">${keyTable(
      items,
      emptyState(say('keys.empty.title', { mode }), say('keys.empty.text'), generate),
      nameOf,
    )}${pager(ctx, nextCursor)}</section>`,
    section(say('keys.section.useYourKeys'), keyLinks(ctx, mode)),
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
      title: say('keys.key.title', { mode }),
      crumbs: keyCrumbs(),
      mode,
      actions: mayChange
        ? html`${linkButton(`${path}/rotate`, say('keys.rotateTheSecret'), 'secondary')}`
        : nothing,
    },
    revokedAt ? notice('bad', say('keys.key.notice', { revokedAt: time(revokedAt) })) : nothing,
    keySection(details),
    secretsSection(key, mayChange),
    revokedAt ? nothing : useSection(ctx, key, apiUrl),
    mayChange
      ? section(
          say('keys.section.revokeTheKey'),
          html`<p>${say('keys.key.endsKey')}</p>`,
          html`<a class="button danger" href="${path}/revoke">${say('keys.revokeTheKey')}</a>`,
        )
      : nothing,
  );
}

function keySection({ key, integrationName }: KeyDetails): Html {
  const { _id, apiKey, integrationId, scopes, secrets, createdAt } = key;
  return section(
    say('keys.section.key'),
    facts([
      [say('keys.apiKey'), code(apiKey, { canCopy: true })],
      [
        say('common.integration'),
        html`<a href="/integrations/${integrationId}">${integrationName}</a>`,
      ],
      [say('keys.scopes'), scopes.map((scope) => html`${code(scope)} `)],
      [say('common.lastUsed'), time(lastUseOf(secrets), say('keys.never'))],
      [say('common.created'), time(createdAt)],
      [say('common.id'), code(_id, { canCopy: true })],
    ]),
  );
}

function secretsSection(key: KeyDetails['key'], mayChange: boolean): Html {
  return section(
    say('keys.section.secrets'),
    table({
      caption: say('keys.key.caption'),
      columns: [
        { heading: say('keys.secret'), cell: ({ secretId }) => code(secretId) },
        {
          heading: say('common.state'),
          cell: ({ revokedAt }) => badge(revokedAt || key.revokedAt ? 'REVOKED' : 'ACTIVE'),
        },
        {
          heading: say('common.lastUsed'),
          cell: ({ lastUsedAt }) => time(lastUsedAt, say('keys.never')),
        },
        { heading: say('common.created'), cell: ({ createdAt }) => time(createdAt) },
        {
          heading: '',
          cell: ({ secretId, revokedAt }) =>
            mayChange && revokedAt === null
              ? html`<a href="${baseOf(key.mode)}/secrets/${secretId}/revoke">${say('keys.revoke')}</a>`
              : nothing,
        },
      ],
      rows: key.secrets.toReversed(),
      empty: nothing,
    }),
    html`<p class="muted after">${say('keys.key.upActive', { maxActiveSecrets })}</p>`,
  );
}

function useSection(
  ctx: PageContext<'partner'>,
  { apiKey, mode }: KeyDetails['key'],
  apiUrl: string,
): Html {
  return section(
    say('keys.section.useIt'),
    codeBlock(
      environment(apiUrl, apiKey, '<the secret that you stored>'),
      say('keys.environmentVariables'),
    ),
    keyLinks(ctx, mode),
  );
}
