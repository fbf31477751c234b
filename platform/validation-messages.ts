/**
 * Replacements for Joi's messages that are clumsy or repeat the submitted value. A schema's own
 * `.messages()` take precedence.
 */
export const validationMessages = {
  'array.base': '{{#label}} must be an array',
  'array.max': '{{#label}} must have at most {{#limit}} items',
  'array.min': '{{#label}} must have at least {{#limit}} items',
  'array.unique': '{{#label}} repeats an earlier item',
  'number.base': '{{#label}} must be a number',
  'number.infinity': '{{#label}} must be a finite number',
  'number.integer': '{{#label}} must be an integer',
  'number.max': '{{#label}} must be at most {{#limit}}',
  'number.min': '{{#label}} must be at least {{#limit}}',
  'number.unsafe': '{{#label}} must be a smaller number',
  'object.base': '{{#label}} must be an object',
  'object.min': '{{#label}} must have at least {{#limit}} fields',
  'object.unknown': '{{#label}} is not a known field',
  'string.empty': '{{#label}} must not be empty',
  'string.length': '{{#label}} must have exactly {{#limit}} characters',
  'string.max': '{{#label}} must have at most {{#limit}} characters',
  'string.min': '{{#label}} must have at least {{#limit}} characters',
  'string.pattern.base': '{{#label}} is not in the expected format',
};
