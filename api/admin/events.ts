import type { Router } from '@koa/router';
import Joi from 'joi';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { Config } from '../../platform/config.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { temporalUrl } from '../../temporal/ui-url.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, queryOf } from './context.ts';
import { requirePermission } from './require-permission.ts';

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
    const { order, event, reward, key, partner, ...paging } = queryOf(ctx, querySchema);
    const conditions = given({
      externalOrderId: order,
      _id: event,
      rewardId: reward,
      idempotencyKeyHash: key === undefined ? undefined : ofIdempotencyKey(key),
      partnerId: partner,
    });
    ctx.body = await page(models.orderEvents, conditions, paging, (doc) =>
      presentEvent(config, doc),
    );
  });
}
