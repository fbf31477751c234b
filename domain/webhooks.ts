import type { Mode } from './mode.ts';

/** What a partner's endpoint is told of (docs/webhooks.md). */
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

/** What operators are told of, by email and by a webhook of their own (docs/operations.md, Notices). */
export const operatorEventTypes = [
  'review.waiting',
  'review.due',
  'review.answered',
  'approval.waiting',
  'go_live.requested',
  'audit.faults',
] as const;
export type OperatorEventType = (typeof operatorEventTypes)[number];

/** Stands in a partner's place where the operators are told. */
export const operatorsId = 'operators';

/** An endpoint that names this is told of everything, also of kinds that come later. */
export const everyEventType = '*';

export const maxEndpoints = 10;
/** Deliveries that one request sends again at most; the next request goes on from where it ended. */
export const maxResent = 10_000;
/** Terminals of developers that listen at a time. */
export const maxListeners = 5;
export const maxWebhookUrlChars = 2_048;

/** An event as it is sent, but for its id and the version of its form. */
export interface WebhookFact {
  type: WebhookEventType | OperatorEventType;
  partnerId: string;
  mode: Mode;
  /** When it happened. */
  at: Date;
  /** Tells it from every other of its type: of one fact there is one event. */
  fact: string;
  /** Of a reward: the number of its move. Null for what is not about one reward. */
  sequence: number | null;
  rewardId: string | null;
  /** Ids, states, points and cents: never a customer. */
  data: Record<string, unknown>;
  /** The same as a sentence, which a chat shows: of what operators are told. */
  text?: string;
  /** The span that it was announced in, in the words of W3C. */
  traceparent?: string;
}

/** The version of the form of events: it changes when something that is there changes. */
export const webhookApiVersion = 'v1';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** When each of the ten tries is made, counted from the first. */
export const tryOffsetsMs = [
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

/** An answer may ask for a pause no longer than this. */
const longestRetryAfterMs = dayMs;

/**
 * How long to wait before the next try.
 * @param tries how many were made, at least one
 * @param retryAfterMs what the answer asked for, which is kept to
 * @param random from 0 up to 1: so that what failed together does not come back together
 * @returns milliseconds; null where it is given up
 */
export function nextTryAfterMs(
  tries: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const next = tryOffsetsMs[tries];
  const last = tryOffsetsMs[tries - 1];
  if (next === undefined || last === undefined) return null;
  const pauseMs = Math.round((next - last) * (1 + random / 10));
  return Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}

/** After so long of nothing but failures the partner is told, and then the endpoint is disabled. */
export const warnAfterMs = dayMs;
export const disableAfterMs = 5 * dayMs;

/** What was delivered, or was not, is kept for so long. */
export const keepDeliveriesMs = 30 * dayMs;

/** For so long a secret that was replaced signs beside the new one. */
export const secretOverlapMs = dayMs;

export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED';
export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED'] as const;
/** One that listens fetches what it is told; nothing is sent to it. */
export type EndpointStatus = 'ACTIVE' | 'PAUSED' | 'DISABLED' | 'LISTENING';
/** Why it was disabled: its server said that it is gone, or nothing but failures for days. */
export type DisabledReason = 'GONE' | 'FAILING';

/** Whether an endpoint wants to be told of a type. */
export function isWanted(eventTypes: readonly string[], type: WebhookFact['type']): boolean {
  return type === 'test.ping' || eventTypes.includes(everyEventType) || eventTypes.includes(type);
}
