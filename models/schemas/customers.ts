import { modes } from '../../domain/mode.ts';
import { collection, date, nullable, oneOf, type Stored, text } from './fields.ts';

/** Longer than any insert in progress. */
const placeDays = 30;

/**
 * The data key of one text that people wrote about a customer, which may be in a workflow's history, too: inserted
 * once and destroyed once. The document stays for a while after that, so that an insert in progress cannot restore
 * the key.
 */
export const dataKeySchema = collection('data_keys', {
  /** The sealed text names it. */
  _id: text,
  partnerId: text,
  customerId: text,
  /** Encrypted with the master key; null once it is destroyed. */
  wrapped: nullable(text),
  /** When the data it seals was reported. */
  createdAt: date,
  erasedAt: nullable(date),
});
export type DataKeyDoc = Stored<typeof dataKeySchema>;
dataKeySchema.index({ partnerId: 1, customerId: 1 });
// The oldest keys that are not destroyed, for the retention.
dataKeySchema.index(
  { createdAt: 1 },
  { name: 'not_erased', partialFilterExpression: { wrapped: { $type: 'string' } } },
);
dataKeySchema.index(
  { erasedAt: 1 },
  {
    name: 'erased',
    expireAfterSeconds: placeDays * 86_400,
    partialFilterExpression: { erasedAt: { $type: 'date' } },
  },
);

/**
 * The erasure of a customer by an operator; insert-only. Nothing sealed for the customer until then
 * can be opened.
 */
export const erasureSchema = collection('erasures', {
  _id: text,
  partnerId: text,
  customerId: text,
  /** Identifies the erasure, once per customer. */
  reference: text,
  erasedAt: date,
});
export type ErasureDoc = Stored<typeof erasureSchema>;
erasureSchema.index({ partnerId: 1, customerId: 1, reference: 1 }, { unique: true });

/** A link to a customer's points at one partner in one mode, valid for some days. */
export const pointsLinkSchema = collection('points_links', {
  /** The hash of the token in the message. */
  _id: text,
  partnerId: text,
  customerId: text,
  mode: oneOf(modes),
  /** The purchase whose contact it was sent to: once that is erased, the link shows nothing. */
  purchaseEventId: text,
  expiresAt: date,
});
export type PointsLinkDoc = Stored<typeof pointsLinkSchema>;
pointsLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
