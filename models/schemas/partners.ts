import { type Branding, logoTypes } from '../../domain/branding.ts';
import { defaultCeilings } from '../../domain/points.ts';
import type { RedemptionSettings } from '../../domain/redemption.ts';
import {
  collection,
  date,
  flag,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  schemaField,
  text,
  withDefault,
} from './fields.ts';
import type { ProofCode } from './people.ts';

/** A partner's progress towards LIVE. */
const goLive = part({
  state: oneOf(['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE']),
  requestedAt: nullable(date),
  /** The operator who approved or returned the latest request. */
  reviewerId: nullable(text),
  decidedAt: nullable(date),
  /** Why it was returned; null if it was not. */
  reason: nullable(text),
});
export type GoLive = Stored<typeof goLive>;

/** A merchant that reports purchases. Its `_id` is the `partnerId` of all other documents. */
export const partnerSchema = collection('partners', {
  _id: text,
  name: text,
  status: oneOf(['ACTIVE', 'SUSPENDED']),
  /**
   * Changed only by the go-live operations. LIVE credentials can be created and used only in LIVE.
   */
  goLive,
  /** The registered legal name; null until it is entered. */
  legalName: nullable(text),
  /** The billing address, one entry per line, without the country. */
  billingAddress: optional(nullable(text)),
  /** For invoices, such as a VAT number. */
  taxId: optional(nullable(text)),
  website: nullable(text),
  /** Where its customers can get help. */
  supportEmail: nullable(text),
  /** The LIVE funding that operators require before go-live. */
  goLiveMinimumFundingCents: number,
  maxPointMicros: withDefault(number, defaultCeilings.maxPointMicros),
  maxRewardCents: withDefault(number, defaultCeilings.maxRewardCents),
  /** ISO 3166-1 alpha-2; also used for phone numbers without a country code. Null until somebody chooses it. */
  country: nullable(text),
  /** The IANA time zone of its customers' days; absent or null for that of the country. */
  timeZone: optional(nullable(text)),
  apiRateLimitPerMinute: number,
  /** The one currency of its LIVE funds, three letters. */
  currency: withDefault(text, 'USD'),
  /** Set once money or a LIVE rule uses the currency, which can no longer change then. */
  isCurrencyFixed: withDefault(flag, false),
  /** The address for notices about funding; null for none. */
  contactEmail: nullable(text),
  /** The verified contact address. Nothing is sent to a different contact address. */
  verifiedContactEmail: optional(nullable(text)),
  /** The pending verification of the contact address. */
  contactEmailCode: optional(nullable(mixed<ProofCode>())),
  /** The verified support address, to which customers' replies to emails go. */
  verifiedSupportEmail: optional(schemaField<string | null>({ type: String })),
  /** The pending verification of the support address. */
  supportEmailCode: optional(mixed<ProofCode | null>()),
  /** Absent if nothing was chosen. */
  branding: optional(mixed<Branding>()),
  /** How its customers may spend their points; absent if nothing was chosen. */
  redemptions: optional(mixed<RedemptionSettings>()),
  /** The partner is notified when the funding falls below this. */
  lowBalanceThresholdCents: withDefault(number, 0),
  /** Counts writes of what it has a limited number of, which take turns by it. */
  limitedWrites: optional(number),
  createdAt: date,
});
export type PartnerDoc = Stored<typeof partnerSchema>;
// What operators list.
partnerSchema.index({ 'goLive.state': 1, _id: -1 });
partnerSchema.index({ status: 1, _id: -1 });
partnerSchema.index({ name: 1 });

/** The bytes of a partner's logo; the branding has the hash of the current one. */
export const logoSchema = collection('logos', {
  /** The hash. */
  _id: text,
  partnerId: text,
  type: oneOf(logoTypes),
  width: number,
  height: number,
  bytes: schemaField<Buffer>({ type: Buffer, required: true }),
  createdAt: date,
});
logoSchema.index({ partnerId: 1 });
