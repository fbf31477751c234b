import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { isInstant } from '../../domain/purchase.ts';
import { limitField } from '../../http/query.ts';
import { customerOfContact } from '../../models/identity/customer-of-contact.ts';
import type { ChangePosition, ChangeQuery, Changes } from '../../models/store/change-paging.ts';
import { check } from '../../platform/validation.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principal } from '../principals.ts';
import { customerSchema, optionalField } from './events.ts';

/** The lists of orders and redemptions: their parameters, in a query or in a body, and their cursors. */

const instant = Joi.string()
  .custom((text: string, helpers) =>
    isInstant(text) ? new Date(text) : helpers.error('date.offset'),
  )
  .messages({
    'date.offset':
      '{{#label}} must be an ISO 8601 date-time with a timezone offset, such as 2026-01-31T09:30:00Z; percent-encode a + as %2B',
  });

const cursor = Joi.string()
  .max(256)
  .custom((text: string): ChangePosition => {
    const [, atMs = '', _id = ''] =
      /^(\d{1,15})\.(\w{1,40})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
    if (_id === '') throw new Error('form');
    return { updatedAt: new Date(Number(atMs)), _id };
  })
  .messages({ 'any.custom': 'cursor must be the nextCursor of a previous page' });

const maxLimit = 100;

/** @param statuses those that the list can be narrowed to */
const fields = (statuses: readonly string[]) => ({
  cursor,
  changedSince: instant,
  receivedFrom: instant,
  receivedTo: instant,
  status: Joi.string()
    .valid(...statuses)
    .messages({ 'any.only': `{{#label}} must be one of ${statuses.join(', ')}` }),
});

/** A validated request for a page of a list. */
export interface ListRequest<Status extends string> {
  limit?: number;
  cursor?: ChangePosition;
  changedSince?: Date;
  receivedFrom?: Date;
  receivedTo?: Date;
  status?: Status;
}

/** The parameters of a list in the query of a GET. */
export const listParameters = <Status extends string>(statuses: readonly Status[]) =>
  Joi.object<ListRequest<Status>>({ limit: limitField(maxLimit), ...fields(statuses) });

/** The same in the body of a POST, with the customer, whose contact must not stand in a URL. */
export type SearchRequest<Status extends string> = ListRequest<Status> & {
  customer: { email?: string; phone?: string };
};

export const searchSchema = <Status extends string>(statuses: readonly Status[]) =>
  Joi.object<SearchRequest<Status>>({
    customer: customerSchema.required(),
    limit: optionalField(Joi.number().integer().min(1).max(maxLimit)),
    ...Object.fromEntries(
      Object.entries(fields(statuses)).map(([name, schema]) => [name, optionalField(schema)]),
    ),
  })
    .required()
    .label('body');

/**
 * Reads the query of a list. It is not signed, so that it only narrows what is read.
 * @throws ServiceError UNEXPECTED_QUERY for a parameter that the list does not have; VALIDATION_FAILED
 */
export function listRequestOf<Status extends string>(
  ctx: ApiContext,
  schema: ReturnType<typeof listParameters<Status>>,
): ListRequest<Status> {
  const known: readonly string[] = Object.keys(schema.describe().keys);
  const unknown = Object.keys(ctx.query).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ServiceError(
      'UNEXPECTED_QUERY',
      `This endpoint has no parameter of this name. It takes ${known.join(', ')}.`,
    );
  }
  return check(schema, { ...ctx.query });
}

/** The customer of a search. @throws ServiceError VALIDATION_FAILED if the contact identifies nobody */
export const customerOfSearch = (
  { config }: Pick<ApiDeps, 'config'>,
  { partnerId: _id, country }: Pick<Principal, 'partnerId' | 'country'>,
  { customer }: SearchRequest<string>,
): string => customerOfContact(config.customerHashKey, { _id, country }, customer);

/** As the lists of the models read it. */
export const changeQueryOf = ({ cursor: after, ...query }: ListRequest<string>): ChangeQuery => ({
  ...query,
  after,
});

/** Opaque; null on the last page. */
export const nextCursorOf = ({ next }: Pick<Changes<unknown>, 'next'>): string | null =>
  next === null
    ? null
    : Buffer.from(`${next.updatedAt.getTime()}.${next._id}`).toString('base64url');
