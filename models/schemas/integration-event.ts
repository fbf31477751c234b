import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/request.ts';

/**
 * One per signed request, accepted or refused. Insert-only, but
 * for the rows that count: anyone may send requests under a key that they read somewhere, so that
 * refusals before the signature held, and those past the limit, are one row for each minute,
 * credential, type and code. Such a row shows the newest of the requests it counts.
 */
export interface IntegrationEventDoc {
  /** Sorts by `receivedAt`: that of an accepted event is made from the event's. */
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
  /** How many requests the row stands for. */
  count: number;
  /** Only of a row that counts: the minute it counts, by its beginning. */
  minute: Date | null;
  /** Where the request came from; forgotten after 30 days (`shortenAddresses`). */
  address: string | null;
  /** The network of that address, which stays. */
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
// Who is refused just now, counted without reading a row.
export const refusedIndex = 'refused';
integrationEventSchema.index(
  { _id: -1, status: 1, partnerId: 1, code: 1, count: 1 },
  { name: refusedIndex, partialFilterExpression: { status: { $gte: 400 } } },
);
// The rows whose address is to be shortened, once they are old.
integrationEventSchema.index(
  { receivedAt: 1, address: 1 },
  { partialFilterExpression: { address: { $type: 'string' } } },
);

/**
 * The log, newest first, for every combination of its filters (`models/views/events-log.ts`). Modes and
 * types are few: where a filter leaves them open, the query names all of them, and the database merges
 * the ranges in order. So three indexes do for a partner, and the same three for all partners.
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
