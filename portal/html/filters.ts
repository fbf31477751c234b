import type { PageContext } from '../context.ts';
import { type IdFilter, patternOf } from '../forms/id-filters.ts';
import { say } from '../words/say.ts';
import { tags } from '../words/tags.ts';
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
  return [
    { value: '', text: say('filters.any') },
    ...states.map((value) => ({ value, text: textOf(value) })),
  ];
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
  return html`<search><form method="get" action="${path}" class="filters" aria-label="${say('filters.filter')}"
hx-get="${path}" hx-target="#list" hx-select="#list" hx-swap="outerHTML" hx-push-url="true" hx-trigger="change, submit">
${filters.map((one) => html`<div class="filter"><label for="filter-${one.name}">${one.label}</label>${control(one, chosenIn(query, one.name))}</div>`)}
<button type="submit" class="secondary">${say('filters.filter')}</button>${isNarrowed ? html`<a class="filter-reset" href="${path}">${say('filters.reset')}</a>` : nothing}</form></search>`;
}

/** A filter by id. @param placeholder the beginning of such an id */
export const idFilterField = (id: IdFilter, label: string, placeholder: string): Filter => ({
  name: id,
  id,
  label,
  placeholder,
});

/** Names the filters whose text is not an id. Part of the list, which is then empty. */
export function unmatchedNote({ state }: Pick<PageContext, 'state'>): Html {
  const { unmatched = [] } = state;
  const path = state.viewer?.kind === 'operator' ? '/admin/find-customer' : '/find-customer';
  return html`${unmatched.map(({ filter, typed }) =>
    notice(
      'warn',
      say('filters.unmatched', { filter, typed }),
      filter === 'customer'
        ? html` ${say('filters.findByContact', { link: tags.link(path) })}`
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
    : emptyState(say('filters.empty.title'), say('filters.empty.text'));
}

function control(
  { name, choices, type = 'text', placeholder = '', id: idOf, offered = [] }: Filter,
  value: string,
): Html {
  const id = `filter-${name}`;
  if (!choices) {
    return html`<input id="${id}" name="${name}" type="${type}" value="${value}" placeholder="${placeholder}" maxlength="255" title="${idOf ? say('filters.takes', { filter: idOf }) : ''}" autocomplete="off" ${idOf ? html`pattern="${patternOf(idOf)}"` : nothing} ${offered.length > 0 ? html`list="${id}-offered"` : nothing}>${offered.length > 0 ? html`<datalist id="${id}-offered">${offered.map((one) => html`<option value="${one}"></option>`)}</datalist>` : nothing}`;
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
