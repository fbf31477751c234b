import { Schema } from 'mongoose';
import type { Branding } from '../../domain/branding.ts';
import type { GoLiveState } from '../../domain/go-live.ts';
import { defaultCeilings, type RuleCeilings } from '../../domain/rule-ceilings.ts';
import type { ProofCode } from './proof-code.ts';

/** A merchant that reports purchases. Its `_id` is the `partnerId` of all other documents. */
export interface PartnerDoc extends RuleCeilings {
  _id: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /**
   * Changed only by the go-live operations. LIVE credentials can be created and used only in LIVE.
   */
  goLive: GoLive;
  /** The registered legal name; null until it is entered. */
  legalName: string | null;
  /** The billing address, one entry per line, without the country. */
  billingAddress?: string | null;
  /** For invoices, such as a VAT number. */
  taxId?: string | null;
  website: string | null;
  /** Where its customers can get help. */
  supportEmail: string | null;
  /** The LIVE funding that operators require before go-live. */
  goLiveMinimumFundingCents: number;
  /** ISO 3166-1 alpha-2; also used for phone numbers without a country code. */
  country: string;
  apiRateLimitPerMinute: number;
  /** The one currency of its LIVE funds, three letters. */
  currency: string;
  /** Set once money or a LIVE rule uses the currency, which can no longer change then. */
  isCurrencyFixed: boolean;
  /** The address for notices about funding; null for none. */
  contactEmail: string | null;
  /** The verified contact address. Nothing is sent to a different contact address. */
  verifiedContactEmail?: string | null;
  /** The pending verification of the contact address. */
  contactEmailCode?: ProofCode | null;
  /** The verified support address, to which customers' replies to emails go. */
  verifiedSupportEmail?: string | null;
  /** The pending verification of the support address. */
  supportEmailCode?: ProofCode | null;
  /** Absent if nothing was chosen. */
  branding?: Branding;
  /** The partner is notified when the funding falls below this. */
  lowBalanceThresholdCents: number;
  createdAt: Date;
}

/** A partner's progress towards LIVE. */
export interface GoLive {
  state: GoLiveState;
  requestedAt: Date | null;
  /** The operator who approved or returned the latest request. */
  reviewerId: string | null;
  decidedAt: Date | null;
  /** Why it was returned; null if it was not. */
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
