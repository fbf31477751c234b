import type { Mode } from './mode.ts';

/** The events that partners' endpoints receive (docs/webhooks.md). */
export const webhookEventTypes = [
  'reward.funded',
  'reward.awaiting_funding',
  'reward.claimed',
  'reward.expired',
  'reward.cancelled',
  'review.opened',
  'review.asked',
  'review.decided',
  'funding.low',
  'funding.topped_up',
  'funding.recovered',
  'usage.threshold',
  'invoice.issued',
  'go_live.approved',
  'go_live.returned',
  'credential.created',
  'credential.revoked',
  'service_account.changed',
  'test.ping',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/**
 * The events that operators receive, by email and by a webhook of their own (docs/operations.md,
 * Notices).
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

/** An event as it is sent, except for its id and the API version. */
export interface WebhookFact {
  type: WebhookEventType | OperatorEventType;
  partnerId: string;
  mode: Mode;
  at: Date;
  /** Identifies the fact among those of its type: there is one event per fact. */
  fact: string;
  /** The number of the reward's move; null if the event is not about one reward. */
  sequence: number | null;
  rewardId: string | null;
  /** Ids, states, points and cents; never customer data. */
  data: Record<string, unknown>;
  /** The event as a sentence to show in a chat; for operators' events only. */
  text?: string;
  /** The W3C `traceparent` of the span that it was announced in. */
  traceparent?: string;
}

/** The version of the event format. It changes when an existing part does. */
export const webhookApiVersion = 'v1';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

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
/** A LISTENING endpoint polls for its events; nothing is sent to it. */
export type EndpointStatus = 'ACTIVE' | 'PAUSED' | 'DISABLED' | 'LISTENING';
/** Why an endpoint was disabled: its server answered 410, or failed for days. */
export type DisabledReason = 'GONE' | 'FAILING';

/** Whether an endpoint is subscribed to a type of event. */
export function isWanted(eventTypes: readonly string[], type: WebhookFact['type']): boolean {
  return type === 'test.ping' || eventTypes.includes(everyEventType) || eventTypes.includes(type);
}
