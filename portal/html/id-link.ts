import { code } from './components.ts';
import { type Html, html } from './html.ts';

/** The pages of a partner on which what an id names is shown, by the prefix of the id. */
const pages: Record<string, string> = {
  int: '/integrations/',
  key: '/keys/',
  rul: '/rules/',
  evt: '/events/',
  PNR: '/rewards/',
  inv: '/invoices/',
  txn: '/funding#',
  whe: '/webhooks/',
  whd: '/webhooks/deliveries/',
};

/** An id that leads to its page, where it has one. */
export function idLink(id: string, text?: string): Html {
  const page = pages[id.slice(0, id.indexOf('_'))];
  const shown = text === undefined ? code(id) : html`${text}`;
  return page === undefined ? shown : html`<a href="${page}${id}">${shown}</a>`;
}
