import { Schema } from 'mongoose';

/** The time up to which some process has searched stored documents. */
export interface WatermarkDoc {
  /** The name of the process. */
  _id: string;
  at: Date;
}

export const watermarkSchema = new Schema<WatermarkDoc>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { collection: 'watermarks', versionKey: false },
);
