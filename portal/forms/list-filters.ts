import Joi, { type ObjectSchema } from 'joi';
import { type SavedList, savedFilters } from '../../domain/saved-views.ts';
import { logSchema } from './log-query.ts';
import { auditLogFilters, ledgerFilters, reviewFilters } from './record-queries.ts';
import { rewardQuerySchema } from './reward-query.ts';

/** The lists whose filters can be saved: path, name and schema of the filters. */
export const filteredLists: Record<
  SavedList,
  { path: string; name: string; schema: ObjectSchema<object> }
> = {
  events: { path: '/events', name: 'Events', schema: logSchema },
  rewards: { path: '/rewards', name: 'Rewards', schema: rewardQuerySchema },
  reviews: { path: '/admin/reviews', name: 'Reviews', schema: Joi.object(reviewFilters) },
  ledger: { path: '/admin/ledger', name: 'Ledger', schema: Joi.object(ledgerFilters) },
  audit: { path: '/admin/audit', name: 'Audit log', schema: Joi.object(auditLogFilters) },
};

/**
 * The filters of a list in a query or a form, without page cursors and unknown fields.
 * @returns null if the list does not accept them
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

/** The address of a list with filters. */
export function pathOfView(list: SavedList, filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(filters).toString();
  const { path } = filteredLists[list];
  return query === '' ? path : `${path}?${query}`;
}
