import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type DeliveryState, deliveryStates } from '../../domain/webhooks.ts';

/** One try, and what came of it. */
export interface WebhookAttempt {
  at: Date;
  durationMs: number;
  /** Of the answer; null where there was none. */
  status: number | null;
  /** Why there was no answer; null where there was one. */
  error: string | null;
  /** The beginning of the answer's body, as text. */
  answer: string;
}

/** One event, for one endpoint: the outbox, and the record of what was sent. */
export interface WebhookDeliveryDoc {
  _id: string;
  partnerId: string;
  endpointId: string;
  mode: Mode;
  /** The `webhook-id`: at every try, and at every endpoint, the same. */
  eventId: string;
  type: string;
  rewardId: string | null;
  /** The very bytes that are signed and sent. */
  body: string;
  state: DeliveryState;
  /** How many tries were made since it was last asked for. */
  tries: number;
  /** Only while it is PENDING. */
  nextTryAt: Date | null;
  deliveredAt: Date | null;
  /** The span that announced it, where one was recorded. */
  traceparent?: string;
  /** The newest last; at most `maxTriesKept`. */
  history: WebhookAttempt[];
  createdAt: Date;
}

/** Two rounds of all tries. */
export const maxTriesKept = 20;

/** What is due, endpoint by endpoint: as large as what is waiting. */
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
// Those that were given up on are few among those that arrived; those that wait stand in `due`.
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
