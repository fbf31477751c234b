import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { RequestType } from '../../domain/purchase.ts';
import { readBody } from '../../http/read-body.ts';
import type { RequestHashes } from '../../platform/hashing.ts';
import { check } from '../../platform/validation.ts';
import { type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';

const maxBodyBytes = 64 * 1024;
const tooLarge = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`);
const incomplete = () => new ServiceError('INVALID_JSON', 'The body arrived incomplete.');

/**
 * Reads the body as raw bytes, because the signature covers exactly those (docs/contract.md,
 * Authentication).
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or INVALID_JSON if it is incomplete
 */
export const rawBody: ApiMiddleware = async (ctx, next) => {
  const { type, charset } = ctx.request;
  if (type !== 'application/json' || !/^(utf-8)?$/i.test(charset)) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json.',
    );
  }
  if ((ctx.get('content-encoding') || 'identity') !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  }
  ctx.state.rawBody = await readBody(ctx, maxBodyBytes, { tooLarge, incomplete });
  await next();
};

/** Sets the route's request type, which the log can be filtered by; runs before any refusal. */
export function setRequestType(type: RequestType): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.requestType = type;
    await next();
  };
}

/**
 * Refuses query strings, because the signature does not cover them (docs/contract.md, Authentication).
 * @throws ServiceError UNEXPECTED_QUERY
 */
export const noQuery: ApiMiddleware = async (ctx, next) => {
  if (ctx.req.url?.includes('?')) {
    throw new ServiceError(
      'UNEXPECTED_QUERY',
      'This endpoint takes no query string, because it would not be signed.',
    );
  }
  await next();
};

/**
 * Requires an Idempotency-Key of 1 to 255 visible ASCII characters (docs/contract.md, Requests). Retries
 * are recognized by the key and the body, of which only the hashes are passed on.
 * @throws ServiceError IDEMPOTENCY_KEY_REQUIRED or IDEMPOTENCY_KEY_INVALID
 */
export function idempotencyKey({ ofIdempotencyKey, ofPayload }: RequestHashes): ApiMiddleware {
  return async (ctx, next) => {
    const key = ctx.req.headers['idempotency-key'];
    if (key === undefined || key === '') {
      throw new ServiceError(
        'IDEMPOTENCY_KEY_REQUIRED',
        'Send an Idempotency-Key header: one stable value for every retry of this request.',
      );
    }
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new ServiceError(
        'IDEMPOTENCY_KEY_INVALID',
        'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      );
    }
    ctx.state.idempotencyKeyHash = ofIdempotencyKey(key);
    ctx.state.payloadHash = ofPayload(requireState(ctx, 'rawBody'));
    await next();
  };
}

/**
 * Parses and validates the signed body, without converting values. Errors name the invalid fields
 * (docs/contract.md, Errors).
 * @param now the clock that the schema's rules about time go by
 * @throws ServiceError INVALID_JSON or VALIDATION_FAILED
 */
export function validated<Body>(
  schema: ObjectSchema<Body>,
  handler: BodyHandler<Body>,
  now: () => number,
): ApiMiddleware {
  return async (ctx) => {
    const body = parseJson(requireState(ctx, 'rawBody'));
    await handler(ctx, check(schema, body, { nowMs: now() }));
  };
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
