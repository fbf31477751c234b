import type { Moment } from '../../models/views/event.ts';
import { wordsOfKind } from '../words/ledger-words.ts';
import { badge } from './components.ts';
import { exactTime } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { to } from './links.ts';
import { postingsTable } from './postings.ts';

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
      html`<li class="moment moment-${tones[kind]}"><p class="moment-what">${kind === 'MONEY' ? wordsOfKind(what) : what}${status ? html` ${badge(status)}` : nothing}</p><p class="moment-at">${exactTime(at)}${id === null ? nothing : html` · ${linkOf(kind, id)}`}</p>${postings.length === 0 ? nothing : html`<details class="more"><summary>What moved</summary>${postingsTable(postings, currency)}</details>`}</li>`,
  )}</ol>`;
}

function linkOf(kind: Moment['kind'], id: string): Html {
  if (kind === 'EVENT') return to('EVENT', id, 'the event');
  if (kind === 'REVIEW') return to('REVIEW', id, 'the review');
  return to('TRANSACTION', id, 'the transaction');
}
