import Joi from 'joi';

/** The fields that several operations share. */

/** An id of what something is done to; what is not there is not found. */
export const idField = Joi.string().required();

const trimmed = (maxLength: number) => Joi.string().trim().min(1).max(maxLength);

/** What something is called: one line without blanks around it. */
export const shortText = (maxLength: number) =>
  trimmed(maxLength)
    .pattern(/^[^\p{Cc}\u2028\u2029]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line of printable characters' });

/** What somebody says, in one line or several. */
export const longText = (maxLength: number) =>
  trimmed(maxLength)
    .pattern(/^(?:\P{Cc}|[\t\n\r])*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must not contain control characters' });

/** An address, in the one spelling under which it is kept. */
export const emailField = Joi.string()
  .email({ tlds: false })
  .max(255)
  .custom((address: string) => address.toLowerCase());

export const currencyCode = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .messages({ 'string.pattern.base': '{{#label}} must be three capital letters' });

/** What names a movement of money or points, so that a repeat moves nothing. */
export const referenceField = shortText(160);
