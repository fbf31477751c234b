import { keyExpiresAt, keyState, type Scope, scopes } from '../../domain/partners.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import type { WebhookAttempt } from '../../models/schemas/webhooks.ts';
import type { DeliveryDetails } from '../../views/webhooks.ts';
import { wordsOfAccount } from '../words/ledger-words.ts';
import { meaningOf } from '../words/log-words.ts';
import { badge, type Columns, code, table } from './components.ts';
import {
  day,
  type Html,
  html,
  lastUseOf,
  money,
  nothing,
  number,
  type Part,
  time,
} from './format.ts';

/** @param nameOf names of integrations; absent if all keys belong to one */
export const keyColumns = (
  nowMs: number,
  nameOf?: (integrationId: string) => string,
): Columns<CredentialDoc> => ({
  Key: ({ _id, apiKey }) => html`<a href="/keys/${_id}">${code(shortKey(apiKey))}</a>`,
  Integration:
    nameOf &&
    (({ integrationId }) =>
      html`<a class="clip" href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`),
  Scopes: (key) => key.scopes.map(scopeWords).join(', '),
  'Last used': ({ secrets }) => time(lastUseOf(secrets), 'never'),
  Created: ({ createdAt }) => day(createdAt),
  Expires: (key) => keyExpiry(key),
  '': (key) => (keyState(key, nowMs) === 'ACTIVE' ? nothing : badge(keyState(key, nowMs))),
});

/** The day on which the last secret of a key expires. */
export function keyExpiry(key: CredentialDoc): Part {
  const expiresAt = keyExpiresAt(key);
  return expiresAt ? day(expiresAt) : 'never';
}

/** The beginning of a key, enough to recognize it. */
export const shortKey = (apiKey: string): string => `${apiKey.slice(0, 14)}…`;

const scopeWords = (scope: string): string => wordsOfScope[scope as Scope] ?? scope;

const wordsOfScope: Record<Scope, string> = {
  'events:write': 'send events',
  'events:read': 'read',
  'customers:read': 'read balances',
  'redemptions:write': 'redeem points',
};

/** What a key may do, with the name of the scope beside it. */
export const scopeLabels = (scopes: readonly Scope[]): Html =>
  html`${scopes.map((scope, place) => html`${place === 0 ? '' : ', '}${wordsOfScope[scope]} ${code(scope)}`)}`;

const withNames = (text: string, names: readonly Scope[]): string =>
  `${text} (${names.join(', ')})`;

/** The choices for the scopes of a new key. */
export const keyScopeChoices = [
  { value: 'both', text: withNames('Send events and read', ['events:write', 'events:read']) },
  {
    value: 'checkout',
    text: withNames('Send events, read, and redeem points at the checkout', scopes),
  },
  { value: 'write', text: withNames('Send events', ['events:write']) },
  { value: 'read', text: withNames('Read', ['events:read']) },
];

/** The outcome of a request that was not refused. */
const outcomeWords: Readonly<Record<string, string>> = {
  ACCEPTED: 'Accepted',
  OK: 'OK',
  REPLAYED: 'Repeated',
  IGNORED: 'Ignored',
};

/** The outcome of a request as a coloured label. */
export function outcome(code: string): Html {
  const tone = ['ACCEPTED', 'OK'].includes(code)
    ? 'good'
    : ['REPLAYED', 'IGNORED'].includes(code)
      ? 'quiet'
      : 'bad';
  return html`<span class="badge badge-${tone}">${outcomeWords[code] ?? 'Refused'}</span>`;
}

/** The outcome of a request, and of a refused one what was wrong. */
export const outcomeInWords = (code: string): Html =>
  html`${outcome(code)}${code in outcomeWords ? nothing : html` <span class="muted">${meaningOf(code)}</span>`}`;

/** An endpoint is shown by its host, since its path and query may contain the partner's tokens. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** The outcome of an attempt, in short. */
export function answerWords(tried: WebhookAttempt | undefined): Part {
  if (tried === undefined) return html`<span class="muted">not tried yet</span>`;
  return tried.status === null ? code(tried.error ?? 'none') : number(tried.status);
}

/**
 * The webhooks about a reward, with endpoint, time and response.
 * @param none shown if there are none
 * @param pathOf the page of a delivery; without it, deliveries are not linked
 */
export function deliveryTable(
  deliveries: readonly DeliveryDetails[],
  none: Part,
  pathOf?: (deliveryId: string) => string,
): Html {
  return table({
    caption: 'Webhooks',
    columns: {
      Event: ({ delivery: { _id, type } }) =>
        pathOf ? html`<a href="${pathOf(_id)}">${code(type)}</a>` : code(type),
      Endpoint: ({ endpoint }) =>
        endpoint === null ? html`<span class="muted">deleted</span>` : hostOf(endpoint.url),
      State: ({ delivery: { state } }) => badge(state),
      Delivered: ({ delivery: { deliveredAt } }) => time(deliveredAt, 'not yet'),
      'Last response': ({ delivery: { history } }) => answerWords(history.at(-1)),
      Attempts: { number: ({ delivery: { history } }) => history.length },
    },
    rows: deliveries,
    empty: html`<p class="muted">${none}</p>`,
  });
}

type ShownPosting = Pick<
  EntryDoc['postings'][number],
  'account' | 'unit' | 'amount' | 'balanceAfter'
>;

/** Postings between accounts; a positive amount is owed to the account's holder. */
export function postingsTable(postings: readonly ShownPosting[], currency: string): Html {
  const amount = (unit: ShownPosting['unit'], value: number): Html =>
    unit === 'CENTS' ? money(value, currency) : number(value);
  return table({
    caption: 'Postings',
    columns: {
      Account: ({ account }) => wordsOfAccount(account),
      Unit: ({ unit }) => (unit === 'CENTS' ? currency : 'points'),
      Amount: { number: ({ unit, amount: value }) => amount(unit, value) },
      'Balance after': { number: ({ unit, balanceAfter }) => amount(unit, balanceAfter) },
    },
    rows: postings,
  });
}
