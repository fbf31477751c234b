import { Schema } from 'mongoose';

/**
 * The erasure of a customer by an operator; insert-only. Nothing sealed for the customer until then
 * can be opened.
 */
export interface ErasureDoc {
  _id: string;
  partnerId: string;
  customerId: string;
  /** Identifies the erasure, once per customer. */
  reference: string;
  erasedAt: Date;
}

export const erasureSchema = new Schema<ErasureDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    customerId: { type: String, required: true },
    reference: { type: String, required: true },
    erasedAt: { type: Date, required: true },
  },
  { collection: 'erasures', versionKey: false },
);
erasureSchema.index({ partnerId: 1, customerId: 1, reference: 1 }, { unique: true });
