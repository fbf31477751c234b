import Joi from 'joi';
import { maxNoteChars } from '../../domain/review-notes.ts';
import { isCommonPassword } from './common-passwords.ts';

/** The fields that several forms share, with messages for who fills them in. */

export const emailField = Joi.string().trim().lowercase().email({ tlds: false }).max(255).messages({
  'any.required': 'Enter an email address.',
  'string.email': 'Enter a valid email address.',
});

/** A password that is asked for, of whatever length. */
export const currentPassword = Joi.string()
  .max(200)
  .messages({ 'any.required': 'Enter your password.' });

const minPasswordChars = 12;

export const newPassword = Joi.string()
  .min(minPasswordChars)
  .max(200)
  .custom((password: string, { error }) =>
    isCommonPassword(password) ? error('password.common') : password,
  )
  .messages({
    'any.required': 'Choose a password.',
    'string.min': `Choose a password of at least ${minPasswordChars} characters.`,
    'string.max': 'A password has at most 200 characters.',
    'password.common': 'This password is one of the most common ones. Choose another.',
  });

export const nameField = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a name.',
    'string.max': 'At most 100 characters.',
    'string.pattern.base': 'A name is one line of text.',
  });

/** Where a form leads back to; checked where it is used, by `safePath`. */
export const backField = Joi.string().max(1_000);

/** What names a movement of money or points, so that a repeat moves nothing. */
export const referenceField = Joi.string()
  .trim()
  .max(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a reference.',
    'string.max': 'At most 160 characters.',
    'string.pattern.base': 'A reference is one line of text.',
  });

/** Why somebody does something, in their own words. */
export const reasonField = Joi.string().trim().max(500).messages({
  'any.required': 'Say why.',
  'string.max': 'At most 500 characters.',
});

/** What somebody writes beside a review. */
export const noteSchema = Joi.object<{ text: string }>({
  text: Joi.string()
    .trim()
    .max(maxNoteChars)
    .required()
    .messages({
      'any.required': 'Enter some text.',
      'string.empty': 'Enter some text.',
      'string.max': `At most ${maxNoteChars} characters.`,
    }),
});
