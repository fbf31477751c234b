import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import type { LogOutcome } from '../../models/views/log.ts';
import { badge, table, wordsOf } from './components.ts';
import { exactTime, money, number } from './format.ts';
import { type Html, html } from './html.ts';

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
