import type { Mode } from './mode.ts';
import { dayMs } from './utc-days.ts';

/** The events that partners' endpoints receive (docs/integrate/webhooks.md). */
export const webhookEventTypes = [
  'reward.funded',
  'reward.awaiting_funding',
  'reward.claimable',
  'reward.claimed',
  'reward.expired',
  'reward.reduced',
  'reward.cancelled',
  'review.opened',
  'review.asked',
  'review.decided',
  'funding.low',
  'funding.topped_up',
  'funding.withdrawn',
  'funding.corrected',
  'funding.recovered',
  'usage.threshold',
  'budget.threshold',
  'points.ending',
  'points.ended',
  'invoice.issued',
  'invoice.payment_recorded',
  'invoice.payment_reversed',
  'invoice.overdue',
  'invoice.voided',
  'go_live.approved',
  'go_live.returned',
  'credential.created',
  'credential.revoked',
  'credential.expiring',
  'service_account.changed',
  'reconciliation.completed',
  'test.ping',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/**
 * The events that operators receive, by email and by a webhook of their own (docs/operate/roles.md, Notices).
 */
export const operatorEventTypes = [
  'review.waiting',
  'review.due',
  'review.answered',
  'approval.waiting',
  'go_live.requested',
  'audit.faults',
] as const;
export type OperatorEventType = (typeof operatorEventTypes)[number];

/** Takes the place of the partner id for the operators' own endpoint. */
export const operatorsId = 'operators';

/** Subscribes an endpoint to all types of event, including future ones. */
export const everyEventType = '*';

export const maxEndpoints = 10;
/** The most deliveries that one request resends; the next request continues where it ended. */
export const maxResent = 10_000;
/** The most terminals of developers that listen at a time. */
export const maxListeners = 5;
export const maxWebhookUrlChars = 2_048;

/** What endpoints are told: an event as it is sent, except for its id and the API version. */
export interface Announcement {
  type: WebhookEventType | OperatorEventType;
  partnerId: string;
  mode: Mode;
  at: Date;
  /** Identifies what caused it among those of its type: there is one event per cause. */
  cause: string;
  /** The number of the reward's move; null if the event is not about one reward. */
  sequence: number | null;
  rewardId: string | null;
  /** Ids, states, points and cents; never customer data. */
  data: Record<string, unknown>;
  /** The event as a sentence to show in a chat; for operators' events only. */
  text?: string;
}

/** Of an announcement that is not about one reward. */
export const withoutReward = { rewardId: null, sequence: null } as const;

/** The version of the event format. It changes when an existing part does. */
export const webhookApiVersion = 'v1';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** When each of the ten attempts is made, counted from the first. */
export const attemptOffsetsMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  16 * hourMs,
  22 * hourMs,
  28 * hourMs,
] as const;

/** The longest `Retry-After` of an endpoint that is honored. */
const longestRetryAfterMs = dayMs;

/**
 * How long to wait before the next attempt.
 * @param tries how many attempts were made, at least one
 * @param retryAfterMs the pause that the response asked for
 * @param random from 0 to 1, excluding 1: jitter, so that deliveries that failed together are not
 *   retried together
 * @returns milliseconds; null to give up
 */
export function nextAttemptAfterMs(
  tries: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const next = attemptOffsetsMs[tries];
  const last = attemptOffsetsMs[tries - 1];
  if (next === undefined || last === undefined) return null;
  const pauseMs = Math.round((next - last) * (1 + random / 10));
  return Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}

/**
 * After this long with only failures, the partner is warned, and later the endpoint is disabled.
 */
export const warnAfterMs = dayMs;
export const disableAfterMs = 5 * dayMs;

/** How long deliveries are kept, whether they succeeded or not. */
export const deliveryRetentionMs = 30 * dayMs;

/** How long a replaced secret still signs along with the new one. */
export const secretOverlapMs = dayMs;

export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED';
export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED'] as const;
/** Why an endpoint was disabled: its server answered 410, or failed for days. */
export type DisabledReason = 'GONE' | 'FAILING';

/** Whether an endpoint is subscribed to a type of event. */
export function isWanted(eventTypes: readonly string[], type: Announcement['type']): boolean {
  return type === 'test.ping' || eventTypes.includes(everyEventType) || eventTypes.includes(type);
}

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
const invoice = {
  invoiceId: 'inv_01K7',
  number: '2026-0001',
  currency: 'USD',
  totalCents: 1000,
};
const endedPoints = {
  rewardId: 'PNR_01K7',
  externalOrderId: 'order-1',
  integrationId: 'int_01K7',
  customerId: 'cus_01K7',
  points: 499,
  liabilityCents: 499,
};
const credential = {
  credentialId: 'key_01K7',
  integrationId: 'int_01K7',
  scopes: ['events:write'],
};

