import Joi from 'joi';
import { numberText } from '../components/format.ts';

/** A message with the rule's limit, its digits grouped: `1,000`. @param text contains `{limit}` */
export const withLimit = (text: string) =>
  Joi.expression(text.replace('{limit}', '{grouped(#limit)}'), {
    functions: { grouped: numberText },
  } as Joi.ReferenceOptions);

export const tooLong = withLimit('Enter at most {limit} characters.');
export const tooLarge = withLimit('Enter at most {limit}.');
export const tooSmall = withLimit('Enter at least {limit}.');

/**
 * The messages of a form, by Joi's error codes, where a field's rule has none of its own. None names
 * its field, since it is shown beside it.
 */
export const defaultMessages = {
  'any.only': 'Choose one of the values offered.',
  'any.required': 'Enter a value.',
  'number.base': 'Enter a number.',
  'number.integer': 'Enter a whole number.',
  'number.max': tooLarge,
  'number.min': tooSmall,
  'number.unsafe': 'This number is too large.',
  'string.empty': 'Enter a value.',
  'string.max': tooLong,
  '*': 'This value is not valid.',
};
