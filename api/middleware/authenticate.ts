import { readSignature } from '../../clients/typescript/doctor/index.ts';
import {
  canonicalString,
  headerNames,
  isTimestampFresh,
  verifySignature,
} from '../../clients/typescript/signature.ts';
import { ServiceError } from '../../domain/errors.ts';
import { orderName } from '../../events/order-name.ts';
import type { Scope } from '../../models/schemas/integrations.ts';
import type { Config } from '../../platform/config.ts';
import { type ApiMiddleware, type ApiState, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals } from '../principals.ts';
import { splitUrl } from '../split-url.ts';

const maxHeaderChars = 512;

/**
 * Looks up the owner of the API key before any check, so that a refused request is recorded as an
 * row of that partner's request log, whatever the reason for the refusal.
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
 * Admits requests that are signed with one of the credential's active secrets (docs/integrate/requests.md, Authentication); runs after `identify`. The timing does not show whether a key exists: unknown,
 * revoked and expired keys cost the same digests as active ones.
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
  const doctor = `${deps.config.portal.url}/doctor`;
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
        `${names.signature} does not match. ${whatIsWrong(signature)} The signature doctor explains this request: ${doctor}`,
      );
    }
    ctx.state.principal = principal;
    touch(principal, secret.secretId);
    await next();
  };
}

/** The mistake that shows in the header itself; otherwise what to sign. */
function whatIsWrong(signature: string): string {
  const { findings } = readSignature(signature);
  const seen = findings.map(({ what }) => what).join(' ');
  return seen === ''
    ? 'Sign the exact bytes you send, with the method, the path without query and the timestamp header.'
    : `${seen} Send sha256= and 64 lower-case hex digits.`;
}

/**
 * Requires a scope, and a partner that is active in the credential's mode.
 * @param suspended whether suspended partners are admitted, as they are for refunds, which give money back
 * @throws ServiceError INSUFFICIENT_SCOPE or PARTNER_NOT_ACTIVE
 */
export function authorize(
  scope: Scope,
  { suspended = 'REFUSED' }: { suspended?: 'REFUSED' | 'ALLOWED' } = {},
): ApiMiddleware {
  return async (ctx, next) => {
    const { scopes, partnerStatus, mode, live } = requireState(ctx, 'principal');
    if (!scopes.includes(scope)) {
      throw new ServiceError('INSUFFICIENT_SCOPE', `This API key lacks the scope ${scope}.`);
    }
    const isSuspended = partnerStatus !== 'ACTIVE' && suspended === 'REFUSED';
    if (isSuspended || (mode === 'LIVE' && !live)) {
      throw new ServiceError(
        'PARTNER_NOT_ACTIVE',
        `This partner is not active in ${mode} mode. Contact the operators of the service.`,
      );
    }
    await next();
  };
}

/**
 * Fields of a partner's request for the access log. Of everything that the partner sent, they contain
 * only the order id, or its short form where the id contains personal data.
 */
export const partnerLogFields =
  ({ customerHashKey }: Pick<Config, 'customerHashKey'>) =>
  ({ keyHolder, externalOrderId, eventId }: ApiState) => ({
    partnerId: keyHolder?.partnerId,
    mode: keyHolder?.mode,
    credentialId: keyHolder?.credentialId,
    externalOrderId:
      keyHolder && externalOrderId !== undefined
        ? orderName(customerHashKey, { ...keyHolder, externalOrderId })
        : undefined,
    eventId,
  });
