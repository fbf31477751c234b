import { say } from '../words/say.ts';
import { type Html, html, nothing, type Part } from './html.ts';

type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

/** The states of the domain, by how good they are; another one is quiet. */
const tones: Record<string, Tone> = {
  ...{
    ACTIVE: 'good',
    LIVE: 'info',
    AVAILABLE: 'good',
    CLAIMED: 'good',
    DONE: 'good',
    PAID: 'good',
  },
  ...{ OK: 'good', ACCEPTED: 'good', APPROVED: 'good', ISSUED: 'good', PUBLISHED: 'good' },
  ...{ RUNNING: 'info', QUEUED: 'info' },
  ...{ TEST: 'warn', PENDING: 'info', IN_REVIEW: 'info', OPEN: 'info', INTENDED: 'info' },
  ...{
    ADMIN_REVIEW: 'warn',
    AWAITING_FUNDING: 'warn',
    CHANGES_REQUESTED: 'warn',
    PROPOSED: 'info',
  },
  ...{ SUSPENDED: 'bad', FAILED: 'bad', REVOKED: 'bad', REJECTED: 'bad', REFUSED: 'bad' },
  ...{ DELIVERED: 'good', DISABLED: 'bad', PAUSED: 'warn', FAILING: 'bad', LISTENING: 'info' },
};

/** A state, as a word with a colour. @param text what it is called, where that is not the state itself */
export function badge(state: string, text = wordsOf(state)): Html {
  return html`<span class="badge badge-${tones[state] ?? 'quiet'}">${text}</span>`;
}

/** `AWAITING_FUNDING` as `Awaiting funding`; TEST and LIVE stay as they are. */
export function wordsOf(state: string): string {
  if (state === 'TEST' || state === 'LIVE') return state;
  const words = state.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Something to be told at the top of a page or a form. */
export function notice(tone: Exclude<Tone, 'quiet'>, ...parts: Part[]): Html {
  const role = tone === 'bad' ? 'alert' : 'status';
  return html`<div class="notice notice-${tone}" role="${role}">${parts}</div>`;
}

/** A part of a page, under a heading of its own. */
export function section(heading: string, ...parts: Part[]): Html {
  return html`<section class="card"><h2>${heading}</h2>${parts}</section>`;
}

/** What stands where there is nothing yet: what would be here, and the way on. */
export function emptyState(title: string, text: string, action: Html = nothing): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p>${action}</div>`;
}

export interface Column<Row> {
  /** Empty for a column of buttons. */
  heading: string;
  cell(row: Row): Part;
  /** Figures stand at the right. */
  isNumber?: boolean;
  /** Sentences take several lines. */
  isText?: boolean;
}

/** A table that scrolls within itself where it is wider than the page. */
export function table<Row>(input: {
  /** What it lists, for who cannot see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What stands there without rows. */
  empty: Html;
}): Html {
  const { caption, columns, rows, empty } = input;
  if (rows.length === 0) return empty;
  const classOf = ({ isNumber, isText }: Column<Row>) =>
    isNumber ? 'cell-number' : isText ? 'cell-text' : 'cell';
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table><caption class="hidden">${caption}</caption>
<thead><tr>${columns.map((one) =>
    one.heading === ''
      ? html`<td></td>`
      : html`<th scope="col" class="${classOf(one)}">${one.heading}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${columns.map((one) => html`<td class="${classOf(one)}">${one.cell(row)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** What is known of one thing, name by name. */
export function facts(entries: readonly (readonly [name: string, value: Part])[]): Html {
  return html`<dl class="facts">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** An id, a key or a command; with a button that copies it, where there is JavaScript. */
export function code(text: string, { canCopy = false } = {}): Html {
  return html`<span class="code"><code>${text}</code>${canCopy ? copyButton(text) : nothing}</span>`;
}

/** Lines of code, which scroll within themselves. */
export function codeBlock(text: string, label = say('components.code')): Html {
  return html`<div class="code-block"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>${copyButton(text)}</div>`;
}

export function copyButton(text: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" data-copied="${say('components.copied')}" data-by-hand="${say('components.copyByHand')}" hidden>${say('components.copy')}</button>`;
}

/** Prints the page, where there is JavaScript; a browser's own menu does it everywhere. */
export const printButton = () =>
  html`<button type="button" class="secondary" data-print hidden>${say('components.print')}</button>`;

/** A link to another site, if it is one; else its text. */
export function externalLink(url: string, text = url): Html {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return html`${text}`;
  return html`<a class="external" href="${parsed.href}" rel="noopener noreferrer" target="_blank">${text}</a>`;
}

export function linkButton(
  href: string,
  text: string,
  kind: 'primary' | 'secondary' = 'primary',
): Html {
  return html`<a class="button ${kind}" href="${href}">${text}</a>`;
}
