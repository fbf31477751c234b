import { Schema } from 'mongoose';
import type { Branding } from '../../domain/branding.ts';
import type { GoLiveState } from '../../domain/go-live.ts';
import { defaultCeilings, type RuleCeilings } from '../../domain/rule-ceilings.ts';
import type { ProofCode } from './proof-code.ts';

/** A number that answered with the code it was sent. */
export interface TestPhone {
  /** E.164. */
  number: string;
  verifiedAt: Date;
}

/** A merchant that reports purchases. Its `_id` is the `partnerId` of everything else. */
export interface PartnerDoc extends RuleCeilings {
  _id: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** Only the go-live commands change it; LIVE credentials may be made and used in LIVE alone. */
  goLive: GoLive;
  /** Under which it trades, the legal name, as registered; null until it is told. */
  legalName: string | null;
  /** Where invoices are addressed to, in lines; the country stands in a field of its own. */
  billingAddress?: string | null;
  /** As invoices state it, such as a VAT number. */
  taxId?: string | null;
  website: string | null;
  /** Where its customers can get help. */
  supportEmail: string | null;
  /** What an admin asks to be in the LIVE funding before the partner is live. */
  goLiveMinimumFundingCents: number;
  /** ISO 3166-1 alpha-2; reads phone numbers that come without a country code. */
  country: string;
  apiRateLimitPerMinute: number;
  /** The one currency of its LIVE funds, three letters. */
  currency: string;
  /** Money or a LIVE rule is counted in it: it changes no more. */
  isCurrencyFixed: boolean;
  /** Where notices about funding go; null for nowhere. */
  contactEmail: string | null;
  /** The address that somebody has proven to read; nothing is mailed to a contact that is another. */
  verifiedContactEmail?: string | null;
  /** The address that this is being proven of. */
  contactEmailCode?: ProofCode | null;
  /** The support address that somebody has proven to read: customers' answers to emails go there. */
  verifiedSupportEmail?: string | null;
  /** The address that this is being proven of. */
  supportEmailCode?: ProofCode | null;
  /** Where text messages about TEST rewards go: a phone that somebody of the partner's has in hand. */
  testPhone?: TestPhone | null;
  /** The number that this is being proven of. */
  testPhoneCode?: ProofCode | null;
  /** Absent where nothing was chosen. */
  branding?: Branding;
  /** Below this the partner is told that the funding runs low. */
  lowBalanceThresholdCents: number;
  createdAt: Date;
}

/** Where a partner stands on its way to LIVE. */
export interface GoLive {
  state: GoLiveState;
  requestedAt: Date | null;
  /** The operator who approved the newest request, or returned it. */
  reviewerId: string | null;
  decidedAt: Date | null;
  /** Why it was returned; null for one that was not. */
  reason: string | null;
}

const goLiveSchema = new Schema<GoLive>(
  {
    state: {
      type: String,
      enum: ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE'],
      required: true,
    },
    requestedAt: { type: Date, default: null },
    reviewerId: { type: String, default: null },
    decidedAt: { type: Date, default: null },
    reason: { type: String, default: null },
  },
  { _id: false },
);

export const partnerSchema = new Schema<PartnerDoc>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    status: { type: String, enum: ['ACTIVE', 'SUSPENDED'], required: true },
    goLive: { type: goLiveSchema, required: true },
    legalName: { type: String, default: null },
    billingAddress: { type: String, default: null },
    taxId: { type: String, default: null },
    website: { type: String, default: null },
    supportEmail: { type: String, default: null },
    goLiveMinimumFundingCents: { type: Number, required: true },
    maxPointMicros: { type: Number, default: defaultCeilings.maxPointMicros },
    maxRewardCents: { type: Number, default: defaultCeilings.maxRewardCents },
    country: { type: String, required: true },
    apiRateLimitPerMinute: { type: Number, required: true },
    currency: { type: String, default: 'USD' },
    isCurrencyFixed: { type: Boolean, default: false },
    contactEmail: { type: String, default: null },
    verifiedContactEmail: { type: String, default: null },
    contactEmailCode: { type: Schema.Types.Mixed, default: null },
    verifiedSupportEmail: { type: String },
    supportEmailCode: { type: Schema.Types.Mixed },
    testPhone: { type: Schema.Types.Mixed, default: null },
    testPhoneCode: { type: Schema.Types.Mixed, default: null },
    branding: { type: Schema.Types.Mixed },
    lowBalanceThresholdCents: { type: Number, default: 0 },
    createdAt: { type: Date, required: true },
  },
  { collection: 'partners', versionKey: false },
);
// What operators list.
partnerSchema.index({ 'goLive.state': 1, _id: -1 });
partnerSchema.index({ status: 1, _id: -1 });
partnerSchema.index({ name: 1 });
