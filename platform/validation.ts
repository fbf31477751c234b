import Joi, { type ObjectSchema, type ValidationErrorItem } from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { dayStartMs } from '../domain/utc-days.ts';

/** Ends the message about a field that the schema does not have, whose name the caller made up. */
export const unknownField = 'is not a known field';

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
  'object.unknown': `{{#label}} ${unknownField}`,
  'string.empty': '{{#label}} must not be empty',
  'string.length': '{{#label}} must have exactly {{#limit}} characters',
  'string.max': '{{#label}} must have at most {{#limit}} characters',
  'string.min': '{{#label}} must have at least {{#limit}} characters',
  'string.pattern.base': '{{#label}} is not in the expected format',
  'string.pattern.name': '{{#label}} must be {{#name}}',
  'string.pattern.invert.base': '{{#label}} is not in the expected format',
  'string.pattern.invert.name': '{{#label}} must not be {{#name}}',
};

/** A UTC day, `yyyy-mm-dd`, as a field. */
export const utcDay = Joi.string()
  .custom((text: string) => {
    dayStartMs(text);
    return text;
  })
  .messages({ 'any.custom': '{{#label}} must be a day of the form yyyy-mm-dd' });

/** How many invalid fields are named; the others are only counted. */
const maxNamed = 10;

/**
 * Validates a value against a schema and returns it typed.
 * @param context what the schema's own rules are told besides
 * @throws ServiceError VALIDATION_FAILED naming the invalid fields, or, if only a custom rule with
 *   an error of its own failed, that error
 */
export function check<T>(schema: ObjectSchema<T>, value: unknown, context: object = {}): T {
  const result = strictly(schema).validate(value, { context });
  if (result.error === undefined) return result.value;
  throw toServiceError(result.error.details);
}

const strict = new WeakMap<ObjectSchema, ObjectSchema>();

/**
 * The schema with conversion off and all errors reported. Cached, since making it costs more than a
 * validation.
 */
function strictly<T>(schema: ObjectSchema<T>): ObjectSchema<T> {
  const known = strict.get(schema);
  if (known) return known;
  const made = schema.prefs({
    convert: false,
    abortEarly: false,
    errors: { wrap: { label: false } },
    messages: validationMessages,
  });
  strict.set(schema, made);
  return made;
}

function toServiceError(details: readonly ValidationErrorItem[]): ServiceError {
  const byField = new Map<string, string>();
  let coded: ServiceError | undefined;
  for (const { message, context, path } of details) {
    if (context?.error instanceof ServiceError) coded ??= context.error;
    else if (!byField.has(path.join('.'))) byField.set(path.join('.'), message);
  }
  if (coded && byField.size === 0) return coded;
  const messages = [...byField.values()];
  const unnamed = messages.length - maxNamed;
  const rest =
    unnamed > 0 ? `; and ${unnamed} more ${unnamed === 1 ? 'field is' : 'fields are'} wrong` : '';
  const message = messages.slice(0, maxNamed).join('; ') + rest;
  return new ServiceError('VALIDATION_FAILED', message, {}, Object.fromEntries(byField));
}
