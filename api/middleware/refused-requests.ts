import { headerNames } from '../../clients/typescript/signature.ts';
import { codeOf } from '../../http/context.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { RefusedRequestBuffer } from '../refused-request-buffer.ts';
import { splitUrl } from '../split-url.ts';

/** The refusals that are about who signed. */
const ofSignatures = new Set([
  'AUTHENTICATION_MISSING',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'TIMESTAMP_OUT_OF_RANGE',
]);
/** A header that is longer was refused for its length. */
const maxHeaderChars = 512;
const maxQueryChars = 1_024;

/**
 * Keeps for the doctor what is needed to say why a signature was refused. A request whose key nobody
 * knows belongs to no partner, and leaves nothing.
 */
export function refusedRequests(
  buffer: RefusedRequestBuffer,
  { config, now }: Pick<ApiDeps, 'config' | 'now'>,
): ApiMiddleware {
  const names = headerNames(config.http.headerBrand);
  return async (ctx, next) => {
    const receivedAt = new Date(now());
    await next();
    const { keyHolder, principal, requestId, rawBody } = ctx.state;
    const code = codeOf(ctx);
    if (!keyHolder || principal || !ofSignatures.has(code)) return;
    const header = (name: string): string => {
      const value = ctx.get(name);
      return value.length > maxHeaderChars ? '' : withoutSecrets(value);
    };
    const { partnerId, integrationId, credentialId, mode, secrets } = keyHolder;
    const { pathname, query } = splitUrl(ctx.req.url ?? '');
    buffer.add({
      ...{ requestId, partnerId, integrationId, credentialId, mode, code, receivedAt },
      request: {
        method: ctx.method,
        pathname,
        query: query === null || query.length > maxQueryChars ? null : withoutSecrets(query),
        host: header('host') || null,
        key: header(names.key),
        timestamp: header(names.timestamp),
        signature: header(names.signature),
        receivedAtSeconds: Math.floor(receivedAt.getTime() / 1000),
      },
      body: rawBody ?? Buffer.alloc(0),
      secrets: secrets.map(({ secret }) => secret.export().toString('utf8')),
    });
  };
}

/** A secret that was put where it does not belong goes no further; that one was there is told. */
function withoutSecrets(text: string): string {
  return text.replace(/sk_[\w-]{8,}/g, 'sk_…');
}
