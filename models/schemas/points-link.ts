import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

/** A link to a customer's points at one partner in one mode, valid for a day. */
export interface PointsLinkDoc {
  /** The hash of the token in the message. */
  _id: string;
  partnerId: string;
  customerId: string;
  mode: Mode;
  /** The data key of the contact it was sent to: once that is destroyed, the link shows nothing. */
  dataKeyId: string;
  expiresAt: Date;
}

export const pointsLinkSchema = new Schema<PointsLinkDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    customerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    dataKeyId: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'points_links', versionKey: false },
);
pointsLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
