import Joi from 'joi';

/** The fields that several operations share. */

/** An id of what something is done to; what is not there is not found. */
export const idField = Joi.string().required();

/** What something is called: text without blanks around it. */
export const shortText = (maxLength: number) => Joi.string().trim().min(1).max(maxLength);

/** An address, in the one spelling under which it is kept. */
export const emailField = Joi.string()
  .email({ tlds: false })
  .max(255)
  .custom((address: string) => address.toLowerCase());

export const currencyCode = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .messages({ 'string.pattern.base': '{{#label}} must be three capital letters' });

/** What names a movement of money or points, so that a repeat moves nothing. */
export const referenceField = shortText(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be printable: 1 to 160 characters' });
