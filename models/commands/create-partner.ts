import { newId } from '../../platform/ids.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { CommandDeps } from './deps.ts';

/** What an operator decides about a partner. */
export type PartnerFields = Pick<
  PartnerDoc,
  | 'name'
  | 'status'
  | 'legalName'
  | 'website'
  | 'supportEmail'
  | 'goLiveMinimumFundingCents'
  | 'country'
  | 'apiRateLimitPerMinute'
  | 'currency'
  | 'contactEmail'
  | 'lowBalanceThresholdCents'
>;

/** What a partner begins with, unless it is said. */
export const partnerDefaults = {
  status: 'ACTIVE',
  legalName: null,
  website: null,
  supportEmail: null,
  goLiveMinimumFundingCents: 10_000,
  country: 'US',
  apiRateLimitPerMinute: 600,
  currency: 'USD',
  contactEmail: null,
  lowBalanceThresholdCents: 0,
} as const;

export const sandbox: PartnerDoc['goLive'] = {
  state: 'SANDBOX',
  requestedAt: null,
  reviewerId: null,
  decidedAt: null,
  reason: null,
};

/** Makes a partner. It is active, in TEST alone: only the approval of its go-live makes it live. */
export async function createPartner(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  fields: Pick<PartnerFields, 'name'> & Partial<PartnerFields>,
  partnerId: string = newId('partner'),
): Promise<PartnerDoc> {
  const partner: PartnerDoc = {
    ...partnerDefaults,
    ...fields,
    _id: partnerId,
    goLive: sandbox,
    createdAt: new Date(now()),
  };
  await models.partners.create(partner);
  return partner;
}
