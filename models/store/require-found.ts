import { ServiceError } from '../../domain/errors.ts';

/** The document, if it was found. @throws ServiceError NOT_FOUND */
export function requireFound<T>(document: T | null, what: string, id: string): T {
  if (document) return document;
  throw new ServiceError('NOT_FOUND', `There is no ${what} ${JSON.stringify(id)}.`);
}
