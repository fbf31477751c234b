import type { IntegrationEventDoc } from '../../models/schemas/integration-event.ts';
import type { LogOutcome } from '../../models/views/log-outcomes.ts';
import { say } from '../words/say.ts';
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
    caption: say('common.requests'),
    columns: [
      {
        heading: say('common.when'),
        cell: (event) => html`<a href="${pathOfRequest(event)}">${exactTime(event.receivedAt)}</a>`,
      },
      { heading: say('common.type'), cell: ({ type }) => wordsOf(type) },
      {
        heading: say('common.order'),
        cell: ({ externalOrderId }) =>
          externalOrderId === null
            ? none
            : html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`,
      },
      {
        heading: say('common.amount'),
        cell: (event) => {
          const amount = outcomeOf(event)?.amount;
          return amount ? money(amount.cents, amount.currency) : none;
        },
        isNumber: true,
      },
      {
        heading: say('common.points'),
        cell: (event) => {
          const points = outcomeOf(event)?.points ?? null;
          return points === null ? none : number(points);
        },
        isNumber: true,
      },
      {
        heading: say('common.reward'),
        cell: (event) => {
          const status = outcomeOf(event)?.rewardStatus;
          return status ? badge(status) : none;
        },
      },
      { heading: say('logTable.status'), cell: ({ status }) => number(status), isNumber: true },
      { heading: say('logTable.outcome'), cell: ({ code }) => outcome(code) },
      {
        heading: say('common.requests'),
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
