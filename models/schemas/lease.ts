import { Schema } from 'mongoose';

/** What one process at a time does for all, and which one does it now. */
export interface LeaseDoc {
  /** What it is for. */
  _id: string;
  holder: string;
  /** By the database's clock. */
  endsAt: Date;
}

export const leaseSchema = new Schema<LeaseDoc>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { collection: 'leases', versionKey: false },
);
leaseSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
