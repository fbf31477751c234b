import { headerNames } from '../../clients/typescript/signature.ts';
import { codeOf } from '../../http/context.ts';
import { rowIdOfEvent } from '../../models/events/request-log.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { networkOf } from '../../platform/addresses.ts';
import { newId } from '../../platform/ids.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { RefusedRequestBuffer } from '../refused-request-buffer.ts';
import type { RequestLog } from '../request-log.ts';
import { splitUrl } from '../split-url.ts';

const minuteMs = 60_000;
/** A message can name fields that the sender made up. */
const maxRefusalChars = 1_000;

/**
 * Writes a row of the request log for every signed request, accepted or refused, behind its response
 * (docs/concepts/words.md). A request with an unknown key belongs to no partner and is only logged.
 *
 * Unauthenticated requests, and requests above the partner's rate limit, are counted by the minute
 * instead of stored one by one, because no rate limit bounds their number.
 */
export function logRequests(requestLog: RequestLog, now: () => number): ApiMiddleware {
  return async (ctx, next) => {
    const arrivedAt = new Date(now());
    await next();
    const { keyHolder, principal, requestId, route, address } = ctx.state;
    const { externalOrderId, eventId = null, refusal, idempotencyKeyHash } = ctx.state;
    if (!keyHolder) return;
    const code = codeOf(ctx);
    const { receivedAt = arrivedAt } = ctx.state;
    const isCounted = !principal || code === 'RATE_LIMITED';
    const row: LoggedRequest = {
      _id:
        code === 'ACCEPTED' && eventId !== null
          ? rowIdOfEvent(eventId)
          : newId('loggedRequest', receivedAt.getTime()),
      partnerId: keyHolder.partnerId,
      integrationId: keyHolder.integrationId,
      credentialId: keyHolder.credentialId,
      mode: keyHolder.mode,
      type: requireState(ctx, 'requestType'),
      requestId,
      method: ctx.method,
      path: route ?? '',
      status: ctx.status,
      code,
      externalOrderId: externalOrderId ?? null,
      eventId,
      receivedAt,
      count: 1,
      minute: isCounted ? new Date(Math.floor(receivedAt.getTime() / minuteMs) * minuteMs) : null,
      address,
      network: networkOf(address),
      ...(refusal !== undefined &&
        !isCounted && {
          refusal: refusal.slice(0, maxRefusalChars),
          ...(idempotencyKeyHash !== undefined && { idempotencyKeyHash }),
        }),
    };
    requestLog.add(row);
    for (const one of ctx.state.furtherEvents ?? []) {
      requestLog.add({ ...row, ...one, _id: rowIdOfEvent(one.eventId), code: 'ACCEPTED' });
    }
  };
}

/** Codes of refused signatures. */
const signatureCodes = new Set([
  'AUTHENTICATION_MISSING',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'TIMESTAMP_OUT_OF_RANGE',
]);
/** Longer headers are refused for their length, so their text explains nothing. */
const maxHeaderChars = 512;
const maxQueryChars = 1_024;

/**
 * Stores refused requests with everything that the doctor needs to explain why the signature was
 * refused. Requests with an unknown key belong to no partner and are not stored.
 */
export function refusedRequests(
  buffer: RefusedRequestBuffer,
  { config, now }: Pick<ApiDeps, 'config' | 'now'>,
): ApiMiddleware {
  const names = headerNames(config.http.headerBrand);
  return async (ctx, next) => {
    const receivedAt = new Date(now());
    await next();
    const { keyHolder, principal, requestId, rawBody, isDelivery } = ctx.state;
    const code = codeOf(ctx);
    if (isDelivery || !keyHolder || principal || !signatureCodes.has(code)) return;
    const header = (name: string): string => {
      const value = ctx.get(name);
      return value.length > maxHeaderChars ? '' : withoutSecrets(value);
    };
    const { partnerId, integrationId, credentialId, mode } = keyHolder;
    const { pathname, query } = splitUrl(ctx.req.url ?? '');
    buffer.add({
      requestId,
      partnerId,
      integrationId,
      credentialId,
      mode,
      code,
      receivedAt,
      request: {
        method: ctx.method,
        pathname,
        query: query === null || query.length > maxQueryChars ? null : withoutSecrets(query),
        host: header('host') || null,
        removed: removedOf(header, pathname),
        key: header(names.key),
        timestamp: header(names.timestamp),
        signature: header(names.signature),
        receivedAtSeconds: Math.floor(receivedAt.getTime() / 1000),
      },
      body: rawBody ?? Buffer.alloc(0),
    });
  };
}

/** Headers in which proxies say which path they got, or which beginning of it they removed. */
const originalPaths = [
  'x-original-uri',
  'x-original-url',
  'x-envoy-original-path',
  'x-forwarded-uri',
];

function removedOf(header: (name: string) => string, pathname: string): string[] {
  const before = originalPaths.map((name) => header(name).replace(/\?.*$/s, ''));
  const found = before.flatMap((path) =>
    path !== pathname && path.endsWith(pathname) ? [path.slice(0, -pathname.length)] : [],
  );
  return [header('x-forwarded-prefix').replace(/\/+$/, ''), ...found].filter((one) =>
    /^\/[\x21-\x7e]+$/.test(one),
  );
}

/** Masks signing secrets that were sent by mistake. The mask shows that there was one. */
function withoutSecrets(text: string): string {
  return text.replace(/sk_[\w-]{8,}/g, 'sk_…');
}
