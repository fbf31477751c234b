import type { Key } from '../words/say.ts';

/**
 * The messages of a form, by Joi's error codes, where a field's rule names no text of its own. None names
 * its field, since it is shown beside it.
 */
export const defaultMessages = {
  'any.only': 'field.notOffered',
  'any.required': 'field.required',
  'number.base': 'field.enterNumber',
  'number.integer': 'field.wholeNumber',
  'number.max': 'field.tooLarge',
  'number.min': 'field.tooSmall',
  'number.unsafe': 'field.numberTooLarge',
  'string.empty': 'field.required',
  'string.max': 'field.tooLong',
  '*': 'field.notValid',
} as const satisfies Record<string, Key>;
