import { type SavedList, type SavedView, savedFilters } from '../../domain/saved-views.ts';
import type { PageContext } from '../context.ts';
import { filtersIn, pathOfView } from '../forms/list-filters.ts';
import { defaultModeOf } from '../routing/chosen-mode.ts';
import { viewingOperatorOf } from '../session/viewing.ts';
import { type Html, html, nothing } from './html.ts';

export const savedViewsPath = (list: SavedList): string => `/saved-views/${list}`;

/** The viewer's saved views of a list; an operator viewing a partner's portal has none. */
export function ownViews(
  { state }: Pick<PageContext<'user'>, 'state'>,
  list: SavedList,
): readonly SavedView[] {
  return state.viewer.user.savedViews?.[list] ?? [];
}

/** The bar above a list: the viewer's saved views, and a link to save the current one. */
export function savedViews(ctx: PageContext<'partner' | 'operator'>, list: SavedList): Html {
  const { viewer } = ctx.state;
  if (viewingOperatorOf(viewer)) return nothing;
  const shown = filtersIn(list, {
    // A view must show the same after the default mode changes at go-live.
    ...(viewer.kind === 'partner' && { mode: defaultModeOf(viewer.partner) }),
    ...filled(ctx.query),
  });
  const views = ownViews(ctx, list);
  if (shown === null || isUnnamed(ctx)) return nothing;
  const path = savedViewsPath(list);
  const isSaved = views.some(({ filters }) => isSame(list, filters, shown));
  return html`<nav class="presets saved-views" aria-label="Saved views"><span class="muted">Views</span>${views.map(
    ({ name, filters }) =>
      html`<a href="${pathOfView(list, filters)}" ${isSame(list, filters, shown) ? html`class="is-shown" aria-current="true"` : nothing}>${name}</a>`,
  )}${isSaved ? nothing : html`<a class="quiet" href="${path}/new?${new URLSearchParams(shown).toString()}">Save this view …</a>`}${
    views.length === 0 ? nothing : html`<a class="quiet" href="${path}">Manage views</a>`
  }</nav>`;
}

/** Text that matches no partner is not saved; it may be an email address. */
const isUnnamed = ({ state }: Pick<PageContext, 'state'>): boolean =>
  state.partnerFilter?.typed !== undefined && state.partnerFilter.found.length === 0;

const filled = (query: PageContext['query']) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

const isSame = (
  list: SavedList,
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean => savedFilters[list].every((name) => a[name] === b[name]);
