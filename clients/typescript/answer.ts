import { ConnectionError, errorOf } from './errors.ts';
import { parseRateLimit, type RateLimit } from './rate-limit.ts';
import { parseRetryAfter } from './retry.ts';

/** Metadata from the headers of a successful response. */
export interface AnswerMeta {
  /** Whether this is the stored response to an earlier, identical request. */
  replayed: boolean;
  /** The service's id of this request; give it to the operators when you ask about it. */
  requestId: string | undefined;
  /** The rest of the plan's rate limit; undefined if the response does not contain it. */
  rateLimit: RateLimit | undefined;
}

/**
 * Converts a response into a result.
 * @param nowMs this machine's time, for the error message about a wrong clock
 * @throws PartnerApiError if the service refused the request, or the response is not the service's; ConnectionError
 *   if it breaks off
 */
export function readAnswer<T>(
  { status, ok, headers }: Response,
  text: string,
  { nowMs, idempotencyKey }: { nowMs: number; idempotencyKey: string | undefined },
): T & AnswerMeta {
  const body = parseObject(text);
  const requestId = headers.get('x-request-id') ?? undefined;
  const rateLimit = parseRateLimit(headers);
  if (ok && body?.success === true) {
    const replayed = headers.get('idempotent-replayed') === 'true';
    return { ...(body as T), replayed, requestId, rateLimit };
  }
  if (ok && body === undefined && isJson(headers) && !isWhole(text)) {
    const message = `HTTP ${status} broke off in the middle of its JSON`;
    throw new ConnectionError(message, { cause: undefined, idempotencyKey });
  }
  const { code, message } = readError(body) ?? {
    code: 'UNEXPECTED_RESPONSE',
    message: `HTTP ${status} without the service's JSON; check the base URL and any proxy in between`,
  };
  throw errorOf({
    status,
    code,
    message: code === 'TIMESTAMP_OUT_OF_RANGE' ? withLocalTime(message, nowMs) : message,
    requestId,
    rateLimit,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), nowMs),
    idempotencyKey,
  });
}

function withLocalTime(message: string, nowMs: number): string {
  return `${message} (this machine's clock says ${new Date(nowMs).toISOString()})`;
}

function readError(body: Record<string, unknown> | undefined) {
  const error = body?.error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = error as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}

const isJson = (headers: Headers): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '');

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
