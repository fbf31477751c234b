import { Schema } from 'mongoose';

/**
 * The data key of one sealed text of a customer: inserted once and destroyed once. The document
 * stays for a while after that, so that an insert in progress cannot restore the key.
 */
export interface DataKeyDoc {
  /** The sealed text names it. */
  _id: string;
  partnerId: string;
  customerId: string;
  /** Encrypted with the master key; null once it is destroyed. */
  wrapped: string | null;
  /** When the data it seals was reported. */
  createdAt: Date;
  erasedAt: Date | null;
}

/** Longer than any insert in progress. */
const placeDays = 30;

export const dataKeySchema = new Schema<DataKeyDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    customerId: { type: String, required: true },
    wrapped: { type: String, default: null },
    createdAt: { type: Date, required: true },
    erasedAt: { type: Date, default: null },
  },
  { collection: 'data_keys', versionKey: false },
);
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
