import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { PageContext } from '../context.ts';
import { type IdFilter, notAnId } from '../forms/id-filters.ts';
import { say } from '../words/say.ts';

/**
 * The checked query of a page; empty parameters count as left out, since a form sends them.
 * @throws ServiceError NOT_FOUND for a query that no page of ours links to
 */
export function queryOf<T>({ query }: Pick<PageContext, 'query'>, schema: ObjectSchema<T>): T {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(given), { stripUnknown: true });
  if (error) throw new ServiceError('NOT_FOUND', say('error.badAddress'));
  return value;
}

/** Nothing’s id: a list narrowed by it is empty. */
const nothing = 'none';

/**
 * The same of a list that has filters by ids. What was typed there and is no id narrows the list to nothing,
 * and the page says so (`unmatchedNote`). It may be somebody's email address: it is neither looked up nor
 * written anywhere.
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
