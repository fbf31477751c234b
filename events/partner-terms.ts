import { customerTimeZone } from '../domain/branding.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import type { Mode } from '../domain/mode.ts';
import type { Delivery } from '../domain/purchase.ts';
import { defaultRedemptionSettings, type RedemptionSettings } from '../domain/redemption.ts';
import {
  apiRateLimitPerMinuteOf,
  type BillingStatus,
  billingStatusAt,
} from '../models/billing/index.ts';
import { findActivePolicy } from '../models/rewards/refund-policies.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { Models } from '../models/schemas/index.ts';
import type { CredentialDoc } from '../models/schemas/integrations.ts';

/** What a partner's requests go by, whoever sends them. */
export interface PartnerTerms {
  partnerId: string;
  partnerName: string;
  partnerStatus: 'ACTIVE' | 'SUSPENDED';
  live: boolean;
  country: string | null;
  /** Of its LIVE funds. */
  currency: string;
  /** In which its customers' days begin and end. */
  timeZone: string;
  /** How its customers may spend their points. */
  redemptions: RedemptionSettings;
  /** At the time of the look-up. */
  billingStatus: BillingStatus;
  apiRateLimitPerMinute: number;
  integrationId: string;
  /** Whether the service or the partner delivers the claim links of this integration. */
  delivery: Delivery;
  mode: Mode;
  rules: readonly EarningRule[];
  /** Whether a refund policy was in force at the time of the look-up. */
  hasRefundPolicy: boolean;
}

/** Looks up a partner's state, plan, rules and country. */
export async function termsOfPartner(
  { models, now }: { models: Models; now: () => number },
  { partnerId, integrationId, mode }: Pick<CredentialDoc, 'partnerId' | 'integrationId' | 'mode'>,
): Promise<PartnerTerms> {
  const [partner, rules, policy, billingStatus, integration] = await Promise.all([
    models.partners.findById(partnerId).orFail(),
    findActiveRules(models, partnerId, mode),
    findActivePolicy(models, partnerId, mode),
    billingStatusAt(models, partnerId, new Date(now()).toISOString()),
    models.integrations.findOne({ partnerId, _id: integrationId }, { delivery: 1 }),
  ]);
  return {
    partnerId,
    partnerName: partner.name,
    partnerStatus: partner.status,
    live: partner.goLive.state === 'LIVE',
    country: partner.country,
    currency: partner.currency,
    timeZone: customerTimeZone(partner),
    redemptions: partner.redemptions ?? defaultRedemptionSettings,
    billingStatus,
    apiRateLimitPerMinute: apiRateLimitPerMinuteOf(billingStatus, partner),
    integrationId,
    delivery: integration?.delivery ?? 'SERVICE',
    mode,
    rules,
    hasRefundPolicy: policy !== null,
  };
}
