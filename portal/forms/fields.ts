import Joi from 'joi';
import { maxNoteChars } from '../../domain/review-notes.ts';
import { isCommonPassword } from './common-passwords.ts';

/** The fields that several forms share, with messages for who fills them in. */

export const emailField = Joi.string().trim().lowercase().email({ tlds: false }).max(255).messages({
  'any.required': 'field.enterEmailAddress',
  'string.email': 'field.enterValidEmailAddress',
});

/** A password that is asked for, of whatever length. */
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

/** Where a form leads back to; checked where it is used, by `safePath`. */
export const backField = Joi.string().max(1_000);

/** What names a movement of money or points, so that a repeat moves nothing. */
export const referenceField = Joi.string()
  .trim()
  .max(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'field.enterReference',
    'string.max': 'field.tooLong',
    'string.pattern.base': 'field.oneLine',
  });

/** Why somebody does something, in their own words. */
export const reasonField = Joi.string().trim().max(500).messages({
  'any.required': 'field.reason',
  'string.max': 'field.tooLong',
});

/** What somebody writes beside a review. */
export const noteSchema = Joi.object<{ text: string }>({
  text: Joi.string().trim().max(maxNoteChars).required().messages({
    'any.required': 'field.enterSomeText',
    'string.empty': 'field.enterSomeText',
    'string.max': 'field.tooLong',
  }),
});
