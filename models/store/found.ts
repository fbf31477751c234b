import { ServiceError } from '../../domain/errors.ts';

/** What was looked up. @throws ServiceError NOT_FOUND */
export function found<T>(document: T | null, what: string, id: string): T {
  if (document) return document;
  throw new ServiceError('NOT_FOUND', `There is no ${what} ${JSON.stringify(id)}.`);
}
