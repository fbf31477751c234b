import { Schema } from 'mongoose';

/** An operator erased a customer: insert-only. What was sealed for the customer until then opens no more. */
export interface ErasureDoc {
  _id: string;
  partnerId: string;
  customerId: string;
  /** Names the erasure, once per customer. */
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
