import type { PartnerDoc } from '../schemas/partner.ts';
import { findPartner } from './find.ts';
import { type GoLiveDeps, moveGoLive, requireReady } from './move-go-live.ts';

/**
 * Puts a partner before a reviewer, once it has everything that it can do by itself.
 * @throws ServiceError NOT_FOUND; CONFLICT naming what is missing, or for a partner that is suspended,
 *   in review or live
 */
export async function requestGoLive(deps: GoLiveDeps, partnerId: string): Promise<PartnerDoc> {
  const partner = await findPartner(deps.models, partnerId);
  await requireReady(deps, partner);
  return await moveGoLive(deps.models, partner, 'REQUEST', {
    requestedAt: new Date(deps.now()),
    reviewerId: null,
    decidedAt: null,
    reason: null,
  });
}
