import type { ObjectSchema } from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  hasAtMost,
  isPrintable,
  maxExternalIdChars,
  type RequestType,
} from '../../domain/purchase.ts';
import { parseJson } from '../../http/json.ts';
import { readBody } from '../../http/read-body.ts';
import type { RequestHashes } from '../../platform/hashing.ts';
import { check } from '../../platform/validation.ts';
import { type ApiContext, type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';

const maxBodyBytes = 64 * 1024;
const tooLarge = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`);
const incomplete = () => new ServiceError('INVALID_JSON', 'The body arrived incomplete.');

/**
 * Reads the body as raw bytes, because the signature covers exactly those (docs/integrate/requests.md, Authentication).
 * @throws ServiceError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or INVALID_JSON if it is incomplete
 */
export const rawBody: ApiMiddleware = async (ctx, next) => {
  const { type, charset } = ctx.request;
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json.',
    );
  }
  if (charset !== '' && !isUtf8(charset)) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body in UTF-8, with charset=utf-8 or without a charset.',
    );
  }
  if ((ctx.get('content-encoding') || 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  }
  ctx.state.rawBody = await readBody(ctx, maxBodyBytes, { tooLarge, incomplete });
  await next();
};

/** Whether it names UTF-8, which clients spell `utf-8`, `UTF8`, `utf_8` or as one of its older names. */
const isUtf8 = (charset: string): boolean =>
  /^(unicode-?1-?1-?|x-?)?utf[-_ ]?8$/i.test(charset.trim());

/** Sets the route's request type, which the log can be filtered by; runs before any refusal. */
export function setRequestType(type: RequestType): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.requestType = type;
    await next();
  };
}

/**
 * Refuses query strings, because the signature does not cover them (docs/integrate/requests.md, Authentication).
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
 * Requires an Idempotency-Key of 1 to 255 visible ASCII characters (docs/integrate/requests.md, Requests). Retries
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

/** Keeps the order that a body names, so that partners find the request by it even if it is refused. */
function noteOrder({ state }: ApiContext, body: unknown): void {
  const { externalOrderId } = Object(body) as { externalOrderId?: unknown };
  if (typeof externalOrderId !== 'string' || externalOrderId === '') return;
  if (!hasAtMost(maxExternalIdChars, externalOrderId) || !isPrintable(externalOrderId)) return;
  state.externalOrderId = externalOrderId;
}

/**
 * Parses and validates the signed body, without converting values. Errors name the invalid fields
 * (docs/integrate/errors.md).
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
    noteOrder(ctx, body);
    await handler(ctx, check(schema, body, { nowMs: now() }));
  };
}
