import {
  maxSavedViews,
  maxViewNameChars,
  type SavedList,
  type SavedView,
} from '../../../domain/saved-views.ts';
import type { PageContext } from '../../context.ts';
import { filteredLists, pathOfView } from '../../forms/list-filters.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { emptyState, linkButton, table, wordsOf } from '../components.ts';
import { confirm, field, form, hidden } from '../form.ts';
import { type Html, html } from '../html.ts';
import { savedViewsPath } from '../saved-views.ts';
import { type Page, page } from '../view.ts';

const crumbsOf = (list: SavedList) =>
  [[say(filteredLists[list].name), filteredLists[list].path]] as const;

export function newSavedViewPage(
  ctx: PageContext<'user'>,
  list: SavedList,
  filters: Readonly<Record<string, string>>,
  filled: Filled,
): Page {
  return page(
    {
      title: say('savedViews.newSavedView.title'),
      crumbs: crumbsOf(list),
      lead: say('savedViews.newSavedView.lead', { name: say(filteredLists[list].name) }),
    },
    html`<div class="card narrow"><p>${filterWords(filters)}</p>${form(
      ctx,
      {
        action: `${savedViewsPath(list)}/new`,
        submit: say('savedViews.newSavedView.submit'),
        filled,
      },
      nameField(filled),
      Object.entries(filters).map(([name, value]) => hidden(name, value)),
    )}</div>`,
  );
}

export function savedViewsPage(list: SavedList, views: readonly SavedView[]): Page {
  const { name, path } = filteredLists[list];
  const listName = say(name);
  return page(
    {
      title: say('savedViews.title', { listName }),
      crumbs: crumbsOf(list),
      lead: say('savedViews.lead', { count: views.length, maxSavedViews }),
    },
    html`<section class="card">${table({
      caption: say('savedViews.caption'),
      columns: [
        {
          heading: say('savedViews.view'),
          cell: ({ name, filters }) => html`<a href="${pathOfView(list, filters)}">${name}</a>`,
        },
        {
          heading: say('savedViews.filters'),
          cell: ({ filters }) => filterWords(filters),
          isText: true,
        },
        {
          heading: '',
          cell: ({ id }) =>
            html`<a href="${savedViewsPath(list)}/edit?view=${id}">${say('savedViews.renameOrDelete')}</a>`,
        },
      ],
      rows: views,
      empty: emptyState(
        say('savedViews.empty.title'),
        say('savedViews.empty.text'),
        linkButton(path, say('savedViews.goTo', { listName })),
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
      crumbs: [...crumbsOf(list), [say('savedViews.yourViews'), savedViewsPath(list)]],
      lead: filterWords(filters),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: `${path}/rename`, submit: say('savedViews.savedView.submit'), filled },
      nameField('name' in filled.values ? filled : { ...filled, values: { name } }),
    )}</div>`,
    html`<div class="card narrow">${confirm(ctx, {
      ask: say('savedViews.savedView.ask'),
      action: `${path}/delete`,
      submit: say('savedViews.savedView.submit.deleteView'),
      question: say('savedViews.savedView.question'),
    })}</div>`,
  );
}

const nameField = (filled: Filled): Html =>
  field({
    name: 'name',
    label: say('common.name'),
    filled,
    isRequired: true,
    maxLength: maxViewNameChars,
  });

/** The filters of a view, as text. */
function filterWords(filters: Readonly<Record<string, string>>): Html {
  const all = Object.entries(filters);
  return all.length === 0
    ? html`<span class="muted">${say('savedViews.noFilter')}</span>`
    : html`${all.map(([name, value]) => html`<span class="filter-words"><span class="muted">${wordsOf(name)}</span> ${value}</span> `)}`;
}
