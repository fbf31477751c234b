import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { badge, code, table } from './components.ts';
import { day, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { lastUseOf } from './last-use.ts';

/** @param nameOf names of integrations; absent if all keys belong to one */
export function keyTable(
  keys: readonly CredentialDoc[],
  empty: Html,
  nameOf?: (integrationId: string) => string,
): Html {
  return table({
    caption: 'API keys',
    columns: [
      {
        heading: 'Key',
        cell: ({ _id, apiKey }) => html`<a href="/keys/${_id}">${code(shortKey(apiKey))}</a>`,
      },
      ...(nameOf
        ? [
            {
              heading: 'Integration',
              cell: ({ integrationId }: CredentialDoc) =>
                html`<a class="clip" href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`,
            },
          ]
        : []),
      { heading: 'Scopes', cell: ({ scopes }) => scopes.map(scopeWords).join(', ') },
      {
        heading: 'Last used',
        cell: ({ secrets }) => time(lastUseOf(secrets), 'never'),
      },
      { heading: 'Created', cell: ({ createdAt }) => day(createdAt) },
      { heading: '', cell: ({ revokedAt }) => (revokedAt ? badge('REVOKED') : nothing) },
    ],
    rows: keys,
    empty,
  });
}

/** The beginning of a key, enough to recognize it. */
export const shortKey = (apiKey: string): string => `${apiKey.slice(0, 14)}…`;

const scopeWords = (scope: string): string => (scope === 'events:write' ? 'send events' : 'read');
