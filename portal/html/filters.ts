import type { PageContext } from '../context.ts';
import { type IdFilter, patternOf } from '../forms/id-filters.ts';
import { emptyState, notice } from './components.ts';
import type { Choice } from './form.ts';
import { type Html, html, nothing } from './html.ts';

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
