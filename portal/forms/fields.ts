import Joi from 'joi';
import { maxNoteChars } from '../../domain/review-notes.ts';
import { isCommonPassword } from './common-passwords.ts';

/** Fields that several forms share, with their messages. */

export const emailField = Joi.string().trim().lowercase().email({ tlds: false }).max(255).messages({
  'any.required': 'field.enterEmailAddress',
  'string.email': 'field.enterValidEmailAddress',
});

/** An existing password, of any length. */
export const currentPassword = Joi.string()
  .max(200)
  .messages({ 'any.required': 'field.enterYourPassword' });

const minPasswordChars = 12;

export const newPassword = Joi.string()
  .min(minPasswordChars)
  .max(200)
  .custom((password: string, { error }) =>
    isCommonPassword(password) ? error('password.common') : password,
  )
  .messages({
    'any.required': 'field.choosePassword',
    'string.min': 'field.passwordTooShort',
    'string.max': 'field.tooLong',
    'password.common': 'field.passwordCommon',
  });

export const nameField = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'field.enterName',
    'string.max': 'field.tooLong',
    'string.pattern.base': 'field.oneLine',
  });

/** Where a form returns to; `safePath` checks it on use. */
export const backField = Joi.string().max(1_000);

/** Identifies a movement of money or points, so that repeating it moves nothing. */
export const referenceField = Joi.string()
  .trim()
  .max(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'field.enterReference',
    'string.max': 'field.tooLong',
    'string.pattern.base': 'field.oneLine',
  });

/** A reason in the actor's own words. */
export const reasonField = Joi.string().trim().max(500).messages({
  'any.required': 'field.reason',
  'string.max': 'field.tooLong',
});

/** A note on a review. */
export const noteSchema = Joi.object<{ text: string }>({
  text: Joi.string().trim().max(maxNoteChars).required().messages({
    'any.required': 'field.enterSomeText',
    'string.empty': 'field.enterSomeText',
    'string.max': 'field.tooLong',
  }),
});
