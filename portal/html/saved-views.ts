import { type SavedList, type SavedView, savedFilters } from '../../domain/saved-views.ts';
import type { PageContext } from '../context.ts';
import { filtersIn, pathOfView } from '../forms/list-filters.ts';
import { defaultModeOf } from '../routing/chosen-mode.ts';
import { behind } from '../session/viewing.ts';
import { say } from '../words/say.ts';
import { type Html, html, nothing } from './html.ts';

export const savedViewsPath = (list: SavedList): string => `/saved-views/${list}`;

/** The views of a list that somebody keeps; who looks at another's portal keeps none there. */
export function ownViews(
  { state }: Pick<PageContext<'user'>, 'state'>,
  list: SavedList,
): readonly SavedView[] {
  return state.viewer.user.savedViews?.[list] ?? [];
}

/** Above a list: the views that its reader keeps, and the way to keep what is shown now. */
export function savedViews(ctx: PageContext<'partner' | 'operator'>, list: SavedList): Html {
  const { viewer } = ctx.state;
  if (behind(viewer)) return nothing;
  const shown = filtersIn(list, {
    // A view shows the same when the partner is LIVE one day, and what is usual another.
    ...(viewer.kind === 'partner' && { mode: defaultModeOf(viewer.partner) }),
    ...filled(ctx.query),
  });
  const views = ownViews(ctx, list);
  if (shown === null || isUnnamed(ctx)) return nothing;
  const path = savedViewsPath(list);
  const isSaved = views.some(({ filters }) => isSame(list, filters, shown));
  return html`<nav class="presets saved-views" aria-label="${say('savedViews.savedViews')}"><span class="muted">${say('savedViews.views')}</span>${views.map(
    ({ name, filters }) =>
      html`<a href="${pathOfView(list, filters)}" ${isSame(list, filters, shown) ? html`class="is-shown" aria-current="true"` : nothing}>${name}</a>`,
  )}${isSaved ? nothing : html`<a class="quiet" href="${path}/new?${new URLSearchParams(shown).toString()}">${say('savedViews.saveThisView')}</a>`}${
    views.length === 0
      ? nothing
      : html`<a class="quiet" href="${path}">${say('savedViews.manageViews')}</a>`
  }</nav>`;
}

/** What was typed as a partner and names none is no view to keep; it may be somebody's address. */
const isUnnamed = ({ state }: Pick<PageContext, 'state'>): boolean =>
  state.partnerFilter?.typed !== undefined && state.partnerFilter.found.length === 0;

const filled = (query: PageContext['query']) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

const isSame = (
  list: SavedList,
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean => savedFilters[list].every((name) => a[name] === b[name]);
