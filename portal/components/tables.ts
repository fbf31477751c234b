import type { Scope } from '../../domain/partners.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import type { WebhookAttempt } from '../../models/schemas/webhooks.ts';
import type { LogOutcome } from '../../models/views/log.ts';
import type { DeliveryDetails } from '../../models/views/webhooks.ts';
import { wordsOfAccount } from '../words/ledger-words.ts';
import { badge, code, table, wordsOf } from './components.ts';
import {
  day,
  exactTime,
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

const scopeWords = (scope: string): string => wordsOfScope[scope as Scope] ?? scope;

const wordsOfScope: Record<Scope, string> = {
  'events:write': 'send events',
  'events:read': 'read',
  'customers:read': 'read balances',
  'redemptions:write': 'redeem points',
};

/** Requests of one mode; a row that represents several shows their count. */
export function logTable(
  events: readonly IntegrationEventDoc[],
  outcomes: ReadonlyMap<string, LogOutcome>,
  empty: Html,
): Html {
  const none = html`<span class="muted">–</span>`;
  const outcomeOf = ({ eventId }: IntegrationEventDoc) =>
    eventId === null ? undefined : outcomes.get(eventId);
  return table({
    caption: 'Requests',
    columns: [
      {
        heading: 'When',
        cell: (event) => html`<a href="${pathOfRequest(event)}">${exactTime(event.receivedAt)}</a>`,
      },
      { heading: 'Type', cell: ({ type }) => wordsOf(type) },
      {
        heading: 'Order',
        cell: ({ externalOrderId }) =>
          externalOrderId === null
            ? none
            : html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`,
      },
      {
        heading: 'Amount',
        cell: (event) => {
          const amount = outcomeOf(event)?.amount;
          return amount ? money(amount.cents, amount.currency) : none;
        },
        isNumber: true,
      },
      {
        heading: 'Points',
        cell: (event) => {
          const points = outcomeOf(event)?.points ?? null;
          return points === null ? none : number(points);
        },
        isNumber: true,
      },
      {
        heading: 'Reward',
        cell: (event) => {
          const status = outcomeOf(event)?.rewardStatus;
          return status ? badge(status) : none;
        },
      },
      { heading: 'Status', cell: ({ status }) => number(status), isNumber: true },
      { heading: 'Outcome', cell: ({ code }) => outcome(code) },
      {
        heading: 'Requests',
        cell: ({ count }) => (count === 1 ? number(1) : html`<strong>${number(count)}</strong>`),
        isNumber: true,
      },
    ],
    rows: events,
    empty,
  });
}

/** The page of the event that a request recorded; otherwise the request's own. */
function pathOfRequest({ _id, code, eventId }: IntegrationEventDoc): string {
  return code === 'ACCEPTED' && eventId !== null ? `/events/${eventId}` : `/requests/${_id}`;
}

/** The outcome of a request as a coloured label. */
export function outcome(code: string): Html {
  const tone = ['ACCEPTED', 'OK'].includes(code) ? 'good' : code === 'REPLAYED' ? 'quiet' : 'bad';
  return html`<span class="badge badge-${tone}">${code}</span>`;
}

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
    columns: [
      {
        heading: 'Event',
        cell: ({ delivery: { _id, type } }) =>
          pathOf ? html`<a href="${pathOf(_id)}">${code(type)}</a>` : code(type),
      },
      {
        heading: 'Endpoint',
        cell: ({ endpoint }) =>
          endpoint === null ? html`<span class="muted">deleted</span>` : hostOf(endpoint.url),
      },
      { heading: 'State', cell: ({ delivery: { state } }) => badge(state) },
      {
        heading: 'Delivered',
        cell: ({ delivery: { deliveredAt } }) => time(deliveredAt, 'not yet'),
      },
      {
        heading: 'Last response',
        cell: ({ delivery: { history } }) => answerWords(history.at(-1)),
      },
      {
        heading: 'Attempts',
        cell: ({ delivery: { history } }) => number(history.length),
        isNumber: true,
      },
    ],
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
    columns: [
      { heading: 'Account', cell: ({ account }) => wordsOfAccount(account) },
      {
        heading: 'Unit',
        cell: ({ unit }) => (unit === 'CENTS' ? currency : 'points'),
      },
      {
        heading: 'Amount',
        cell: ({ unit, amount: value }) => amount(unit, value),
        isNumber: true,
      },
      {
        heading: 'Balance after',
        cell: ({ unit, balanceAfter }) => amount(unit, balanceAfter),
        isNumber: true,
      },
    ],
    rows: postings,
    empty: nothing,
  });
}
