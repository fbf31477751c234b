import Joi from 'joi';
import { ruleLimits } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { looksLikeLink } from '../../domain/merchant-names.ts';
import type { RuleCeilings } from '../../domain/rule-ceilings.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { currencyCode, shortText } from '../fields.ts';
import { billingAddressField, countryField, websiteField } from '../profile-fields.ts';
import { maxTopUpCents } from '../wallets/top-up-wallet.ts';

/** The fields of a partner that an operator or its owner can change. */
export type PartnerFields = Pick<
  PartnerDoc,
  | 'name'
  | 'status'
  | 'legalName'
  | 'billingAddress'
  | 'taxId'
  | 'website'
  | 'supportEmail'
  | 'goLiveMinimumFundingCents'
  | 'country'
  | 'apiRateLimitPerMinute'
  | 'currency'
  | 'contactEmail'
  | 'lowBalanceThresholdCents'
  | keyof RuleCeilings
>;

/** @throws ServiceError VALIDATION_FAILED for a name that email programs would turn into a link */
export function requireNoLink(name: string): void {
  if (!looksLikeLink(name)) return;
  throw new ServiceError(
    'VALIDATION_FAILED',
    'The name looks like a link, and it appears in emails to customers: put a space after each dot.',
  );
}

const email = Joi.string().email({ tlds: false }).max(255).allow(null);
const cents = Joi.number().integer().min(0).max(maxTopUpCents);

/** The fields of a new partner. */
export type NewPartnerFields = Omit<PartnerFields, keyof RuleCeilings>;

export const newPartnerFields = {
  name: shortText(100),
  status: Joi.string().valid('ACTIVE', 'SUSPENDED'),
  legalName: shortText(200).allow(null),
  billingAddress: billingAddressField.allow(null),
  taxId: shortText(50).allow(null),
  website: websiteField.allow(null),
  supportEmail: email,
  goLiveMinimumFundingCents: cents,
  country: countryField,
  apiRateLimitPerMinute: Joi.number().integer().min(1).max(1_000_000),
  currency: currencyCode,
  contactEmail: email,
  lowBalanceThresholdCents: cents,
} satisfies Record<keyof NewPartnerFields, Joi.Schema>;

export const partnerFields = {
  ...newPartnerFields,
  maxPointMicros: Joi.number().integer().min(0).max(ruleLimits.pointValueMicros),
  maxRewardCents: cents,
} satisfies Record<keyof PartnerFields, Joi.Schema>;
