import { Schema } from 'mongoose';
import type { Mode } from '../../domain/events.ts';

/** The specification's IntegrationEvent: one per signed request, accepted or refused. Insert-only. */
export interface IntegrationEventDoc {
  _id: string;
  partnerId: string;
  integrationId: string;
  credentialId: string;
  mode: Mode;
  requestId: string;
  method: string;
  path: string;
  status: number;
  /** `ACCEPTED` for a recorded event, `REPLAYED`, `OK` for a read, or the code of the refusal. */
  code: string;
  externalOrderId: string | null;
  eventId: string | null;
  receivedAt: Date;
}

export const integrationEventSchema = new Schema<IntegrationEventDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    credentialId: { type: String, required: true },
    mode: { type: String, enum: ['TEST', 'LIVE'], required: true },
    requestId: { type: String, required: true },
    method: { type: String, required: true },
    path: { type: String, required: true },
    status: { type: Number, required: true },
    code: { type: String, required: true },
    externalOrderId: { type: String, default: null },
    eventId: { type: String, default: null },
    receivedAt: { type: Date, required: true },
  },
  { collection: 'integration_events', versionKey: false },
);
integrationEventSchema.index({ partnerId: 1, requestId: 1 }, { unique: true });
integrationEventSchema.index({ partnerId: 1, _id: -1 });
integrationEventSchema.index({ code: 1, _id: -1 });
