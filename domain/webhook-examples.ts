import type { WebhookEventType } from './webhooks.ts';

const reward = {
  rewardId: 'PNR_01K7',
  externalOrderId: 'order-1',
  purchaseEventId: 'evt_01K7',
  integrationId: 'int_01K7',
  customerStatus: 'AWAITING_CUSTOMER_CLAIM',
  points: 499,
  liabilityCents: 499,
  currency: 'USD',
};
const claimed = { ...reward, customerStatus: 'CLAIMED' };
const cancelled = { ...reward, status: 'CANCELLED', customerStatus: 'CANCELLED' };
const credential = {
  credentialId: 'key_01K7',
  integrationId: 'int_01K7',
  scopes: ['events:write'],
};

/** An example of `data` for each type of event, the same as in the API reference. */
export const webhookExamples: Readonly<Record<WebhookEventType, Record<string, unknown>>> = {
  'reward.funded': { ...reward, status: 'PENDING', claimExpiresAt: '2026-04-01T00:00:00.000Z' },
  'reward.awaiting_funding': { ...reward, status: 'AWAITING_FUNDING' },
  'reward.claimed': { ...claimed, status: 'AVAILABLE' },
  'reward.expired': { ...reward, status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED' },
  'reward.cancelled': { ...cancelled, cancelledBy: 'REFUND' },
  'review.opened': { ...claimed, status: 'ADMIN_REVIEW', reviewId: 'rev_01K7' },
  'review.asked': { reviewId: 'rev_01K7', rewardId: 'PNR_01K7', externalOrderId: 'order-1' },
  'review.decided': { ...cancelled, reviewId: 'rev_01K7', verdict: 'UPHOLD' },
  'funding.low': { balanceCents: 4200, thresholdCents: 5000, runwayDays: 3 },
  'funding.recovered': { balanceCents: 14200, thresholdCents: 5000, runwayDays: 11 },
  'funding.topped_up': { transactionId: 'txn_01K7', amountCents: 10000, balanceCents: 14200 },
  'usage.threshold': {
    percent: 80,
    usedPoints: 801,
    includedPoints: 1000,
    subscriptionId: 'sub_01K7',
    periodStart: '2026-03-01T00:00:00.000Z',
  },
  'invoice.issued': {
    invoiceId: 'inv_01K7',
    number: '2026-0001',
    kind: 'PERIOD',
    totalCents: 1000,
    currency: 'USD',
    periodStart: '2026-02-01T00:00:00.000Z',
    periodEnd: '2026-03-01T00:00:00.000Z',
    dueAt: '2026-03-15T00:00:00.000Z',
  },
  'go_live.approved': {},
  'go_live.returned': { reason: 'The website is not reachable.' },
  'credential.created': credential,
  'credential.revoked': credential,
  'service_account.changed': {
    serviceAccountId: 'sva_01K7',
    change: 'ROTATED',
    scopes: ['rewards:read'],
  },
  'test.ping': { endpointId: 'whe_01K7' },
};
