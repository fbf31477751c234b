import Joi from 'joi';

/** The fields that several bodies of the operators' API share. */

/** What something is called: text without blanks around it. */
export const shortText = (maxLength: number) => Joi.string().trim().min(1).max(maxLength);

export const currencyCode = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .messages({ 'string.pattern.base': '{{#label}} must be three capital letters' });

/** What names a movement of money or points, so that a repeat moves nothing. */
export const movementReference = shortText(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be printable: 1 to 160 characters' });
