import { collection, date, type Stored, text } from './fields.ts';

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
