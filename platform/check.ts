import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { validationMessages } from './validation-messages.ts';

/** So many wrong fields are named; of the others it is said how many they are. */
const maxNamed = 10;

/**
 * @throws ServiceError VALIDATION_FAILED naming the wrong fields; where no other is wrong, the code that a
 * custom rule names
 */
export function check<T>(schema: ObjectSchema<T>, value: unknown): T {
  const result = strictly(schema).validate(value);
  if (result.error === undefined) return result.value;
  throw toServiceError(result.error.details);
}

const strict = new WeakMap<ObjectSchema, ObjectSchema>();

/** The schema, converting nothing and naming all that is wrong; made once, since it costs more than a check. */
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
