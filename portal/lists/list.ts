import { dayMs } from '../../domain/utc-days.ts';
import { maxExportedRows } from '../../jobs/index.ts';
import { type Columns, emptyState, notice, table } from '../components/components.ts';
import { csrfInput, hidden } from '../components/form.ts';
import { type Html, html, nothing, numberText } from '../components/format.ts';
import { filledIn, firstPage, pager, pathWith, twoWayPager } from '../components/paging.ts';
import type { PageContext } from '../context.ts';
import { hasPermission } from '../middleware/access.ts';
import { type IdFilter, patternOf } from '../routing/params.ts';
import type { Asked, Filter } from './filters.ts';

type ListContext = Pick<PageContext, 'path' | 'query' | 'state'>;

/** A list: what it was asked for, how it shows its rows, and what can be done with all of them. */
export interface List<Row> {
  /** Absent if it has no filters. */
  asked?: Asked;
  /** For screen readers. */
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  /** Shown if there is nothing to list; if a filter is why, the list says that instead. */
  empty?: Html;
  /** Where older rows begin; for a list that is read in both directions, `places`. */
  nextCursor?: string | null;
  places?: { newer: string | null; older: string | null };
  /** A path where everything that the filters show is downloaded at once, and its most rows. */
  download?: { path: string; maxRows: number };
  /** A path that starts an export, shown to operators who may export. */
  exportTo?: string;
  /** Links that set a filter at once. */
  chips?: {
    label: string;
    name: string;
    choices: readonly (readonly [text: string, value: string])[];
  };
  /** Between the filters and the rows. */
  above?: Html;
  /** Around the rows: a form to choose some of them. */
  around?(rows: Html): Html;
  /** Set if the list is part of a section. */
  isPart?: boolean;
}

/** A list with its filters. */
export function list<Row>(ctx: ListContext, declared: List<Row>): Html {
  const { asked, caption, columns, rows, above = nothing, around = (one) => one } = declared;
  const isUnanswered = asked !== undefined && isNarrowed(ctx, asked);
  const empty = isUnanswered
    ? emptyState('No results', 'Change the filter, or reset it.')
    : (declared.empty ?? nothing);
  const shown = rows.length === 0 ? empty : around(table({ caption, columns, rows }));
  const notes = asked ? html`${partnerNote(ctx, asked)}${unmatchedNote(ctx, asked)}` : nothing;
  const content = html`${notes}${shown}${foot(ctx, declared)}`;
  const card = declared.isPart ? content : html`<section class="card">${content}</section>`;
  const days = asked && 'fromDay' in asked.filters ? presets(ctx, asked.nowMs) : nothing;
  return html`${asked ? filterBar(ctx, asked) : nothing}<div id="list">${declared.chips ? html`<div class="preset-row">${days}${chips(ctx, declared.chips)}</div>` : days}${above}${card}</div>`;
}

const typedIn = (query: PageContext['query'], name: string): string => {
  const value = query[name];
  return typeof value === 'string' ? value : '';
};

/** Each filter with its parameter and what the address has for it. */
const typedOf = ({ query }: Pick<PageContext, 'query'>, { filters }: Pick<Asked, 'filters'>) =>
  Object.entries(filters).map(([field, filter]) => {
    const { name = field } = filter;
    return { name, filter, typed: typedIn(query, name) };
  });

const isNarrowed = (ctx: ListContext, asked: Asked): boolean =>
  typedOf(ctx, asked).some(({ filter, typed }) => typed !== '' && !filter.isView);

/** The form of the filters. With JavaScript, it reloads the list on every change. */
function filterBar(ctx: ListContext, asked: Asked): Html {
  const { path } = ctx;
  const shown = typedOf(ctx, asked).filter(({ filter, typed }) => typed !== '' || !filter.isLinked);
  const offered = asked.partners?.offered.map(({ name }) => name) ?? [];
  const count = shown.filter(({ typed }) => typed !== '').length;
  return html`<button type="button" class="secondary filter-button" popovertarget="filters">Filters${count === 0 ? nothing : html` (${count})`}</button>
<search><form method="get" action="${path}" id="filters" popover class="filters" aria-label="Filter"
hx-get="${path}" hx-target="#list" hx-select="#list" hx-swap="outerHTML" hx-push-url="true" hx-trigger="change, submit" hx-sync="this:replace">
${shown.map(({ name, filter, typed }) => html`<div class="filter"><label for="filter-${name}">${filter.label}</label>${control(name, filter, typed, name === 'partner' ? offered : [])}</div>`)}
<button type="submit" class="secondary">Filter</button>${count > 0 ? html`<a class="filter-reset" href="${path}">Reset</a>` : nothing}</form></search>`;
}

function control(
  name: string,
  { choices, type, placeholder = '', id: idOf }: Filter,
  value: string,
  offered: readonly string[],
): Html {
  const id = `filter-${name}`;
  if (!choices) {
    return html`<input id="${id}" name="${name}" type="${type ?? 'text'}" value="${value}" placeholder="${placeholder}" maxlength="255" title="${idOf ? (idWords[idOf]?.takes ?? 'An ID, such as prt_01…') : ''}" autocomplete="off" ${idOf ? html`pattern="${patternOf(idOf)}"` : nothing} ${offered.length > 0 ? html`list="${id}-offered"` : nothing}>${offered.length > 0 ? html`<datalist id="${id}-offered">${offered.map((one) => html`<option value="${one}"></option>`)}</datalist>` : nothing}`;
  }
  return html`<select id="${id}" name="${name}">${choices.map(
    (one) =>
      html`<option value="${one.value}" ${one.value === value ? html`selected` : nothing}>${one.text}</option>`,
  )}</select>`;
}

