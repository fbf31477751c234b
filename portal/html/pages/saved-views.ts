import {
  maxSavedViews,
  maxViewNameChars,
  type SavedList,
  type SavedView,
} from '../../../domain/saved-views.ts';
import type { PageContext } from '../../context.ts';
import { filteredLists, pathOfView } from '../../forms/list-filters.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { emptyState, linkButton, table, wordsOf } from '../components.ts';
import { confirm, field, form, hidden } from '../form.ts';
import { type Html, html } from '../html.ts';
import { savedViewsPath } from '../saved-views.ts';
import { type Page, page } from '../view.ts';

const crumbsOf = (list: SavedList) =>
  [[filteredLists[list].name, filteredLists[list].path]] as const;

export function newSavedViewPage(
  ctx: PageContext<'user'>,
  list: SavedList,
  filters: Readonly<Record<string, string>>,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Save this view',
      crumbs: crumbsOf(list),
      lead: `It appears above ${filteredLists[list].name}, and only you can see it. Dates are saved as fixed dates.`,
    },
    html`<div class="card narrow"><p>${filterWords(filters)}</p>${form(
      ctx,
      {
        action: `${savedViewsPath(list)}/new`,
        submit: 'Save view',
        filled,
      },
      nameField(filled),
      Object.entries(filters).map(([name, value]) => hidden(name, value)),
    )}</div>`,
  );
}

export function savedViewsPage(list: SavedList, views: readonly SavedView[]): Page {
  const { name, path } = filteredLists[list];
  const listName = name;
  return page(
    {
      title: `Your views of ${listName}`,
      crumbs: crumbsOf(list),
      lead: `${views.length} of ${maxSavedViews} used. Only you can see them.`,
    },
    html`<section class="card">${table({
      caption: 'Saved views',
      columns: [
        {
          heading: 'View',
          cell: ({ name, filters }) => html`<a href="${pathOfView(list, filters)}">${name}</a>`,
        },
        {
          heading: 'Filters',
          cell: ({ filters }) => filterWords(filters),
          isText: true,
        },
        {
          heading: '',
          cell: ({ id }) =>
            html`<a href="${savedViewsPath(list)}/edit?view=${id}">Rename or delete</a>`,
        },
      ],
      rows: views,
      empty: emptyState(
        'No saved views',
        'Filter the list, then choose “Save this view”.',
        linkButton(path, `Go to ${listName}`),
      ),
    })}</section>`,
  );
}

export function savedViewPage(
  ctx: PageContext<'user'>,
  list: SavedList,
  { id, name, filters }: SavedView,
  filled: Filled = emptyForm,
): Page {
  const path = `${savedViewsPath(list)}/${id}`;
  return page(
    {
      title: name,
      crumbs: [...crumbsOf(list), ['Your views', savedViewsPath(list)]],
      lead: filterWords(filters),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/rename`, submit: 'Rename', filled },
      nameField('name' in filled.values ? filled : { ...filled, values: { name } }),
    )}</div>`,
    html`<div class="card narrow">${confirm(ctx, {
      ask: 'Delete …',
      action: `${path}/delete`,
      submit: 'Delete view',
      question: 'Only this view is deleted; the list is not affected.',
    })}</div>`,
  );
}

const nameField = (filled: Filled): Html =>
  field({
    name: 'name',
    label: 'Name',
    filled,
    isRequired: true,
    maxLength: maxViewNameChars,
  });

/** The filters of a view, as text. */
function filterWords(filters: Readonly<Record<string, string>>): Html {
  const all = Object.entries(filters);
  return all.length === 0
    ? html`<span class="muted">No filter</span>`
    : html`${all.map(([name, value]) => html`<span class="filter-words"><span class="muted">${wordsOf(name)}</span> ${value}</span> `)}`;
}
