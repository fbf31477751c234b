import type { ObjectSchema, ValidationErrorItem } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type ApiMiddleware, needed } from '../context.ts';

/** Parses the signed bytes and checks them, converting nothing; a wrong field is named (contract, Errors). */
export function validate<T>(schema: ObjectSchema<T>): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.body = check(schema, parseJson(needed(ctx, 'rawBody')));
    await next();
  };
}

/** @throws ServiceError VALIDATION_FAILED naming the first wrong field */
export function check<T>(schema: ObjectSchema<T>, value: unknown): T {
  const { value: checked, error } = schema.validate(value, {
    convert: false,
    abortEarly: true,
    errors: { wrap: { label: false } },
  });
  const detail = error?.details[0];
  if (detail) throw toServiceError(detail);
  return checked as T;
}

/** A custom rule may name its own code; every other refusal is VALIDATION_FAILED. */
function toServiceError({ message, context }: ValidationErrorItem): ServiceError {
  const thrown = context?.error;
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('VALIDATION_FAILED', message);
}

/**
 * @param bytes UTF-8 JSON
 * @throws ServiceError INVALID_JSON
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ServiceError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}
