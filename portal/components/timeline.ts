import type { Moment } from '../../views/event.ts';
import { wordsOfEntry } from '../words/entry-words.ts';
import { wordsOfKind } from '../words/ledger-words.ts';
import { badge, table, wordsOf } from './components.ts';
import { exactTime, type Html, html, money, nothing, pointsWords } from './format.ts';
import { to } from './links.ts';
import { rewardWordsOf } from './reward-badge.ts';
import { postingsTable } from './tables.ts';

/** Names of ledger accounts for partners, by the first part of the account's name. */
const accountWords: Readonly<Record<string, string>> = {
  funding: 'Available funding',
  reserved: 'Reserved',
  payable: 'Owed to the customer',
  held: 'Held at the checkout',
  redeemed: 'Spent by the customer',
  spent: 'Spent by the customer',
  points: 'Points of the customer',
  heldPoints: 'Points held at the checkout',
  pointsRedeemed: 'Points spent',
  pointsIssued: 'Points issued',
  writeOff: 'Written off',
  pointsWriteOff: 'Points written off',
};

const wordsOfAccount = (account: string): string => {
  const name = account.split(':')[0] ?? account;
  const key = accountWords[name];
  return key === undefined ? wordsOf(name) : key;
};

/** A reward's timeline, oldest first. */
export function timeline(moments: readonly Moment[], currency: string): Html {
  return html`<ol class="timeline">${moments.map((moment) => {
    const { at, kind, id, what, status, postings } = moment;
    const text = kind === 'MONEY' ? wordsOfEntry(what) : what;
    return html`<li class="moment moment-${kind.toLowerCase()}"><p>${text}${status ? html` ${badge(status, rewardWordsOf(status))}` : nothing}</p>
<p class="moment-when">${exactTime(at)}${kind === 'MONEY' && id !== null ? html` · <code>${id}</code>` : nothing}</p>
${postings.length === 0 ? nothing : postingTable(postings, currency)}</li>`;
  })}</ol>`;
}

function postingTable(postings: Moment['postings'], currency: string): Html {
  const amount = (value: number, unit: string) =>
    unit === 'CENTS'
      ? money(value, currency)
      : html`<span class="number">${pointsWords(value)}</span>`;
  return html`<details><summary>What moved</summary>${table({
    caption: 'What moved',
    columns: {
      Account: ({ account }) => wordsOfAccount(account),
      Amount: { number: (one) => amount(one.amount, one.unit) },
      'Balance after': { number: (one) => amount(one.balanceAfter, one.unit) },
    },
    rows: postings,
  })}</details>`;
}

const tones = {
  EVENT: 'info',
  MOVE: 'good',
  REVIEW: 'warn',
  MONEY: 'quiet',
  MESSAGE: 'warn',
} as const;

/** A reward's timeline for operators: each event with its postings, to the cent. */
export function timelineList(moments: readonly Moment[], currency: string): Html {
  return html`<ol class="timeline">${moments.map(
    ({ at, kind, id, what, status, postings }) =>
      html`<li class="moment moment-${tones[kind]}"><p class="moment-what">${kind === 'MONEY' ? wordsOfKind(what) : what}${status ? html` ${badge(status, rewardWordsOf(status))}` : nothing}</p><p class="moment-at">${exactTime(at)}${id === null ? nothing : html` · ${linkOf(kind, id)}`}</p>${postings.length === 0 ? nothing : html`<details class="more"><summary>What moved</summary>${postingsTable(postings, currency)}</details>`}</li>`,
  )}</ol>`;
}

function linkOf(kind: Moment['kind'], id: string): Html {
  if (kind === 'EVENT') return to('EVENT', id, 'the event');
  if (kind === 'REVIEW') return to('REVIEW', id, 'the review');
  return to('TRANSACTION', id, 'the transaction');
}
