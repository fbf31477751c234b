import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type DeliveryState, deliveryStates } from '../../domain/webhooks.ts';

/** One attempt and its result. */
export interface WebhookAttempt {
  at: Date;
  durationMs: number;
  /** The status of the response; null without a response. */
  status: number | null;
  /** Why there was no response; null with one. */
  error: string | null;
  /** The beginning of the response's body, as text. */
  answer: string;
}

/** One event for one endpoint: both the outbox, and the record of its delivery. */
export interface WebhookDeliveryDoc {
  _id: string;
  partnerId: string;
  endpointId: string;
  mode: Mode;
  /** The `webhook-id`: the same for all attempts and endpoints. */
  eventId: string;
  type: string;
  rewardId: string | null;
  /** The exact bytes that are signed and sent. */
  body: string;
  state: DeliveryState;
  /** The number of attempts since it was created or resent. */
  tries: number;
  /** Null unless it is PENDING. */
  nextTryAt: Date | null;
  deliveredAt: Date | null;
  /** The span that announced it, if one was recorded. */
  traceparent?: string;
  /** Newest last; at most `maxTriesKept`. */
  history: WebhookAttempt[];
  createdAt: Date;
}

/** Enough for all attempts of a delivery and of one resend. */
export const maxTriesKept = 20;

/** The index of pending deliveries by endpoint; only as large as the backlog. */
export const dueIndex = 'due';

export const webhookDeliverySchema = new Schema<WebhookDeliveryDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    endpointId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    eventId: { type: String, required: true },
    type: { type: String, required: true },
    rewardId: { type: String, default: null },
    body: { type: String, required: true },
    state: { type: String, enum: deliveryStates, required: true },
    tries: { type: Number, required: true },
    nextTryAt: { type: Date, default: null },
    deliveredAt: { type: Date, default: null },
    history: [
      new Schema<WebhookAttempt>(
        { at: Date, durationMs: Number, status: Number, error: String, answer: String },
        { _id: false },
      ),
    ],
    createdAt: { type: Date, required: true },
    traceparent: { type: String },
  },
  { collection: 'webhook_deliveries', versionKey: false },
);
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
