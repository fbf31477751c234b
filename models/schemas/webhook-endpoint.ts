import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type NoticeRhythm, noticeRhythms } from '../../domain/notices.ts';
import type { WebhookTraffic } from '../../domain/webhook-traffic.ts';
import type { DisabledReason, EndpointStatus } from '../../domain/webhooks.ts';

/** A secret that signs, sealed and bound to the endpoint's id. */
export interface WebhookSecretDoc {
  sealed: string;
  createdAt: Date;
  /** Of one that was replaced: until when it signs beside the new one. */
  expiresAt: Date | null;
}

/** Where a partner is told what happened, in one mode. */
export interface WebhookEndpointDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  /** From 0 up to the most there may be: its unique index refuses one more. */
  slot: number;
  url: string;
  /** `*` for all. */
  eventTypes: string[];
  description: string;
  /** The newest first. */
  secrets: WebhookSecretDoc[];
  status: EndpointStatus;
  disabledReason: DisabledReason | null;
  /** When it failed first since it last answered well. */
  failingSince: Date | null;
  /** When the partner was told that it fails, or that it was disabled. */
  warnedAt: Date | null;
  disabledNoticeAt: Date | null;
  /**
   * While a process is delivering to it: in the future. Afterwards: when it ended, or would have
   * died.
   */
  deliveringUntil: Date | null;
  /** Of one whose deliveries are emails: to which of the partner's users. */
  userId?: string;
  /** Of the same: how often they are mailed; absent for at once. */
  rhythm?: NoticeRhythm;
  /** Of one that listens: until when it is there without asking again. */
  listenUntil?: Date;
  /** How it answered of late: absent before the first try. */
  traffic?: WebhookTraffic;
  createdAt: Date;
  /** Since when it is told of what it wants without a gap; absent where that is since it was made. */
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
// Who is told anything.
webhookEndpointSchema.index({ status: 1, partnerId: 1 });
webhookEndpointSchema.index(
  { userId: 1 },
  { unique: true, partialFilterExpression: { userId: { $exists: true } } },
);
