import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/request.ts';

/**
 * One per signed request, accepted or refused. Insert-only, except for rows with counts: anybody
 * can send requests with a key they have read somewhere, so that refusals before the signature was
 * verified, and those beyond the rate limit, share one row per minute, credential, type and code.
 * Such a row shows the latest request that it counts, and when the first was received.
 */
export interface IntegrationEventDoc {
  /** Sorts by `receivedAt`. For an accepted event, it is derived from the event's id. */
  _id: string;
  partnerId: string;
  integrationId: string;
  credentialId: string;
  mode: Mode;
  type: RequestType;
  requestId: string;
  method: string;
  path: string;
  status: number;
  /** `ACCEPTED` for a recorded event, `REPLAYED`, `OK` for a read, or the code of the refusal. */
  code: string;
  externalOrderId: string | null;
  eventId: string | null;
  receivedAt: Date;
  /** How many requests the row counts. */
  count: number;
  /** The start of the minute that a row with a count covers; null for others. */
  minute: Date | null;
  /** The client address, deleted after 30 days (`shortenAddresses`). */
  address: string | null;
  /** The network of that address, which is kept. */
  network: string | null;
}

export const integrationEventSchema = new Schema<IntegrationEventDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    credentialId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    type: { type: String, enum: requestTypes, required: true },
    requestId: { type: String, required: true },
    method: { type: String, required: true },
    path: { type: String, required: true },
    status: { type: Number, required: true },
    code: { type: String, required: true },
    externalOrderId: { type: String, default: null },
    eventId: { type: String, default: null },
    receivedAt: { type: Date, required: true },
    count: { type: Number, default: 1 },
    minute: { type: Date, default: null },
    address: { type: String, default: null },
    network: { type: String, default: null },
  },
  { collection: 'integration_events', versionKey: false },
);
integrationEventSchema.index({ requestId: 1 });
integrationEventSchema.index(
  { partnerId: 1, credentialId: 1, type: 1, code: 1, minute: 1 },
  { unique: true, partialFilterExpression: { minute: { $type: 'date' } } },
);
// For counting current refusals by partner from index keys alone.
export const refusedIndex = 'refused';
integrationEventSchema.index(
  { _id: -1, status: 1, partnerId: 1, code: 1, count: 1 },
  { name: refusedIndex, partialFilterExpression: { status: { $gte: 400 } } },
);
// For the rows whose address is to be deleted.
integrationEventSchema.index(
  { receivedAt: 1, address: 1 },
  { partialFilterExpression: { address: { $type: 'string' } } },
);

/**
 * The log, newest first, for all combinations of its filters (`models/views/events-log.ts`). There
 * are few modes and types: a query without one of these filters names all of them, and the database
 * merges the ranges in order. So three indexes are enough for one partner, and three for all
 * partners.
 */
const ofFew = { mode: 1, type: 1, _id: -1 } as const;
const ofOrder = { externalOrderId: 1, _id: -1 } as const;
const namesOrder = { partialFilterExpression: { externalOrderId: { $type: 'string' } } };
export const logIndexes = { few: 'log', code: 'log_code', order: 'log_order' } as const;
export const everyonesLogIndexes = {
  few: 'everyones_log',
  code: 'everyones_log_code',
  order: 'everyones_log_order',
} as const;
integrationEventSchema.index({ partnerId: 1, ...ofFew }, { name: logIndexes.few });
integrationEventSchema.index({ partnerId: 1, code: 1, ...ofFew }, { name: logIndexes.code });
integrationEventSchema.index(
  { partnerId: 1, ...ofOrder },
  { name: logIndexes.order, ...namesOrder },
);
integrationEventSchema.index(ofFew, { name: everyonesLogIndexes.few });
integrationEventSchema.index({ code: 1, ...ofFew }, { name: everyonesLogIndexes.code });
integrationEventSchema.index(ofOrder, { name: everyonesLogIndexes.order, ...namesOrder });
