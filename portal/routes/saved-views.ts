import Joi from 'joi';
import { type SavedList, savedFilters } from '../../domain/saved-views.ts';
import { execute } from '../../operations/execute.ts';
import { createSavedView } from '../../operations/saved-views/create.ts';
import { deleteSavedView } from '../../operations/saved-views/delete.ts';
import { renameSavedView } from '../../operations/saved-views/rename.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField } from '../forms/fields.ts';
import { filteredLists, filtersIn, pathOfView } from '../forms/list-filters.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { newSavedViewPage, savedViewPage, savedViewsPage } from '../html/pages/saved-views.ts';
import { ownViews, savedViewsPath } from '../html/saved-views.ts';
import { render } from '../html/view.ts';
import { notFound, orNotFound } from '../middleware/well-formed.ts';
import { actorOf } from '../operate.ts';
import type { Routes } from '../routing/route-table.ts';

const ofUser = { audience: 'user', permission: null } as const;
const ofList = { ...ofUser, params: { list: 'savedList' } } as const;
const ofView = { ...ofUser, params: { list: 'savedList', savedViewId: 'savedView' } } as const;
const creating = { ...ofList, path: '/saved-views/:list/new' } as const;
const one = '/saved-views/:list/:savedViewId';

const name = nameField.required();
const filterNames = [...new Set(Object.values(savedFilters).flat())];
/** A name, and filters, which the list's own schema validates. */
const newSchema = Joi.object<{ name: string } & Record<string, string>>({
  name,
  ...Object.fromEntries(filterNames.map((filter) => [filter, Joi.string().max(255)])),
});

/** Saved views: named filters of lists. */
export function savedViewPages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: newSchema, act: create, retry: showNew });
  routes.page({ ...ofList, path: '/saved-views/:list' }, showAll);
  routes.page({ ...ofList, path: '/saved-views/:list/edit' }, showEdit);
  routes.action(
    { ...ofView, path: `${one}/rename` },
    { schema: Joi.object<{ name: string }>({ name }), act: rename, retry: showAgain },
  );
  routes.action({ ...ofView, path: `${one}/delete` }, { schema: Joi.object({}), act: remove });
}

/** @throws ServiceError NOT_FOUND for a list that the viewer may not open */
function listOf(ctx: PageContext<'user'>): SavedList {
  const list = param(ctx, 'list') as SavedList;
  if (!ctx.state.mayOpen(filteredLists[list].path)) throw notFound();
  return list;
}

function viewOf(ctx: PageContext<'user'>, list: SavedList) {
  const id = param(ctx, 'savedViewId');
  return orNotFound(ownViews(ctx, list).find((view) => view.id === id) ?? null);
}

function showNew(ctx: PageContext<'user'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  const list = listOf(ctx);
  const given = ctx.method === 'POST' ? filled.values : ctx.query;
  render(ctx, newSavedViewPage(ctx, list, orNotFound(filtersIn(list, given)), filled));
}

async function create(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  sent: { name: string } & Record<string, string>,
): Promise<void> {
  const list = listOf(ctx);
  const filters = orNotFound(filtersIn(list, sent));
  await execute(deps, createSavedView, actorOf(ctx), { list, name: sent.name, filters });
  redirect(ctx, pathOfView(list, filters), 'View saved.');
}

function showAll(ctx: PageContext<'user'>): void {
  const list = listOf(ctx);
  render(ctx, savedViewsPage(list, ownViews(ctx, list)));
}

/** The page of a view; if it does not exist, redirects to the list of views. */
function showEdit(ctx: PageContext<'user'>): void {
  const list = listOf(ctx);
  const view = ownViews(ctx, list).find(({ id }) => id === ctx.query.view);
  if (view) render(ctx, savedViewPage(ctx, list, view));
  else redirect(ctx, savedViewsPath(list));
}

function showAgain(ctx: PageContext<'user'>, _deps: PageDeps, filled: Filled): void {
  const list = listOf(ctx);
  render(ctx, savedViewPage(ctx, list, viewOf(ctx, list), filled));
}

async function rename(
  ctx: PageContext<'user'>,
  deps: PageDeps,
  input: { name: string },
): Promise<void> {
  const list = listOf(ctx);
  const { id: savedViewId } = viewOf(ctx, list);
  await execute(deps, renameSavedView, actorOf(ctx), { list, savedViewId, name: input.name });
  redirect(ctx, savedViewsPath(list), 'View renamed.');
}

async function remove(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const list = listOf(ctx);
  const { id: savedViewId } = viewOf(ctx, list);
  await execute(deps, deleteSavedView, actorOf(ctx), { list, savedViewId });
  redirect(ctx, savedViewsPath(list), 'View deleted.');
}
