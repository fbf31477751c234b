import { Schema } from 'mongoose';

/** Up to when something that looks through what is stored has looked. */
export interface WatermarkDoc {
  /** What looks. */
  _id: string;
  at: Date;
}

export const watermarkSchema = new Schema<WatermarkDoc>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { collection: 'watermarks', versionKey: false },
);
