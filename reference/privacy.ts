import { post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import { instant, object, type Schema, text } from './shapes.ts';
import { Proposed } from './shared.ts';

export const CustomerContact: Schema = {
  description: 'Give one of the two.',
  oneOf: [
    object({
      email: text('The email address.', {
        minLength: 1,
        maxLength: 320,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    }),
    object({
      phone: text('The phone number.', {
        minLength: 1,
        maxLength: 32,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    }),
  ],
};

export const CustomerId: Schema = object({
  customerId: text('The customer, `cus_…`: a keyed hash that does not reveal who it is.'),
  partnerId: text('The partner, `prt_…`.'),
});

export const ErasureCreate: Schema = object({
  reference: text(
    "Identifies the erasure, such as the number of the customer's request. Never the customer's name or address.",
    {
      minLength: 1,
      maxLength: 160,
      pattern:
        '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
    },
  ),
});

export const Erasure: Schema = object({
  erasureId: text('The erasure.'),
  partnerId: text('The partner, `prt_…`.'),
  customerId: text('The customer, `cus_…`: a keyed hash that does not reveal who it is.'),
  reference: text('The reference of the request.'),
  erasedAt: instant('What was reported later is kept.'),
});

export const privacy = section('Privacy', 'Look up and erase customers.', [
  post('/admin/v1/customers/{customerId}/erasure', {
    id: 'eraseCustomer',
    summary: 'Erase a customer',
    description:
      'Destroys the keys of everything sealed for the customer until now: contact, metadata, reasons and claim tokens. Rewards, points, money and links that were already sent remain. It cannot be undone. Repeating a reference erases nothing that was reported later.',
    by: 'operator',
    parameters: [at.CustomerId],
    body: ErasureCreate,
    gives: {
      200: ['An erasure with this reference was made before.', Erasure],
      201: ['The sealed data is unreadable.', Erasure],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/customer-lookup', {
    id: 'lookUpCustomer',
    summary: 'Look up a customer’s id',
    description:
      "Computes the `customerId` from the customer's email address or, if the partner sends none, phone number. The response does not reveal whether the customer ever bought anything. The look-up is recorded in the audit log.",
    by: 'operator',
    parameters: [at.PartnerId],
    body: CustomerContact,
    gives: { 200: ['The customer id.', CustomerId] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
]);
