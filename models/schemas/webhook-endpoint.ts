import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type NoticeRhythm, noticeRhythms } from '../../domain/notices.ts';
import type { WebhookTraffic } from '../../domain/webhook-traffic.ts';
import type { DisabledReason, EndpointStatus } from '../../domain/webhooks.ts';

/** A signing secret, sealed and bound to the endpoint's id. */
export interface WebhookSecretDoc {
  sealed: string;
  createdAt: Date;
  /** Until when a replaced secret still signs as well; null for the current one. */
  expiresAt: Date | null;
}

/** Where a partner's events of one mode are sent; also a listener, or a user's notices by email. */
export interface WebhookEndpointDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  /** From 0 to the maximum number of endpoints, which the unique index on it enforces. */
  slot: number;
  url: string;
  /** `*` for all. */
  eventTypes: string[];
  description: string;
  /** Newest first. */
  secrets: WebhookSecretDoc[];
  status: EndpointStatus;
  disabledReason: DisabledReason | null;
  /** The time of the first failure since the last success; null after a success. */
  failingSince: Date | null;
  /** When the partner was notified that it is failing. */
  warnedAt: Date | null;
  disabledNoticeAt: Date | null;
  /** In the future while a process delivers to it; afterwards, when that process stopped or its mark expired. */
  deliveringUntil: Date | null;
  /** The user whose notices by email this is; absent for webhooks. */
  userId?: string;
  /** How often the user's notices are sent; absent for immediately. */
  rhythm?: NoticeRhythm;
  /** Until when a listener counts as present unless it fetches again. */
  listenUntil?: Date;
  /** Its recent attempts by hour; absent before the first. */
  traffic?: WebhookTraffic;
  createdAt: Date;
  /** Since when it has received all its event types without a gap; absent if since its creation. */
  subscribedSince?: Date;
  updatedAt: Date;
}

const date = { type: Date, default: null };

export const webhookEndpointSchema = new Schema<WebhookEndpointDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    slot: { type: Number, required: true },
    url: { type: String, required: true },
    eventTypes: { type: [String], required: true },
    description: { type: String, default: '' },
    secrets: [
      new Schema<WebhookSecretDoc>(
        {
          sealed: { type: String, required: true },
          createdAt: { type: Date, required: true },
          expiresAt: date,
        },
        { _id: false },
      ),
    ],
    status: { type: String, enum: ['ACTIVE', 'PAUSED', 'DISABLED', 'LISTENING'], required: true },
    disabledReason: { type: String, default: null },
    failingSince: date,
    warnedAt: date,
    disabledNoticeAt: date,
    deliveringUntil: date,
    userId: { type: String },
    rhythm: { type: String, enum: noticeRhythms },
    listenUntil: { type: Date },
    traffic: { type: Schema.Types.Mixed },
    createdAt: { type: Date, required: true },
    subscribedSince: { type: Date },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'webhook_endpoints', versionKey: false },
);
webhookEndpointSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
webhookEndpointSchema.index({ partnerId: 1, mode: 1, slot: 1 }, { unique: true });
// For the partners with active endpoints.
webhookEndpointSchema.index({ status: 1, partnerId: 1 });
webhookEndpointSchema.index(
  { userId: 1 },
  { unique: true, partialFilterExpression: { userId: { $exists: true } } },
);
