import type { Router } from '@koa/router';
import Joi from 'joi';
import { compareLines, diagnose, ourString } from '../../clients/typescript/doctor/index.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/purchase.ts';
import { param } from '../../http/context.ts';
import {
  cursorOf,
  defaultLimit,
  given,
  type PageQuery,
  pageParameters,
  readPage,
  searchText,
} from '../../http/query.ts';
import type { RefusedRequest } from '../../models/events/refused-requests.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { auditRead } from '../../operations/audit-log.ts';
import type { Config } from '../../platform/config.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { utcDay } from '../../platform/validation.ts';
import { temporalUrl } from '../../temporal/workflows.ts';
import { readLog } from '../../views/log.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { findRefusedRequest, knownSecrets, listRefusedRequests } from '../../views/requests.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkQuery,
  type OperatorContext,
  type OperatorState,
  operatorActorOf,
  requirePermission,
} from './context.ts';

interface EventQuery extends PageQuery {
  order?: string;
  event?: string;
  reward?: string;
  /** An Idempotency-Key as the partner sent it. */
  key?: string;
  partner?: string;
}

const querySchema = Joi.object<EventQuery>({
  order: searchText,
  event: searchText,
  reward: searchText,
  key: searchText,
  partner: searchText,
  ...pageParameters,
});

/** An event without its sealed fields: the customer, the metadata and the reason of a refund. */
function presentEvent(config: Config, event: OrderEventDoc) {
  return {
    eventId: event._id,
    type: event.type,
    mode: event.mode,
    partnerId: event.partnerId,
    integrationId: event.integrationId,
    credentialId: event.credentialId,
    externalOrderId: event.externalOrderId,
    externalRefundId: event.externalRefundId,
    rewardId: event.rewardId,
    purchaseEventId: event.purchaseEventId,
    idempotencyKeyHash: event.idempotencyKeyHash,
    payloadHash: event.payloadHash,
    requestId: event.requestId,
    receivedAt: event.receivedAt,
    occurredAt: event.occurredAt,
    // Null for a refund that is not decided yet.
    response: { status: event.request.status, body: JSON.parse(event.answer ?? 'null') as unknown },
    workflowId: event.workflowId,
    temporalUrl: temporalUrl(config, event.workflowId),
  };
}

export function eventRoutes(router: Router<OperatorState>, { models, config }: ApiDeps): void {
  const { ofIdempotencyKey } = createRequestHashes(config.customerHashKey);
  router.get('/events', requirePermission('read'), async (ctx) => {
    const { order, event, reward, key, partner, ...paging } = checkQuery(ctx, querySchema);
    const conditions = given({
      externalOrderId: order,
      _id: event,
      rewardId: reward,
      idempotencyKeyHash: key === undefined ? undefined : ofIdempotencyKey(key),
      partnerId: partner,
    });
    ctx.body = await readPage(models.orderEvents, conditions, paging, (doc) =>
      presentEvent(config, doc),
    );
  });
}

interface LoggedRequestQuery extends PageQuery {
  partner?: string;
  mode?: Mode;
  type?: RequestType;
  code?: string;
  order?: string;
  /** UTC days, both included. */
  from?: string;
  to?: string;
}

const requestQuerySchema = Joi.object<LoggedRequestQuery>({
  partner: searchText,
  mode: Joi.string().valid(...modes),
  type: Joi.string().valid(...requestTypes),
  code: searchText,
  order: searchText,
  from: utcDay,
  to: utcDay,
  ...pageParameters,
});

function presentLoggedRequest({
  _id,
  refusal: _,
  idempotencyKeyHash: __,
  ...event
}: LoggedRequest) {
  return { loggedRequestId: _id, ...event };
}

export function requestLogRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/request-log', requirePermission('read'), async (ctx) => {
    const {
      partner,
      order,
      from,
      to,
      limit = defaultLimit,
      cursor,
      ...rest
    } = checkQuery(ctx, requestQuerySchema);
    const partnerId = partner === undefined ? null : scopeOf({ _id: partner });
    const { events, older } = await readLog(
      { models },
      { partnerId, externalOrderId: order, fromDay: from, toDay: to, ...rest },
      limit,
      cursor === undefined ? undefined : { olderThan: cursor },
    );
    ctx.body = { items: events.map(presentLoggedRequest), nextCursor: cursorOf(older) };
  });
}

/** The request without its signature: a correct one that came too early would become valid later. */
function presentRefusedRequest({ requestId, code, receivedAt, request }: RefusedRequest) {
  const { method, pathname, query, timestamp, body } = request;
  return {
    requestId,
    code,
    receivedAt,
    method,
    path: pathname,
    query,
    timestamp,
    body: { lengthBytes: body.lengthBytes, sha256: body.sha256 },
  };
}

/** Why a credential's signatures were refused. The correct signature is never shown. */
export function refusedRequestRoutes(router: Router<OperatorState>, deps: ApiDeps): void {
  const { models } = deps;

  /** The credential of the path. First records in the audit log that its sealed requests are read. */
  async function readCredential(ctx: OperatorContext, requestId: string | null) {
    const credential = await findCredential(models, param(ctx, 'credentialId'));
    const { _id: targetId, partnerId } = credential;
    const details = requestId === null ? {} : { requestId };
    await auditRead(deps, operatorActorOf(ctx), {
      action: 'refused-request.read',
      partnerId,
      targetId,
      details,
    });
    return credential;
  }

  router.get(
    '/credentials/:credentialId/refused-requests',
    requirePermission('read'),
    async (ctx) => {
      const refused = await listRefusedRequests(deps, await readCredential(ctx, null));
      ctx.body = { items: refused.map(presentRefusedRequest), nextCursor: null };
    },
  );

  router.get(
    '/credentials/:credentialId/refused-requests/:requestId',
    requirePermission('read'),
    async (ctx) => {
      const requestId = param(ctx, 'requestId');
      const credential = await readCredential(ctx, requestId);
      const refused = await findRefusedRequest(deps, credential, requestId);
      const diagnosis = diagnose(refused.request, await knownSecrets(deps, credential));
      ctx.body = {
        ...presentRefusedRequest(refused),
        findings: diagnosis?.findings ?? [],
        lines: compareLines(ourString(refused.request), diagnosis?.theirs ?? null),
      };
    },
  );
}