/** What a filter takes, and what a wrong text is not; other filters take an ID of any kind. */
const idWords: Readonly<Partial<Record<IdFilter, { takes: string; is: string }>>> = {
  account: { takes: 'The name of an account, such as funding', is: 'an account' },
  actor: {
    takes: 'The ID of an operator, a user or a service account, or system',
    is: 'the ID of an operator, a user or a service account',
  },
  customer: {
    takes: 'A customer ID: an email address or phone number belongs in Find a customer',
    is: 'a customer ID',
  },
  reward: { takes: 'A reward ID, such as PNR_01…', is: 'a reward ID' },
};

/** Names the filters whose text is not an id. */
function unmatchedNote({ state }: ListContext, { unmatched }: Asked): Html {
  const path = state.viewer?.kind === 'operator' ? '/admin/find-customer' : '/customers';
  return html`${unmatched.map(({ id, typed }) =>
    notice(
      'warn',
      `“${typed}” is not ${idWords[id]?.is ?? 'an ID'}.`,
      id === 'customer' ? html` <a href="${path}">Find a customer by email or phone</a>` : nothing,
    ),
  )}`;
}

/** Says that a text matches no partner, or several. */
function partnerNote({ path, query }: ListContext, { partners }: Asked): Html {
  if (partners?.typed === undefined || partners.found.length === 1) return nothing;
  const { typed, found } = partners;
  if (found.length === 0) return notice('warn', `No partner matches “${typed}”.`);
  const links = found.map(
    ({ _id, name }) =>
      html` <a href="${pathWith(path, { ...query, ...firstPage, partner: _id })}">${name}</a>`,
  );
  return notice('info', html`Several partners match “${typed}”:${links}`);
}

/** A range of days, inclusive, as `yyyy-mm-dd`; without one of them, it is open on that side. */
interface DayRange {
  from?: string;
  to?: string;
}

/** Common ranges of UTC days, as in addresses. */
export function presetsAt(nowMs: number): readonly (readonly [text: string, range: DayRange])[] {
  const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  const today = dayOf(nowMs);
  const last = (days: number): DayRange => ({ from: dayOf(nowMs - (days - 1) * dayMs), to: today });
  const monthBefore = new Date(`${today.slice(0, 7)}-01T00:00:00Z`).getTime() - dayMs;
  const lastMonth = dayOf(monthBefore);
  return [
    ['Any day', {}],
    ['Today', last(1)],
    ['7 days', last(7)],
    ['30 days', last(30)],
    ['This month', { from: `${today.slice(0, 7)}-01`, to: today }],
    ['Last month', { from: `${lastMonth.slice(0, 7)}-01`, to: lastMonth }],
  ];
}

/**
 * Links that show the list for other days. They are part of the list, so that they keep its filters, but
 * reload the whole page, so that the date fields follow.
 */
function presets({ path, query }: ListContext, nowMs: number): Html {
  return html`<nav class="presets" aria-label="Days">${presetsAt(nowMs).map(
    ([words, { from = '', to = '' }]) => {
      const isShown = from === typedIn(query, 'from') && to === typedIn(query, 'to');
      const href = pathWith(path, { ...query, ...firstPage, from, to });
      return html`<a href="${href}" class="${isShown ? 'preset is-shown' : 'preset'}" ${isShown ? html`aria-current="true"` : nothing}>${words}</a>`;
    },
  )}</nav>`;
}

function chips(
  { path, query }: ListContext,
  { label, name, choices }: NonNullable<List<unknown>['chips']>,
): Html {
  return html`<nav class="presets" aria-label="${label}">${choices.map(([words, value]) => {
    const isShown = typedIn(query, name) === value;
    const href = pathWith(path, { ...query, ...firstPage, [name]: value });
    return html`<a href="${href}" class="${isShown ? 'preset is-shown' : 'preset'}" ${isShown ? html`aria-current="true"` : nothing}>${words}</a>`;
  })}</nav>`;
}

/** The foot of a list: all that its filters show as a file, and other pages. */
function foot<Row>(ctx: ListContext, declared: List<Row>): Html {
  const { rows, nextCursor = null, places, download, exportTo } = declared;
  const pages = places ? twoWayPager(ctx, places) : pager(ctx, nextCursor);
  const file = download ? downloadLink(ctx, download) : exportForm(ctx, exportTo);
  if (rows.length === 0 || file === null) return pages;
  return html`<div class="log-foot">${file}${pages}</div>`;
}

const everything = (maxRows: number) =>
  `everything these filters show, up to ${numberText(maxRows)} rows`;

function downloadLink(
  { query }: ListContext,
  { path, maxRows }: NonNullable<List<unknown>['download']>,
) {
  return html`<p><a href="${pathWith(path, { ...query, ...firstPage })}" download>Download as CSV</a> <span class="muted">${everything(maxRows)}</span></p>`;
}

function exportForm({ query, state }: ListContext, path: string | undefined): Html | null {
  const { viewer } = state;
  if (path === undefined || !viewer || !hasPermission(viewer, 'export.start')) return null;
  return html`<form method="post" action="${path}" class="export">${csrfInput({ state })}${filledIn({ ...query, ...firstPage }).map(([name, value]) => hidden(name, value))}<button type="submit" class="secondary">Export as CSV</button> <span class="muted">${everything(maxExportedRows)} · <a href="/admin/exports">Your exports</a></span></form>`;
}
