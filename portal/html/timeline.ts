import type { Moment } from '../../models/views/event.ts';
import { wordsOfEntry } from '../words/entry-words.ts';
import { badge, table, wordsOf } from './components.ts';
import { exactTime, money, number } from './format.ts';
import { type Html, html, nothing } from './html.ts';

/** Names of ledger accounts for partners, by the first part of the account's name. */
const accountWords: Readonly<Record<string, string>> = {
  funding: 'Free funding',
  reserved: 'Reserved',
  payable: 'Owed to the customer',
  spent: 'Spent by the customer',
  points: 'Points of the customer',
  pointsIssued: 'Points issued',
  writeOff: 'Written off',
  pointsWriteOff: 'Points written off',
};

const wordsOfAccount = (account: string): string => {
  const name = account.split(':')[0] ?? account;
  const key = accountWords[name];
  return key === undefined ? wordsOf(name) : key;
};

/** A reward's timeline, oldest first. @param here the event whose page is shown */
export function timeline(moments: readonly Moment[], here: string, currency: string): Html {
  return html`<ol class="timeline">${moments.map((moment) => {
    const { at, kind, id, what, status, postings } = moment;
    const text = kind === 'MONEY' ? wordsOfEntry(what) : what;
    return html`<li class="moment moment-${kind.toLowerCase()}"><p>${kind === 'EVENT' && id !== null && id !== here ? html`<a href="/events/${id}">${text}</a>` : text}${status ? html` ${badge(status)}` : nothing}</p>
<p class="moment-when">${exactTime(at)}${kind === 'MONEY' && id !== null ? html` · <code>${id}</code>` : nothing}</p>
${postings.length === 0 ? nothing : postingTable(postings, currency)}</li>`;
  })}</ol>`;
}

function postingTable(postings: Moment['postings'], currency: string): Html {
  const amount = (value: number, unit: string) =>
    unit === 'CENTS' ? money(value, currency) : html`${number(value)} points`;
  return html`<details><summary>What moved</summary>${table({
    caption: 'What moved',
    columns: [
      { heading: 'Account', cell: ({ account }) => wordsOfAccount(account) },
      {
        heading: 'Amount',
        cell: (one) => amount(one.amount, one.unit),
        isNumber: true,
      },
      {
        heading: 'Balance after',
        cell: (one) => amount(one.balanceAfter, one.unit),
        isNumber: true,
      },
    ],
    rows: postings,
    empty: nothing,
  })}</details>`;
}
