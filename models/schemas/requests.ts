import type { PartnerErrorCode } from '../../domain/error-codes.ts';
import { modes } from '../../domain/mode.ts';
import { requestTypes } from '../../domain/purchase.ts';
import {
  collection,
  date,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  type Stored,
  text,
  withDefault,
} from './fields.ts';

/**
 * One per signed request, accepted or refused. Insert-only, except for rows with counts: anybody
 * can send requests with a key they have read somewhere, so that refusals before the signature was
 * verified, and those beyond the rate limit, share one row per minute, credential, type and code.
 * Such a row shows the latest request that it counts, and when the first was received.
 */
export const requestLogSchema = collection('request_log', {
  /** Sorts by `receivedAt`. For an accepted event, it is derived from the event's id. */
  _id: text,
  partnerId: text,
  integrationId: text,
  credentialId: text,
  mode: oneOf(modes),
  type: oneOf(requestTypes),
  requestId: text,
  method: text,
  path: text,
  status: number,
  /** `ACCEPTED` for a recorded event, `REPLAYED`, `OK` for a read, or the code of the refusal. */
  code: text,
  externalOrderId: nullable(text),
  eventId: nullable(text),
  receivedAt: date,
  /** How many requests the row counts. */
  count: withDefault(number, 1),
  /** The start of the minute that a row with a count covers; null for others. */
  minute: nullable(date),
  /** The client address, deleted after 30 days (`shortenAddresses`). */
  address: nullable(text),
  /** The network of that address, which is kept. */
  network: nullable(text),
  /** Of a request refused after its signature was verified: which of our fields are wrong, and its key's hash. */
  refusal: optional(text),
  idempotencyKeyHash: optional(text),
});
export type LoggedRequest = Stored<typeof requestLogSchema>;
requestLogSchema.index({ requestId: 1 });
requestLogSchema.index(
  { partnerId: 1, credentialId: 1, type: 1, code: 1, minute: 1 },
  { unique: true, partialFilterExpression: { minute: { $type: 'date' } } },
);
// For counting current refusals by partner from index keys alone.
export const refusedIndex = 'refused';
requestLogSchema.index(
  { _id: -1, status: 1, partnerId: 1, code: 1, count: 1 },
  { name: refusedIndex, partialFilterExpression: { status: { $gte: 400 } } },
);
// For lookups of refused requests by people, newest first.
export const refusedKeyIndex = 'look_up_refused_key';
requestLogSchema.index(
  { idempotencyKeyHash: 1, _id: -1, partnerId: 1 },
  {
    name: refusedKeyIndex,
    partialFilterExpression: { idempotencyKeyHash: { $type: 'string' } },
  },
);
// For the rows whose address is to be deleted.
requestLogSchema.index(
  { receivedAt: 1, address: 1 },
  { partialFilterExpression: { address: { $type: 'string' } } },
);

/**
 * The log, newest first, for all combinations of its filters (`views/log.ts`). There
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
requestLogSchema.index({ partnerId: 1, ...ofFew }, { name: logIndexes.few });
requestLogSchema.index({ partnerId: 1, code: 1, ...ofFew }, { name: logIndexes.code });
requestLogSchema.index({ partnerId: 1, ...ofOrder }, { name: logIndexes.order, ...namesOrder });
requestLogSchema.index(ofFew, { name: everyonesLogIndexes.few });
requestLogSchema.index({ code: 1, ...ofFew }, { name: everyonesLogIndexes.code });
requestLogSchema.index(ofOrder, { name: everyonesLogIndexes.order, ...namesOrder });

/** How many requests of a partner were refused on a UTC day, by code. */
export const refusalTotalsSchema = collection('refusal_totals', {
  /** Partner, mode and day. */
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  /** `yyyy-mm-dd`, in UTC. */
  day: text,
  codes: mixed<Partial<Record<PartnerErrorCode, number>>>(),
});
refusalTotalsSchema.index({ partnerId: 1, mode: 1, day: 1 });

const refusedRequestDays = 7;

/**
 * A request with a known key whose signature was refused, kept for a week so that the partner can
 * find out why: the newest hundred of each credential.
 */
export const refusedRequestSchema = collection('refused_requests', {
  /** The id of the request. */
  _id: text,
  partnerId: text,
  integrationId: text,
  credentialId: text,
  mode: oneOf(modes),
  /** The code of the refusal. */
  code: text,
  receivedAt: date,
  /** What was signed, and part of the body, as JSON, sealed and bound to `_id`. */
  sealed: text,
});
export type RefusedRequestDoc = Stored<typeof refusedRequestSchema>;
refusedRequestSchema.index({ partnerId: 1, credentialId: 1, _id: -1 });
refusedRequestSchema.index({ receivedAt: 1 }, { expireAfterSeconds: refusedRequestDays * 86_400 });
