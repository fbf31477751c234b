import type { PartnerDoc } from '../schemas/partner.ts';
import { findPartner } from './find.ts';
import { type GoLiveDeps, moveGoLive } from './move-go-live.ts';

/**
 * Gives a request back to the partner.
 * @param reason what is to be changed, for the partner to read
 * @throws ServiceError NOT_FOUND; CONFLICT for a partner that is not in review
 */
export async function returnGoLive(
  { models, now }: Pick<GoLiveDeps, 'models' | 'now'>,
  partnerId: string,
  { reviewerId, reason }: { reviewerId: string; reason: string },
): Promise<PartnerDoc> {
  const partner = await findPartner(models, partnerId);
  return await moveGoLive(models, partner, 'RETURN', {
    reviewerId,
    decidedAt: new Date(now()),
    reason,
  });
}
