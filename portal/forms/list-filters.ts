import Joi, { type ObjectSchema } from 'joi';
import { type SavedList, savedFilters } from '../../domain/saved-views.ts';
import type { NavKey } from '../nav.ts';
import { logSchema } from './log-query.ts';
import { auditLogFilters, ledgerFilters, reviewFilters } from './record-queries.ts';
import { rewardQuerySchema } from './reward-query.ts';

/** The lists that have filters to keep: where each is, what it is called, and what its filters may be. */
export const filteredLists: Record<
  SavedList,
  { path: string; name: NavKey; schema: ObjectSchema<object> }
> = {
  events: { path: '/events', name: 'nav.events', schema: logSchema },
  rewards: { path: '/rewards', name: 'nav.rewards', schema: rewardQuerySchema },
  reviews: { path: '/admin/reviews', name: 'nav.reviews', schema: Joi.object(reviewFilters) },
  ledger: { path: '/admin/ledger', name: 'nav.ledger', schema: Joi.object(ledgerFilters) },
  audit: { path: '/admin/audit', name: 'nav.auditLog', schema: Joi.object(auditLogFilters) },
};

/**
 * The filters of a list in a query or a form, which has its pages, too, and whatever somebody adds.
 * @returns null for what its page would not take
 */
export function filtersIn(
  list: SavedList,
  given: Readonly<Record<string, unknown>>,
): Record<string, string> | null {
  const kept: Record<string, string> = {};
  for (const name of savedFilters[list]) {
    const value = given[name];
    if (typeof value === 'string' && value !== '') kept[name] = value;
  }
  return filteredLists[list].schema.validate(kept).error ? null : kept;
}

/** Where a list is shown by filters. */
export function pathOfView(list: SavedList, filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(filters).toString();
  const { path } = filteredLists[list];
  return query === '' ? path : `${path}?${query}`;
}
