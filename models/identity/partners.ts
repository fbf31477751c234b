import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import { found } from '../store/found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findPartner(models: Models, partnerId: string): Promise<PartnerDoc> {
  return found(await models.partners.findById(partnerId).lean(), 'partner', partnerId);
}

/**
 * While a partner is suspended, its customers neither claim nor spend: what stands, stands.
 * @throws ServiceError PARTNER_SUSPENDED
 */
export async function requireNotSuspended(models: Models, partnerId: string): Promise<void> {
  if (!(await models.partners.exists({ _id: partnerId, status: 'SUSPENDED' }))) return;
  throw new ServiceError(
    'PARTNER_SUSPENDED',
    'The partner is suspended: its rewards can be neither claimed nor redeemed until it is active again.',
  );
}
