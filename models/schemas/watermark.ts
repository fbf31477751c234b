import { collection, date, type Stored, text } from './fields.ts';

/** The time up to which some process has searched stored documents. */
export const watermarkSchema = collection('watermarks', {
  /** The name of the process. */
  _id: text,
  at: date,
});
export type WatermarkDoc = Stored<typeof watermarkSchema>;