/** An example of `data` for each type of event: the API reference's, and that of an event sent as a test. */
export const webhookExamples: Readonly<Record<WebhookEventType, Record<string, unknown>>> = {
  'reward.funded': {
    ...reward,
    status: 'PENDING',
    claimExpiresAt: '2026-04-01T00:00:00.000Z',
    claimableFrom: null,
  },
  'reward.claimable': {
    ...reward,
    status: 'PENDING',
    claimExpiresAt: '2026-04-01T00:00:00.000Z',
    claimableFrom: '2026-03-02T00:00:00.000Z',
  },
  'reward.awaiting_funding': { ...reward, status: 'AWAITING_FUNDING' },
  'reward.claimed': { ...claimed, status: 'AVAILABLE' },
  'reward.expired': { ...reward, status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED' },
  'reward.reduced': {
    ...reward,
    status: 'PENDING',
    points: 379,
    liabilityCents: 379,
    reducedBy: 'REFUND',
    lostPoints: 120,
    refundedCents: 1200,
  },
  'reward.cancelled': { ...cancelled, cancelledBy: 'REFUND' },
  'review.opened': {
    ...claimed,
    status: 'ADMIN_REVIEW',
    reviewId: 'rev_01K7',
    amountCents: 1200,
  },
  'review.asked': { reviewId: 'rev_01K7', rewardId: 'PNR_01K7', externalOrderId: 'order-1' },
  'review.decided': { ...cancelled, reviewId: 'rev_01K7', verdict: 'UPHOLD' },
  'funding.low': { balanceCents: 4200, thresholdCents: 5000, runwayDays: 3 },
  'funding.recovered': { balanceCents: 14200, thresholdCents: 5000, runwayDays: 11 },
  'funding.topped_up': { transactionId: 'txn_01K7', amountCents: 10000, balanceCents: 14200 },
  'funding.withdrawn': { transactionId: 'txn_01K7', amountCents: 4200, balanceCents: 10000 },
  'funding.corrected': {
    transactionId: 'txn_01K8',
    correctedTransactionId: 'txn_01K7',
    amountCents: 10000,
    balanceCents: 4200,
  },
  'usage.threshold': {
    percent: 80,
    usedPoints: 801,
    includedPoints: 1000,
    subscriptionId: 'sub_01K7',
    periodStart: '2026-03-01T00:00:00.000Z',
  },
  'budget.threshold': {
    budget: 'Spring',
    of: 'MONTH',
    month: '2026-03',
    percent: 80,
    usedPoints: 8010,
    limitPoints: 10000,
    ruleId: 'rul_01K7',
  },
  'points.ending': {
    ...endedPoints,
    endsAt: '2026-04-01T00:00:00.000Z',
    days: 30,
  },
  'points.ended': {
    ...endedPoints,
    endedAt: '2026-04-01T00:00:00.000Z',
    leftPoints: 0,
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
    paymentReference: 'PE-7K3QX9F2-1',
  },
  'invoice.payment_recorded': {
    ...invoice,
    paidCents: 400,
    leftCents: 600,
    dueAt: '2026-03-15T00:00:00.000Z',
    amountCents: 400,
    paymentStatus: 'PARTIALLY_PAID',
  },
  'invoice.payment_reversed': {
    ...invoice,
    paidCents: 0,
    leftCents: 1000,
    dueAt: '2026-03-15T00:00:00.000Z',
    amountCents: 400,
    paymentStatus: 'DUE',
  },
  'invoice.overdue': {
    ...invoice,
    paidCents: 400,
    leftCents: 600,
    dueAt: '2026-03-15T00:00:00.000Z',
    paymentReference: 'PE-7K3QX9F2-1',
    reminder: 1,
    isLastReminder: false,
  },
  'invoice.voided': {
    ...invoice,
    paidCents: 0,
    leftCents: 0,
    dueAt: '2026-03-15T00:00:00.000Z',
    creditNoteNumber: '2026-0001-C',
  },
  'go_live.approved': {},
  'go_live.returned': { reason: 'The website is not reachable.' },
  'credential.created': credential,
  'credential.revoked': credential,
  'credential.expiring': {
    ...credential,
    secretId: 'sec_01K7',
    expiresAt: '2026-03-29T09:30:00.000Z',
  },
  'service_account.changed': {
    serviceAccountId: 'sva_01K7',
    change: 'ROTATED',
    scopes: ['rewards:read'],
  },
  'reconciliation.completed': {
    reconciliationId: 'job_01K7',
    integrationId: 'int_01K7',
    status: 'DONE',
    rows: 120,
    matched: 118,
    missing: 1,
    notInFile: 0,
    duplicate: 0,
    mismatched: 1,
  },
  'test.ping': { endpointId: 'whe_01K7' },
};

/** The deliveries to an endpoint in one hour. */
export interface WebhookHour {
  succeeded: number;
  failed: number;
  /** The total of all its attempts. */
  durationMs: number;
}

/** By UTC hour, `yyyy-mm-ddThh`. */
export type WebhookTraffic = Readonly<Record<string, WebhookHour>>;

const trafficHourMs = 3_600_000;
/** How many hours are stored and shown, including the current one. */
export const trafficHours = 48;

/** The UTC hour of a given time, the key of `WebhookTraffic`. */
export const webhookHourOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13);

/** The hours to show, oldest first. */
export function lastHours(
  traffic: WebhookTraffic,
  nowMs: number,
): (WebhookHour & { hour: string })[] {
  return Array.from({ length: trafficHours }, (_, place) => {
    const hour = webhookHourOf(nowMs - (trafficHours - 1 - place) * trafficHourMs);
    return { hour, succeeded: 0, failed: 0, durationMs: 0, ...traffic[hour] };
  });
}

/** The stored hours that are too old to be shown. */
export function outdatedHours(traffic: WebhookTraffic, nowMs: number): string[] {
  const oldest = webhookHourOf(nowMs - (trafficHours - 1) * trafficHourMs);
  return Object.keys(traffic).filter((hour) => hour < oldest);
}
