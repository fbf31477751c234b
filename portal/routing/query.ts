import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { PageContext } from '../context.ts';

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
