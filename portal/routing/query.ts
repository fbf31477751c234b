import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { PageContext } from '../context.ts';

/**
 * The checked query of a page; empty parameters count as left out, since a form sends them.
 * @throws ServiceError NOT_FOUND for a query that no page of ours links to
 */
export function queryOf<T>({ query }: Pick<PageContext, 'query'>, schema: ObjectSchema<T>): T {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(given), { stripUnknown: true });
  if (error) throw new ServiceError('NOT_FOUND', 'This address is not valid.');
  return value;
}
