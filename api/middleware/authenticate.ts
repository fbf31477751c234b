import {
  canonicalString,
  headerNames,
  isTimestampFresh,
  verifySignature,
} from '../../clients/typescript/signature.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals } from '../principals.ts';
import { splitUrl } from '../split-url.ts';

const maxHeaderChars = 512;

/**
 * Looks up the owner of the API key before any check, so that a refused request is recorded as an
 * integration event of that partner, whatever the reason for the refusal.
 */
export function identify(deps: ApiDeps, principals: Principals): ApiMiddleware {
  const names = headerNames(deps.config.http.headerBrand);
  return async (ctx, next) => {
    const apiKey = ctx.get(names.key);
    if (apiKey !== '' && apiKey.length <= maxHeaderChars) {
      const principal = await principals.find(apiKey);
      if (principal) ctx.state.keyHolder = principal;
    }
    await next();
  };
}

/**
 * Admits requests that are signed with one of the credential's active secrets (docs/contract.md,
 * Authentication); runs after `identify`. The timing does not show whether a key exists: unknown and
 * revoked keys cost the same digests as active ones.
 * @throws ServiceError AUTHENTICATION_MISSING, TIMESTAMP_OUT_OF_RANGE, INVALID_API_KEY or
 *   INVALID_SIGNATURE
 */
export function authenticate(deps: ApiDeps, { touch }: Pick<Principals, 'touch'>): ApiMiddleware {
  const names = headerNames(deps.config.http.headerBrand);
  const read = (value: string, name: string): string => {
    if (value === '' || value.length > maxHeaderChars) {
      throw new ServiceError(
        'AUTHENTICATION_MISSING',
        `Send the ${name} header. The reference describes how to sign a request.`,
      );
    }
    return value;
  };
  return async (ctx, next) => {
    read(ctx.get(names.key), names.key);
    const timestamp = read(ctx.get(names.timestamp), names.timestamp);
    const signature = read(ctx.get(names.signature), names.signature);
    const principal = ctx.state.keyHolder;
    const secrets = principal?.secrets ?? [];
    const matched = verifySignature({
      secrets: secrets.map(({ secret }) => secret),
      signature,
      canonical: canonicalString({
        method: ctx.method,
        pathname: splitUrl(ctx.req.url ?? '').pathname,
        timestamp,
        body: ctx.state.rawBody ?? '',
      }),
    });
    const nowSeconds = Math.floor(deps.now() / 1000);
    if (!isTimestampFresh({ timestamp, nowSeconds })) {
      throw new ServiceError(
        'TIMESTAMP_OUT_OF_RANGE',
        `${names.timestamp} must be whole seconds since the epoch, within 300 s of the server's clock, which reads ${nowSeconds}.`,
      );
    }
    if (!principal || secrets.length === 0) {
      throw new ServiceError('INVALID_API_KEY', `${names.key} is not an active API key.`);
    }
    const secret = secrets[matched];
    if (!secret) {
      throw new ServiceError(
        'INVALID_SIGNATURE',
        `${names.signature} does not match. Sign the exact bytes you send, with the method, the path without query and the timestamp header.`,
      );
    }
    ctx.state.principal = principal;
    touch(principal, secret.secretId);
    await next();
  };
}
