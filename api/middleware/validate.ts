import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { check } from '../../platform/check.ts';
import { type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';

/**
 * Parses and validates the signed body, without converting values. Errors name the invalid fields
 * (docs/contract.md, Errors).
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function validated<Body>(
  schema: ObjectSchema<Body>,
  handler: BodyHandler<Body>,
): ApiMiddleware {
  return async (ctx) => await handler(ctx, check(schema, parseJson(requireState(ctx, 'rawBody'))));
}

/**
 * @param bytes UTF-8 JSON
 * @throws ServiceError INVALID_JSON, or VALIDATION_FAILED for a field named `__proto__`
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // A reviver is called for every field, which costs more than parsing; few bodies need it.
    return text.includes('__proto__') || text.includes('\\u')
      ? JSON.parse(text, refuseProto)
      : JSON.parse(text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

/**
 * Refuses a field named `__proto__`. Copying the object would turn it into the copy's prototype, so it
 * would pass the check for unknown fields and its fields would count as the body's.
 */
function refuseProto(name: string, value: unknown): unknown {
  if (name !== '__proto__') return value;
  throw new ServiceError('VALIDATION_FAILED', '__proto__ is not a known field');
}
