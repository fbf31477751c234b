import { randomUUID } from 'node:crypto';
import type { Origin, PurchaseReport } from '../../domain/purchase.ts';
import { newId } from '../../platform/ids.ts';

type Shop = Pick<Origin, 'partnerId' | 'integrationId' | 'mode'>;

/** Who reports something, as the API has checked it. @param name the same for a retry */
export const anOrigin = (shop: Shop, name: string, changes: Partial<Origin> = {}): Origin => ({
  ...shop,
  credentialId: `key_${shop.mode}`,
  requestId: newId('request'),
  idempotencyKeyHash: `hash ${name}`,
  payloadHash: `payload ${name}`,
  receivedAt: new Date().toISOString(),
  request: { method: 'POST', path: '/events', status: 201 },
  ...changes,
});

/** A purchase as the API has checked it: by default of 10.00. */
export const aReport = (
  origin: Origin,
  changes: Partial<PurchaseReport> & Pick<PurchaseReport, 'customerId'>,
): PurchaseReport => ({
  ...origin,
  eventId: newId('event'),
  rewardId: newId('reward'),
  workflowId: randomUUID(),
  externalOrderId: randomUUID(),
  subtotalCents: 1_000,
  currency: 'USD',
  occurredAt: null,
  delivery: 'SERVICE',
  claimTokenHash: randomUUID(),
  sealed: 'sealed',
  ...changes,
});
