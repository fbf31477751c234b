import type { RewardStatus } from '../../domain/reward-states.ts';
import type { OrderEventDoc } from '../../models/schemas/order-event.ts';

export function rewardOf(event: OrderEventDoc, status: RewardStatus, customerId: string) {
  const { rewardId: _id, partnerId, mode, externalOrderId, workflowId } = event;
  return {
    _id,
    partnerId,
    integrationId: 'int_bench',
    mode,
    purchaseEventId: event._id,
    externalOrderId,
    workflowId,
    customerId,
    claimTokenHash: _id,
    currency: 'USD',
    points: 499,
    liabilityCents: 499,
    walletId: partnerId,
    arithmetic: {},
    status,
    customerStatus: 'CLAIMED',
    funded: true,
    claimExpiresAt: new Date(),
    review: null,
    cancellation: null,
    version: 1,
    moves: [],
    createdAt: event.receivedAt,
    updatedAt: event.receivedAt,
  };
}
