import { Schema } from 'mongoose';
import { type Logo, logoTypes } from '../../domain/branding.ts';

/** The bytes of a partner's logo; the branding has the hash of the current one. */
export interface LogoDoc extends Omit<Logo, 'hash'> {
  /** The hash. */
  _id: string;
  partnerId: string;
  bytes: Buffer;
  createdAt: Date;
}

export const logoSchema = new Schema<LogoDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    type: { type: String, enum: logoTypes, required: true },
    width: { type: Number, required: true },
    height: { type: Number, required: true },
    bytes: { type: Buffer, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'logos', versionKey: false },
);
logoSchema.index({ partnerId: 1 });
