import { Schema } from 'mongoose';

/** A merchant that reports purchases. Its `_id` is the `partnerId` of everything else. */
export interface PartnerDoc {
  _id: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** Whether LIVE credentials may be made and used. */
  live: boolean;
  /** ISO 3166-1 alpha-2; reads phone numbers that come without a country code. */
  country: string;
  apiRateLimitPerMinute: number;
  /** The one currency of its LIVE funds, three letters. */
  currency: string;
  /** Where notices about funding go; null for nowhere. */
  contactEmail: string | null;
  /** Below this the partner is told that the funding runs low. */
  lowBalanceThresholdCents: number;
  createdAt: Date;
}

export const partnerSchema = new Schema<PartnerDoc>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    status: { type: String, enum: ['ACTIVE', 'SUSPENDED'], required: true },
    live: { type: Boolean, required: true },
    country: { type: String, required: true },
    apiRateLimitPerMinute: { type: Number, required: true },
    currency: { type: String, default: 'USD' },
    contactEmail: { type: String, default: null },
    lowBalanceThresholdCents: { type: Number, default: 0 },
    createdAt: { type: Date, required: true },
  },
  { collection: 'partners', versionKey: false },
);
