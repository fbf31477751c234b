import { modes } from '../../domain/mode.ts';
import { deliveryStates } from '../../domain/webhooks.ts';
import {
  collection,
  date,
  field,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  unchecked,
} from './fields.ts';

/** Enough for all attempts of a delivery and of one resend. */
export const maxTriesKept = 20;

/** The index of pending deliveries by endpoint; only as large as the backlog. */
export const dueIndex = 'due';

/** One attempt and its result. */
const webhookAttempt = part({
  at: unchecked(date),
  durationMs: unchecked(number),
  /** The status of the response; null without a response. */
  status: field<number | null>({ type: Number }),
  /** Why there was no response; null with one. */
  error: field<string | null>({ type: String }),
  /** The beginning of the response's body, as text. */
  answer: unchecked(text),
});
export type WebhookAttempt = Stored<typeof webhookAttempt>;

/** One event for one endpoint: both the outbox, and the record of its delivery. */
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
  /** Null unless it is PENDING. */
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
