import Joi from 'joi';
import { isCurrency } from '../domain/currencies.ts';

/** Input fields that several operations share. */

/** The id of a target. Its form is not checked: an unknown id is NOT_FOUND. */
export const idField = Joi.string().required();

const trimmed = (maxLength: number) => Joi.string().trim().min(1).max(maxLength);

/** A name or other text of one line, trimmed. */
export const shortText = (maxLength: number) =>
  trimmed(maxLength)
    .pattern(/^[^\p{Cc}\u2028\u2029]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line of printable characters' });

/** A text of one or more lines, trimmed. */
export const longText = (maxLength: number) =>
  trimmed(maxLength)
    .pattern(/^(?:\P{Cc}|[\t\n\r])*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must not contain control characters' });

/** An email address, lowercased as it is stored. */
export const emailAddress = Joi.string()
  .email({ tlds: false })
  .max(255)
  .custom((address: string) => address.toLowerCase());

export const currencyCode = Joi.string()
  .custom((code: string, helpers) =>
    isCurrency(code) && code === code.toUpperCase() ? code : helpers.error('currency'),
  )
  .messages({ currency: '{{#label}} must be a currency of ISO 4217 in three capital letters' });

/** Identifies a movement of money or points, so that a repeat moves nothing. */
export const movementReference = shortText(160);
