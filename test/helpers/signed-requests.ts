import { loggedRequestOf } from '../../models/events/request-log.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { correspondingId, newId } from '../../platform/ids.ts';

/** An accepted purchase whose workflow has started. */
export function anOrderEvent(changes: Partial<OrderEventDoc> = {}): OrderEventDoc {
  const receivedAt = changes.receivedAt ?? new Date('2026-03-01T12:00:00Z');
  const _id = changes._id ?? newId('event', receivedAt.getTime());
  const rewardId = changes.rewardId ?? correspondingId('reward', _id);
  return {
    _id,
    partnerId: 'prt_1',
    integrationId: 'int_1',
    credentialId: 'key_1',
    mode: 'TEST',
    type: 'PURCHASE',
    externalOrderId: `order of ${_id}`,
    idempotencyKeyHash: _id,
    payloadHash: _id,
    requestId: correspondingId('request', _id),
    receivedAt,
    occurredAt: null,
    sealed: '',
    rewardId,
    purchaseEventId: _id,
    workflowId: `${_id}/TEST/abc`,
    request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    answer: JSON.stringify({ reward: { id: rewardId, points: 10 } }),
    due: null,
    purchase: null,
    externalRefundId: null,
    ...changes,
  };
}

/** The row of an accepted purchase. */
export function aLoggedRequest(changes: Partial<LoggedRequest> = {}): LoggedRequest {
  const { receivedAt } = changes;
  return { ...loggedRequestOf(anOrderEvent(receivedAt && { receivedAt })), ...changes };
}
