import { modes } from '../../domain/mode.ts';
import { noticeRhythms } from '../../domain/partners.ts';
import type { OngoingRehearsal } from '../../domain/rehearsal.ts';
import { type DisabledReason, deliveryStates, type WebhookTraffic } from '../../domain/webhooks.ts';
import {
  collection,
  date,
  listOf,
  mark,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  schemaField,
  text,
  typedText,
  unchecked,
  withDefault,
} from './fields.ts';

/** A signing secret, sealed and bound to the endpoint's id. */
const webhookSecret = part({
  sealed: text,
  createdAt: date,
  /** Until when a replaced secret still signs as well; null for the current one. */
  expiresAt: nullable(date),
  /** Operators made it: an owner of the partner is shown it once, and nobody else. */
  awaitsOwner: mark,
});
export type WebhookSecretDoc = Stored<typeof webhookSecret>;

/** Where a partner's events of one mode are sent; also a listener, or a user's notices by email. */
export const webhookEndpointSchema = collection('webhook_endpoints', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  /** From 0 to the maximum number of endpoints, which the unique index on it enforces. */
  slot: number,
  url: text,
  /** `*` for all. */
  eventTypes: listOf(text),
  description: withDefault(text, ''),
  /** Newest first. */
  secrets: listOf(webhookSecret),
  status: oneOf(['ACTIVE', 'PAUSED', 'DISABLED', 'LISTENING']),
  disabledReason: nullable(typedText<DisabledReason>()),
  /** The time of the first failure since the last success; null after a success. */
  failingSince: nullable(date),
  /** When the partner was notified that it is failing. */
  warnedAt: nullable(date),
  disabledNoticeAt: nullable(date),
  /** In the future while a process delivers to it; afterwards, when that process stopped or its mark expired. */
  deliveringUntil: nullable(date),
  /** The user whose notices by email this is; absent for webhooks. */
  userId: optional(text),
  /** How often the user's notices are sent; absent for immediately. */
  rhythm: optional(oneOf(noticeRhythms)),
  /** Until when a listener counts as present unless it fetches again. */
  listenUntil: optional(date),
  /** Its recent attempts by hour; absent before the first. */
  traffic: optional(mixed<WebhookTraffic>()),
  /** In TEST: the newest rehearsal of one of the partner's keys, unless it was ended early. */
  rehearsal: optional(mixed<OngoingRehearsal>()),
  createdAt: date,
  /** Since when it has received all its event types without a gap; absent if since its creation. */
  subscribedSince: optional(date),
  updatedAt: date,
});
export type WebhookEndpointDoc = Stored<typeof webhookEndpointSchema>;
webhookEndpointSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
webhookEndpointSchema.index({ partnerId: 1, mode: 1, slot: 1 }, { unique: true });
// For the partners with active endpoints.
webhookEndpointSchema.index({ status: 1, partnerId: 1 });
webhookEndpointSchema.index(
  { userId: 1 },
  { unique: true, partialFilterExpression: { userId: { $exists: true } } },
);

/** Enough for all attempts of a delivery and of one resend. */
export const maxTriesKept = 20;

/** The index of pending deliveries by endpoint; only as large as the backlog. */
export const dueIndex = 'due';

/** One attempt and its result. */
const webhookAttempt = part({
  at: unchecked(date),
  durationMs: unchecked(number),
  /** The status of the response; null without a response. */
  status: schemaField<number | null>({ type: Number }),
  /** Why there was no response; null with one. */
  error: schemaField<string | null>({ type: String }),
  /** The beginning of the response's body, as text. */
  answer: unchecked(text),
});
export type WebhookAttempt = Stored<typeof webhookAttempt>;

/** One event for one endpoint: what has to be delivered, and the record of it. */
export const webhookDeliverySchema = collection('webhook_deliveries', {
  _id: text,
  partnerId: text,
  endpointId: text,
  mode: oneOf(modes),
  /** The `webhook-id`: the same for all attempts and endpoints. */
  eventId: text,
  type: text,
  rewardId: nullable(text),
  /** The exact bytes that are signed and sent. */
  body: text,
  state: oneOf(deliveryStates),
  /** The number of attempts since it was created or resent. */
  tries: number,
  /** Null at first, for at once, and unless it is PENDING. */
  nextTryAt: nullable(date),
  deliveredAt: nullable(date),
  /** Newest last; at most `maxTriesKept`. */
  history: listOf(webhookAttempt),
  createdAt: date,
  /** The span that announced it, if one was recorded. */
  traceparent: optional(text),
});
export type WebhookDeliveryDoc = Stored<typeof webhookDeliverySchema>;
webhookDeliverySchema.index({ partnerId: 1, _id: 1 }, { unique: true });
webhookDeliverySchema.index({ partnerId: 1, endpointId: 1, _id: -1 });
webhookDeliverySchema.index({ partnerId: 1, endpointId: 1, type: 1, _id: -1 });
// Failed deliveries are few among all; pending ones are in `due`.
webhookDeliverySchema.index(
  { partnerId: 1, endpointId: 1, _id: -1 },
  { name: 'failed', partialFilterExpression: { state: 'FAILED' } },
);
webhookDeliverySchema.index({ partnerId: 1, rewardId: 1, _id: -1 });
webhookDeliverySchema.index(
  { endpointId: 1, nextTryAt: 1 },
  { name: dueIndex, partialFilterExpression: { state: 'PENDING' } },
);
webhookDeliverySchema.index({ createdAt: 1 });
