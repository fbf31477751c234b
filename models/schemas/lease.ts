import { Schema } from 'mongoose';

/** Work that one process at a time does for all, and which process does it. */
export interface LeaseDoc {
  /** What it is for. */
  _id: string;
  holder: string;
  /** By the database's clock. */
  endsAt: Date;
  /** The processes that recently wanted it, including the holder. */
  contenders: { holder: string; askedAt: Date }[];
}

export const leaseSchema = new Schema<LeaseDoc>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    endsAt: { type: Date, required: true },
    contenders: [new Schema({ holder: String, askedAt: Date }, { _id: false })],
  },
  { collection: 'leases', versionKey: false },
);
leaseSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
