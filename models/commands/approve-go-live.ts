import type { PartnerDoc } from '../schemas/partner.ts';
import { findPartner } from './find.ts';
import { type GoLiveDeps, moveGoLive, requireReady } from './move-go-live.ts';

/**
 * Makes a partner live: the only way there is. What the request was made with must still hold. A repeat
 * by the same reviewer finds it done.
 * @param reviewerId the operator who approves
 * @throws ServiceError NOT_FOUND; CONFLICT naming what is missing, or for a partner that is suspended or
 *   not in review
 */
export async function approveGoLive(
  deps: GoLiveDeps,
  partnerId: string,
  { reviewerId }: { reviewerId: string },
): Promise<PartnerDoc> {
  const partner = await findPartner(deps.models, partnerId);
  const { state, reviewerId: approvedBy } = partner.goLive;
  if (state === 'LIVE' && approvedBy === reviewerId) return partner;
  await requireReady(deps, partner);
  return await moveGoLive(deps.models, partner, 'APPROVE', {
    reviewerId,
    decidedAt: new Date(deps.now()),
    reason: null,
  });
}
