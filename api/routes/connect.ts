import Router from '@koa/router';
import { type Outcome, reportDelivery } from '../../connect/report.ts';
import {
  type Fields,
  MalformedDelivery,
  type NoConcern,
  noConcerns,
  parseDelivery,
  shopOfAddress,
  type Translation,
} from '../../domain/connections.ts';
import { ServiceError } from '../../domain/errors.ts';
import { translateShopify } from '../../domain/shopify.ts';
import { translateStripe } from '../../domain/stripe.ts';
import { translateWooCommerce } from '../../domain/woocommerce.ts';
import { codeOf } from '../../http/context.ts';
import { readBody } from '../../http/read-body.ts';
import { noStore, responseTimeout } from '../../http/requests.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import {
  diagnoseShopSignature,
  type SignatureProblem,
  signatureHeaders,
  verifyShopSignature,
} from '../../platform/shop-signatures.ts';
import { type Connection, type Connections, createConnections } from '../connections.ts';
import { type ApiContext, type ApiMiddleware, type ApiState, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { limitByPartner } from '../middleware/rate-limit.ts';
import { noQuery, setRequestType } from '../middleware/request.ts';

/** Platforms wait five seconds, and stop sending after some failures. */
const longestResponseMs = 4_500;
const maxBodyBytes = 2 * 1024 * 1024;

interface DeliveryState extends ApiState {
  connection?: Connection;
  topic?: string;
  /** What is wrong with a refused delivery, or why it is of no concern. */
  why?: string;
  outcomes?: Outcome[];
}
type DeliveryContext = ApiContext & { state: DeliveryState };

/** POST /connect/{id}: what a shop's platform delivers, proven by the platform's own signature. */
export function createConnectRouter(deps: ApiDeps): Router<ApiState> {
  const connections = createConnections(deps);
  const timeoutMs = Math.min(deps.config.http.responseTimeoutMs, longestResponseMs);
  const router = new Router<ApiState>();
  router.post(
    '/connect/:connectionId',
    setRequestType('PURCHASE'),
    noStore,
    responseTimeout(timeoutMs),
    find(connections),
    counted(connections, deps.now),
    body,
    proven(connections, deps.now),
    limitByPartner(deps),
    noQuery,
    deliver(deps),
  );
  return router;
}

/** @throws ServiceError NOT_FOUND, before anything of the body is read */
function find(connections: Connections): ApiMiddleware {
  return async (ctx, next) => {
    const connection = await connections.find(ctx.params.connectionId ?? '');
    if (!connection) throw new ServiceError('NOT_FOUND', 'There is no such connection.');
    const state: DeliveryState = ctx.state;
    state.connection = connection;
    state.keyHolder = connection;
    state.isDelivery = true;
    state.topic = topicOf(ctx, connection);
    await next();
  };
}

const maxTopicChars = 100;

function topicOf(ctx: ApiContext, { platform }: Connection): string {
  if (platform === 'STRIPE') return '';
  const topic = ctx.get(platform === 'SHOPIFY' ? 'x-shopify-topic' : 'x-wc-webhook-topic');
  return topic.slice(0, maxTopicChars);
}

/** Counts deliveries on their connection, with what its checklist and its page show. */
function counted(connections: Connections, now: () => number): ApiMiddleware {
  return async (ctx, next) => {
    const at = new Date(now());
    let failed: unknown;
    await next().catch((error: unknown) => {
      failed = error;
    });
    const { connection, topic = '', why, outcomes = [], requestId, principal } = stateOf(ctx);
    if (connection && why !== noConcerns.PING) {
      const error = failed instanceof ServiceError ? failed : undefined;
      const code = failed === undefined ? codeOf(ctx) : (error?.code ?? 'INTERNAL');
      const status = failed === undefined ? ctx.status : (error?.status ?? 500);
      const last = { at, topic, status, code, requestId, ...(why !== undefined && { why }) };
      const first = (type: Outcome['type']) =>
        outcomes.find((one) => one.type === type && one.result === 'ACCEPTED')?.eventId;
      const [purchase, refund] = [first('PURCHASE'), first('REFUND')];
      const of = (type: Outcome['type'], result: string) =>
        outcomes.filter((one) => one.type === type && one.result === result).length;
      const isIgnored = outcomes.length > 0 && outcomes.every(({ result }) => result in noConcerns);
      connections.note(connection, [
        {
          $set: {
            'seen.deliveries': { $add: ['$seen.deliveries', 1] },
            'seen.purchases': { $add: ['$seen.purchases', of('PURCHASE', 'ACCEPTED')] },
            'seen.refunds': { $add: ['$seen.refunds', of('REFUND', 'ACCEPTED')] },
            'seen.repeats': {
              $add: ['$seen.repeats', of('PURCHASE', 'REPLAYED') + of('REFUND', 'REPLAYED')],
            },
            'seen.ignored': { $add: ['$seen.ignored', isIgnored ? 1 : 0] },
            'seen.refused': { $add: ['$seen.refused', failed === undefined ? 0 : 1] },
            'seen.firstDeliveryAt': { $ifNull: ['$seen.firstDeliveryAt', at] },
            'seen.last': { $literal: last },
            ...(principal && { 'seen.firstProvenAt': { $ifNull: ['$seen.firstProvenAt', at] } }),
            ...(purchase && {
              'seen.firstPurchase': { $ifNull: ['$seen.firstPurchase', { eventId: purchase, at }] },
            }),
            ...(refund && {
              'seen.firstRefund': { $ifNull: ['$seen.firstRefund', { eventId: refund, at }] },
            }),
            ...(failed !== undefined && {
              'seen.lastRefused': { $literal: { ...last, why: why ?? error?.message ?? '' } },
            }),
          },
        },
      ] as never);
    }
    if (failed !== undefined) throw failed;
  };
}

const stateOf = (ctx: ApiContext): DeliveryState => ctx.state;

function connectionOf(ctx: ApiContext): Connection {
  const { connection } = stateOf(ctx);
  if (!connection) throw new Error('the connection was not looked up');
  return connection;
}

/** @throws ServiceError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON if it is incomplete */
const body: ApiMiddleware = async (ctx, next) => {
  if ((ctx.get('content-encoding') || 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.');
  }
  ctx.state.rawBody = await readBody(ctx, maxBodyBytes, {
    tooLarge: () =>
      new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${maxBodyBytes} bytes.`),
    incomplete: () => new ServiceError('INVALID_JSON', 'The body arrived incomplete.'),
  });
  await next();
};

/** WooCommerce tries a new webhook's address with a form that it does not sign. */
const isPing = (ctx: ApiContext, { platform }: Connection): boolean =>
  platform === 'WOOCOMMERCE' &&
  ctx.get(signatureHeaders.WOOCOMMERCE) === '' &&
  /^webhook_id=\d{1,12}$/.test(requireState(ctx, 'rawBody').toString('latin1'));

const problems: Readonly<Record<SignatureProblem, string>> = {
  NOT_BASE64: 'The signature is not 32 bytes in base64, so the platform did not make it.',
  BODY_CHANGED:
    'The body was changed on its way: something between the shop and us parses it and writes it again. Let it pass unchanged.',
  OTHER_CONNECTION:
    'It is signed with the secret of another of your connections. Each has an address of its own: check which one the shop sends to.',
  SECRET_WITH_BLANKS: 'The secret was saved with blanks around it. Enter it again without them.',
  OTHER_SECRET:
    'No secret of this connection fits. Copy the secret from the platform again, and save it here.',
};

/**
 * Admits what one of the connection's secrets signed, for its own shop.
 * @throws ServiceError AUTHENTICATION_MISSING, INVALID_SIGNATURE or TIMESTAMP_OUT_OF_RANGE
 */
function proven(connections: Connections, now: () => number): ApiMiddleware {
  return async (ctx, next) => {
    const connection = connectionOf(ctx);
    const { platform, shop, secrets } = connection;
    if (isPing(ctx, connection)) return ignore(ctx, 'PING');
    const header = signatureHeaders[platform];
    const signed = {
      platform,
      body: requireState(ctx, 'rawBody'),
      signature: ctx.get(header),
      nowMs: now(),
    };
    const keys = secrets.map(({ secret }) => secret);
    const matched = await verifyShopSignature(signed, keys);
    if (matched === 'MISSING') {
      throw refusal(ctx, 'AUTHENTICATION_MISSING', `The header ${header} is missing.`);
    }
    if (matched === 'OLD') {
      const why = 'The signature is more than five minutes from our clock.';
      throw refusal(ctx, 'TIMESTAMP_OUT_OF_RANGE', why);
    }
    if (matched === 'WRONG') {
      const others = await connections.otherSecrets(connection);
      const problem = await diagnoseShopSignature(signed, keys, others);
      throw refusal(ctx, 'INVALID_SIGNATURE', problems[problem]);
    }
    const sender = senderOf(ctx, connection);
    if (shop !== null && sender !== shop) {
      const why = `It is signed, but says that it comes from another shop than ${shop}. Each shop has a connection of its own.`;
      throw refusal(ctx, 'INVALID_SIGNATURE', why);
    }
    ctx.state.principal = connection;
    const secret = secrets[matched];
    if (secret) connections.touch(connection, secret.secretId);
    await next();
  };
}

function refusal(
  ctx: ApiContext,
  code: 'AUTHENTICATION_MISSING' | 'INVALID_SIGNATURE' | 'TIMESTAMP_OUT_OF_RANGE',
  why: string,
): ServiceError {
  stateOf(ctx).why = why;
  return new ServiceError(code, why);
}

function senderOf(ctx: ApiContext, { platform }: Connection): string {
  if (platform === 'SHOPIFY') return ctx.get('x-shopify-shop-domain').toLowerCase();
  return shopOfAddress(ctx.get('x-wc-webhook-source')) ?? '';
}

function ignore(ctx: ApiContext, reason: NoConcern): void {
  stateOf(ctx).why = noConcerns[reason];
  ctx.state.refusal = noConcerns[reason];
  ctx.state.code = 'IGNORED';
  ctx.status = 200;
  ctx.body = { success: true, result: 'IGNORED', reason: noConcerns[reason] };
}

/** Reports what a proven delivery says. @throws ServiceError for what should come again */
function deliver(deps: ApiDeps): ApiMiddleware {
  const { models, commit, sealer, config, now } = deps;
  const hashes = createRequestHashes(config.customerHashKey);
  return async (ctx) => {
    const connection = connectionOf(ctx);
    if (connection.isPaused) return ignore(ctx, 'PAUSED');
    const translation = translated(ctx, connection);
    const { externalOrderId } = translation;
    if (externalOrderId !== null) ctx.state.externalOrderId = externalOrderId;
    if (isAboutRefund(translation)) ctx.state.requestType = 'REFUND';
    const isLiveBefore = connection.mode === 'LIVE' && !connection.live;
    if (isLiveBefore) throw new ServiceError('PARTNER_NOT_ACTIVE', 'This partner is not live yet.');
    const receivedAt = new Date(now());
    ctx.state.receivedAt = receivedAt;
    const outcomes = await reportDelivery(
      { models, commit, sealer, config, hashes },
      { ...connection, mayBuy: connection.partnerStatus === 'ACTIVE' },
      {
        requestId: ctx.state.requestId,
        receivedAt,
        request: { method: ctx.method, path: requireState(ctx, 'route'), status: 200 },
      },
      translation,
    );
    stateOf(ctx).outcomes = outcomes;
    answer(ctx, outcomes);
  };
}

const isAboutRefund = (translation: Translation): boolean =>
  translation.kind === 'ORDER' && (translation.purchase === null || translation.cancelled !== null);

/** @throws ServiceError VALIDATION_FAILED, INVALID_JSON */
function translated(ctx: DeliveryContext, connection: Connection): Translation {
  const { platform, earns, mode } = connection;
  const topic = stateOf(ctx).topic ?? '';
  try {
    const fields = parsed(ctx);
    if (platform === 'SHOPIFY') return translateShopify(topic, fields, { earns, mode });
    if (platform === 'WOOCOMMERCE') return translateWooCommerce(topic, fields, earns);
    if (typeof fields.type === 'string') stateOf(ctx).topic = fields.type.slice(0, maxTopicChars);
    return translateStripe(fields, { earns, mode });
  } catch (error) {
    if (!(error instanceof MalformedDelivery)) throw error;
    stateOf(ctx).why = error.message;
    ctx.state.refusal = error.message;
    throw new ServiceError('VALIDATION_FAILED', error.message);
  }
}

function parsed(ctx: ApiContext): Fields {
  return parseDelivery(requireState(ctx, 'rawBody').toString('utf8'));
}

/** The request log has a row for each event; without one, a row for the delivery. */
function answer(ctx: ApiContext, outcomes: readonly Outcome[]): void {
  const recorded = outcomes.flatMap((one) =>
    one.result === 'ACCEPTED' && one.eventId !== null ? [{ ...one, eventId: one.eventId }] : [],
  );
  const [first, ...others] = recorded;
  const known = outcomes.find(({ result }) => result === 'REPLAYED');
  const reason = outcomes.flatMap(({ result }) =>
    result === 'ACCEPTED' || result === 'REPLAYED' ? [] : [result],
  )[0];
  ctx.status = 200;
  if (reason !== undefined) {
    stateOf(ctx).why = noConcerns[reason];
    ctx.state.refusal = noConcerns[reason];
  }
  if (first) {
    ctx.state.code = 'ACCEPTED';
    ctx.state.requestType = first.type;
    ctx.state.eventId = first.eventId;
    ctx.state.furtherEvents = others.map(({ type, externalOrderId, eventId }) => ({
      type,
      externalOrderId,
      eventId,
    }));
    const eventIds = recorded.map(({ eventId }) => eventId);
    ctx.body = { success: true, result: 'ACCEPTED', eventIds };
  } else if (known) {
    ctx.state.code = 'REPLAYED';
    if (known.eventId !== null) ctx.state.eventId = known.eventId;
    ctx.body = { success: true, result: 'REPLAYED', eventIds: [] };
  } else {
    ignore(ctx, reason ?? 'OTHER_TOPIC');
  }
}
