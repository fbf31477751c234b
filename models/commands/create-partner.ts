import { newId } from '../../platform/ids.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { CommandDeps } from './deps.ts';

/** What an operator decides about a partner. */
export type PartnerFields = Pick<
  PartnerDoc,
  | 'name'
  | 'status'
  | 'live'
  | 'country'
  | 'apiRateLimitPerMinute'
  | 'currency'
  | 'contactEmail'
  | 'lowBalanceThresholdCents'
>;

/** What a partner begins with, unless it is said: active, in TEST alone. */
export const partnerDefaults = {
  status: 'ACTIVE',
  live: false,
  country: 'US',
  apiRateLimitPerMinute: 600,
  currency: 'USD',
  contactEmail: null,
  lowBalanceThresholdCents: 0,
} as const;

export async function createPartner(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  fields: Pick<PartnerFields, 'name'> & Partial<PartnerFields>,
  partnerId: string = newId('partner'),
): Promise<PartnerDoc> {
  const partner: PartnerDoc = {
    ...partnerDefaults,
    ...fields,
    _id: partnerId,
    createdAt: new Date(now()),
  };
  await models.partners.create(partner);
  return partner;
}
