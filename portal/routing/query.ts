import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { PageContext } from '../context.ts';
import { type IdFilter, notAnId } from './params.ts';

/**
 * The validated query of a page; empty parameters, which forms send, count as absent.
 * @throws ServiceError NOT_FOUND for a query that none of our pages link to
 */
export function queryOf<T>({ query }: Pick<PageContext, 'query'>, schema: ObjectSchema<T>): T {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(given), { stripUnknown: true });
  if (error) throw new ServiceError('NOT_FOUND', 'This address is not valid.');
  return value;
}

/** An id that nothing has: filtering by it gives an empty list. */
const nothing = 'none';

/**
 * Like `queryOf`, for a list with filters by id. Text that is not an id makes the list empty, and the page
 * says so (`unmatchedNote`). It may be an email address, so it is neither looked up nor stored.
 */
export function filtersOf<T>(
  ctx: Pick<PageContext, 'query' | 'state'>,
  schema: ObjectSchema<T>,
): T {
  const { error } = schema.validate(ctx.query, { allowUnknown: true, abortEarly: false });
  const unmatched = (error?.details ?? []).flatMap(({ type, path: [filter], context }) =>
    type === notAnId && context?.value !== ''
      ? [{ filter: filter as IdFilter, typed: String(context?.value) }]
      : [],
  );
  if (unmatched.length === 0) return queryOf(ctx, schema);
  ctx.state.unmatched = unmatched;
  const names = unmatched.map(({ filter }) => filter);
  const others = Object.entries(ctx.query).filter(([name]) => !names.includes(name as IdFilter));
  const query = queryOf({ query: Object.fromEntries(others) }, schema);
  return { ...query, ...Object.fromEntries(names.map((name) => [name, nothing])) };
}
