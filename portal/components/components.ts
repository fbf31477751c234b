import { type Html, html, nothing, number, type Part } from './format.ts';

type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

/** The tone of each state; any other state is quiet. */
const tones: Record<string, Tone> = {
  ACTIVE: 'good',
  LIVE: 'info',
  AVAILABLE: 'good',
  CLAIMED: 'good',
  DONE: 'good',
  PAID: 'good',
  OK: 'good',
  ACCEPTED: 'good',
  APPROVED: 'good',
  ISSUED: 'good',
  PUBLISHED: 'good',
  RUNNING: 'info',
  QUEUED: 'info',
  TEST: 'warn',
  PENDING: 'info',
  IN_REVIEW: 'info',
  OPEN: 'info',
  INTENDED: 'info',
  ADMIN_REVIEW: 'warn',
  AWAITING_FUNDING: 'warn',
  CHANGES_REQUESTED: 'warn',
  PROPOSED: 'info',
  SUSPENDED: 'bad',
  FAILED: 'bad',
  REVOKED: 'bad',
  REJECTED: 'bad',
  REFUSED: 'bad',
  DELIVERED: 'good',
  DISABLED: 'bad',
  PAUSED: 'warn',
  FAILING: 'bad',
  LISTENING: 'info',
};

/** A state as a coloured label. @param text shown instead of the state's name */
export function badge(state: string, text = wordsOf(state)): Html {
  return html`<span class="badge badge-${tones[state] ?? 'quiet'}">${text}</span>`;
}

/** `AWAITING_FUNDING` as `Awaiting funding`; TEST and LIVE stay as they are. */
export function wordsOf(state: string): string {
  if (state === 'TEST' || state === 'LIVE') return state;
  // Partners know us as operators, not as admins.
  if (state === 'ADMIN_REVIEW') return 'In review';
  if (state === 'INTENDED') return 'Not completed';
  const words = state.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A message at the top of a page or a form. */
export function notice(tone: Exclude<Tone, 'quiet'>, ...parts: Part[]): Html {
  const role = tone === 'bad' ? 'alert' : 'status';
  return html`<div class="notice notice-${tone}" role="${role}">${parts}</div>`;
}

/** A part of a page with a heading. */
export function section(heading: string, ...parts: Part[]): Html {
  return html`<section class="card"><h2>${heading}</h2>${parts}</section>`;
}

/** A placeholder for an empty list: what would be here, and how to add it. */
export function emptyState(title: string, text: string, action: Html = nothing): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p>${action}</div>`;
}

type Cell<Row> = (row: Row) => Part;

/** How a column shows a row: a short text; a number, right-aligned; or a text that wraps over several lines. */
export type Column<Row> = Cell<Row> | { number: Cell<Row> } | { text: Cell<Row> };

/** Columns by their headings; '' is the heading of buttons and labels. A false one is not shown. */
export type Columns<Row> = Readonly<Record<string, Column<Row> | false | undefined>>;

/** A table that scrolls horizontally if it is wider than the page; on a phone each row takes two lines. */
export function table<Row>(input: {
  /** For screen readers. */
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  /** Shown if there are no rows. */
  empty?: Html;
}): Html {
  const { caption, rows, empty = nothing } = input;
  if (rows.length === 0) return empty;
  const columns = Object.entries(input.columns).flatMap(([heading, column]) =>
    column ? [{ heading, ...shownBy(column) }] : [],
  );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table><caption class="hidden">${caption}</caption>
<thead><tr>${columns.map(({ heading, style }) =>
    heading === '' ? html`<td></td>` : html`<th scope="col" class="${style}">${heading}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${columns.map(({ heading, cell, style }) => html`<td class="${style}" ${heading === '' ? nothing : html`data-label="${heading}"`}>${cell(row)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function shownBy<Row>(column: Column<Row>): { style: string; cell: Cell<Row> } {
  if (typeof column === 'function') return { style: 'cell', cell: column };
  if ('text' in column) return { style: 'cell-text', cell: column.text };
  return { style: 'cell-number', cell: (row) => figure(column.number(row)) };
}

const figure = (value: Part): Part => (typeof value === 'number' ? number(value) : value);

/** A name, and what is shown for it. */
export type Definition = readonly [name: string, value: Part];

/** A list of names and values. */
export function definitions(entries: readonly Definition[]): Html {
  return html`<dl class="definitions">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** An id, a key or a command, optionally with a copy button, which needs JavaScript. */
export function code(text: string, { canCopy = false } = {}): Html {
  return html`<span class="code"><code>${text}</code>${canCopy ? copyButton(text) : nothing}</span>`;
}

/** A scrollable block of code. */
export function codeBlock(text: string, label = 'Code'): Html {
  return html`<div class="code-block"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>${copyButton(text)}</div>`;
}

export function copyButton(text: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" data-copied="Copied" data-by-hand="Press Ctrl+C" hidden>Copy</button>`;
}

/** A print button, shown only with JavaScript; otherwise the browser's menu can print. */
export const printButton = () =>
  html`<button type="button" class="secondary" data-print hidden>Print</button>`;

/** A link to another site; plain text if the URL is not http or https. */
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

/** A figure with an explanation. */
export interface Metric {
  name: string;
  value: string;
  note?: Part;
  /** A page with details. */
  href?: string;
}

/** A row of figures. */
export function metrics(all: readonly Metric[]): Html {
  return html`<dl class="metrics">${all.map(
    ({ name, value, note, href }) =>
      html`<div><dt>${name}</dt><dd class="metric-value number">${href ? html`<a href="${href}">${value}</a>` : value}</dd>${note ? html`<dd class="metric-note">${note}</dd>` : nothing}</div>`,
  )}</dl>`;
}
