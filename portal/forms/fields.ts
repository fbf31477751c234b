import Joi from 'joi';
import { maxNoteChars } from '../../domain/review.ts';
import { isCommonPassword } from './common-passwords.ts';
import { tooLong, withLimit } from './default-messages.ts';

/** Fields that several forms share, with their messages. */

export const emailField = Joi.string().trim().lowercase().email({ tlds: false }).max(255).messages({
  'any.required': 'Enter an email address.',
  'string.email': 'Enter a valid email address.',
});

/** An existing password, of any length. */
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
    'string.min': withLimit('Choose a password of at least {limit} characters.'),
    'string.max': tooLong,
    'password.common': 'This password is too common. Choose another.',
  });

export const nameField = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a name.',
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  });

/** Where a form returns to; `safePath` checks it on use. */
export const backField = Joi.string().max(1_000);

/** Identifies a movement of money or points, so that repeating it moves nothing. */
export const referenceField = Joi.string()
  .trim()
  .max(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a reference.',
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  });

/** A reason in the actor's own words. */
export const reasonField = Joi.string().trim().max(500).messages({
  'any.required': 'Give a reason.',
  'string.max': tooLong,
});

/** A note on a review. */
export const noteSchema = Joi.object<{ text: string }>({
  text: Joi.string().trim().max(maxNoteChars).required().messages({
    'any.required': 'Enter some text.',
    'string.empty': 'Enter some text.',
    'string.max': tooLong,
  }),
});
