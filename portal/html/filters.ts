import type { PageContext } from '../context.ts';
import { type IdFilter, patternOf } from '../forms/id-filters.ts';
import { say } from '../words/say.ts';
import { tags } from '../words/tags.ts';
import { notice } from './components.ts';
import type { Choice } from './form.ts';
import { type Html, html, nothing } from './html.ts';

/** Something that a list is narrowed by: a choice, a text or a day. */
export interface Filter {
  name: string;
  label: string;
  /** Without them it is typed. The first choice is any. */
  choices?: readonly Choice[];
  type?: 'text' | 'date';
  placeholder?: string;
  /** It takes an id. */
  id?: IdFilter;
  /** Offered while it is typed. */
  offered?: readonly string[];
}

/** Every state of a list of states, and any of them first. */
export function choicesOf(states: readonly string[], textOf: (state: string) => string): Choice[] {
  return [
    { value: '', text: say('filters.any') },
    ...states.map((value) => ({ value, text: textOf(value) })),
  ];
}

/**
 * What narrows the list of a page, whose part is `#list`. With JavaScript it is asked for as soon as
 * something is changed.
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

/** A filter by an id. @param placeholder how such an id begins */
export const idFilterField = (id: IdFilter, label: string, placeholder: string): Filter => ({
  ...{ name: id, id, label, placeholder },
});

/** Says of which filters nothing can match what was typed. Stands within the list, which is then empty. */
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
