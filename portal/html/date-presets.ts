import { dayMs } from '../../domain/utc-days.ts';
import type { PageContext } from '../context.ts';
import type { Filter } from './filters.ts';
import { type Html, html, nothing } from './html.ts';
import { pathWith } from './pager.ts';

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
