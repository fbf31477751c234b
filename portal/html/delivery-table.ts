import type { WebhookAttempt } from '../../models/schemas/webhooks.ts';
import type { DeliveryDetails } from '../../models/views/webhooks.ts';
import { badge, code, table } from './components.ts';
import { number, time } from './format.ts';
import { type Html, html, type Part } from './html.ts';

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
