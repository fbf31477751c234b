import { code } from './components.ts';
import { type Html, html } from './html.ts';

/** The partner's pages for ids, by prefix. */
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

/** An id, linked to its page if there is one. @param text its name, shown instead */
export function idLink(id: string, text?: string): Html {
  const page = pages[id.slice(0, id.indexOf('_'))];
  const shown = text === undefined ? code(id) : html`${text}`;
  return page === undefined ? shown : html`<a href="${page}${id}">${shown}</a>`;
}

/** A link by the name of what an id stands for, and the id; the id alone if it has no name. */
export const namedIdLink = (id: string, name: string | undefined): Html =>
  name === undefined ? idLink(id) : html`${idLink(id, name)} ${code(id, { canCopy: true })}`;
