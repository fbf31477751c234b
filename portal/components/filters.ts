import { dayMs } from '../../domain/utc-days.ts';
import type { PageContext } from '../context.ts';
import { type IdFilter, patternOf } from '../routing/params.ts';
import { emptyState, notice } from './components.ts';
import type { Choice } from './form.ts';
import { type Html, html, nothing } from './format.ts';
import { pathWith } from './paging.ts';

/** A filter of a list: a choice, a text or a day. */
export interface Filter {
  name: string;
  label: string;
  /** If absent, the filter is a text field. The first choice means any. */
  choices?: readonly Choice[];
  type?: 'text' | 'date';
  placeholder?: string;
  /** Set if the filter is an id. */
  id?: IdFilter;
  /** Suggestions. */
  offered?: readonly string[];
}

/** Choices for a list of states, with "any" first. */
export function choicesOf(states: readonly string[], textOf: (state: string) => string): Choice[] {
  return [{ value: '', text: 'Any' }, ...states.map((value) => ({ value, text: textOf(value) }))];
}

/**
 * The filter form of a page whose list has the id `list`. With JavaScript, it reloads the list on every
 * change.
 */
export function filterBar(
  { path, query }: Pick<PageContext, 'path' | 'query'>,
  filters: readonly Filter[],
): Html {
  const isNarrowed = filters.some(({ name }) => chosenIn(query, name) !== '');
  return html`<search><form method="get" action="${path}" class="filters" aria-label="Filter"
hx-get="${path}" hx-target="#list" hx-select="#list" hx-swap="outerHTML" hx-push-url="true" hx-trigger="change, submit">
${filters.map((one) => html`<div class="filter"><label for="filter-${one.name}">${one.label}</label>${control(one, chosenIn(query, one.name))}</div>`)}
<button type="submit" class="secondary">Filter</button>${isNarrowed ? html`<a class="filter-reset" href="${path}">Reset</a>` : nothing}</form></search>`;
}

/** A filter by id. @param placeholder the beginning of such an id */
export const idFilterField = (id: IdFilter, label: string, placeholder: string): Filter => ({
  name: id,
  id,
  label,
  placeholder,
});

/** What a filter takes, and what a wrong text is not; other filters take an ID of any kind. */
const idWords: Readonly<Record<string, { takes: string; is: string }>> = {
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

/** Names the filters whose text is not an id. Part of the list, which is then empty. */
export function unmatchedNote({ state }: Pick<PageContext, 'state'>): Html {
  const { unmatched = [] } = state;
  const path = state.viewer?.kind === 'operator' ? '/admin/find-customer' : '/find-customer';
  return html`${unmatched.map(({ filter, typed }) =>
    notice(
      'warn',
      `“${typed}” is not ${idWords[filter]?.is ?? 'an ID'}.`,
      filter === 'customer'
        ? html` <a href="${path}">Find a customer by email or phone</a>`
        : nothing,
    ),
  )}`;
}

/** The empty state of a filtered list; if the text of a filter matches nothing, only that there are no results. */
export function emptyOf({ state }: Pick<PageContext, 'state'>, usual: Html): Html {
  const { unmatched = [], partnerFilter } = state;
  const isPartnerFound = partnerFilter?.typed === undefined || partnerFilter.found.length === 1;
  return unmatched.length === 0 && isPartnerFound
    ? usual
    : emptyState('No results', 'Change the filter, or reset it.');
}

function control(
  { name, choices, type = 'text', placeholder = '', id: idOf, offered = [] }: Filter,
  value: string,
): Html {
  const id = `filter-${name}`;
  if (!choices) {
    return html`<input id="${id}" name="${name}" type="${type}" value="${value}" placeholder="${placeholder}" maxlength="255" title="${idOf ? (idWords[idOf]?.takes ?? 'An ID, such as prt_01…') : ''}" autocomplete="off" ${idOf ? html`pattern="${patternOf(idOf)}"` : nothing} ${offered.length > 0 ? html`list="${id}-offered"` : nothing}>${offered.length > 0 ? html`<datalist id="${id}-offered">${offered.map((one) => html`<option value="${one}"></option>`)}</datalist>` : nothing}`;
  }
  return html`<select id="${id}" name="${name}">${choices.map(
    (one) =>
      html`<option value="${one.value}" ${one.value === value ? html`selected` : nothing}>${one.text}</option>`,
  )}</select>`;
}

function chosenIn(query: PageContext['query'], name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : '';
}

/** A range of days, inclusive, as `yyyy-mm-dd`; without one of them, it is open on that side. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
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
 * @param pathOf the address of the list for a range
 */
export function datePresets(
  nowMs: number,
  shown: DayRange,
  pathOf: (range: DayRange) => string,
): Html {
  return html`<nav class="presets" aria-label="Days">${presetsAt(nowMs).map(([text, range]) => {
    const isShown = range.from === shown.from && range.to === shown.to;
    return html`<a href="${pathOf(range)}" ${isShown ? html`class="is-shown" aria-current="true"` : nothing}>${text}</a>`;
  })}</nav>`;
}

/** Presets for a list with the query parameters `from` and `to`. */
export function daysOf({ path, query }: Pick<PageContext, 'path' | 'query'>, nowMs: number): Html {
  const given = (name: 'from' | 'to') => {
    const day = query[name];
    return typeof day === 'string' && day !== '' ? day : undefined;
  };
  return datePresets(nowMs, { from: given('from'), to: given('to') }, ({ from = '', to = '' }) =>
    pathWith(path, { ...query, ...firstPage, from, to }),
  );
}

/** Cursors belong to a range and are dropped with it. */
const firstPage = { cursor: '', older: '', newer: '' };

/** The fields for entering the days. */
export const dayFilters = (): readonly Filter[] => [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'To', type: 'date' },
];

/** The search box for any kind of id. @param typed the previous search */
export function findForm(typed = ''): Html {
  return html`<search><form method="get" action="/find" class="find-form">
<label for="q">Find an order, refund, event, reward, request or Idempotency-Key</label>
<div><input id="q" name="q" type="search" class="find-typed" value="${typed}" maxlength="255" autocomplete="off" spellcheck="false" required>
<button type="submit" class="primary">Find</button></div></form></search>`;
}

type FilterContext = Pick<PageContext, 'path' | 'query' | 'state'>;

/** Filters a list by a partner's name, with suggestions. */
export function partnerFilter({ state }: FilterContext): Filter {
  const { offered = [] } = state.partnerFilter ?? {};
  return {
    name: 'partner',
    label: 'Partner',
    placeholder: 'Name or ID',
    offered: offered.map(({ name }) => name),
  };
}

/** Says that the text matches no partner, or several. Part of the list, which is then empty. */
export function partnerFilterNote({ path, query, state }: FilterContext): Html {
  const { typed, found = [] } = state.partnerFilter ?? {};
  if (typed === undefined || found.length === 1) return nothing;
  if (found.length === 0) return notice('warn', `No partner matches “${typed}”.`);
  const links = found.map(({ _id, name }) => {
    const narrowed = Object.entries({ ...query, partner: _id }).flatMap(([key, value]) =>
      typeof value === 'string' && key !== 'cursor' ? [[key, value] as [string, string]] : [],
    );
    return html` <a href="${path}?${new URLSearchParams(narrowed).toString()}">${name}</a>`;
  });
  return notice('info', html`Several partners match “${typed}”:${links}`);
}
