import Joi from 'joi';
import { maxSubtotalCents } from '../../domain/points.ts';
import type { PurchaseRequest } from '../../domain/purchase.ts';
import { atMost, externalId, metadata, occurredAt } from './fields.ts';

const address = Joi.string().email({ tlds: false }).max(254);

/** A valid email address, possibly surrounded by blanks, or a blank string. */
const email = Joi.string()
  .allow('')
  .custom(atMost(320))
  .custom((value: string, helpers) => {
    const trimmed = value.trim();
    return trimmed === '' || (trimmed.isWellFormed() && !address.validate(trimmed).error)
      ? value
      : helpers.error('string.email');
  })
  .messages({ 'string.email': '{{#label}} must be a valid email address or blank' });

const phone = Joi.string()
  .allow('')
  .custom(atMost(32))
  .custom((value: string, helpers) =>
    value.trim() === '' || /\p{Nd}/u.test(value) ? value : helpers.error('phone.digits'),
  )
  .messages({ 'phone.digits': '{{#label}} must contain the digits of a phone number or be blank' });

/** Whether a field is given. A value of another type than text counts as given, and is refused for its type. */
const isPresent = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined;

export const purchaseSchema = Joi.object<PurchaseRequest, true>({
  externalOrderId: externalId.required(),
  customer: Joi.object({ email, phone })
    .required()
    .custom((value: PurchaseRequest['customer'], helpers) =>
      isPresent(value.email) || isPresent(value.phone) ? value : helpers.error('customer.none'),
    )
    .messages({ 'customer.none': 'customer.email or customer.phone is required' }),
  order: Joi.object({
    subtotalCents: Joi.number().integer().min(0).max(maxSubtotalCents).required(),
    currency: Joi.string()
      .pattern(/^[A-Za-z]{3}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be a three-letter currency code' }),
  }).required(),
  occurredAt,
  metadata: metadata({ allowCostFields: false }),
})
  .required()
  .label('body');
