import type { SealedContact, SealedPurchase } from '../../domain/purchase.ts';
import { correctionContext } from '../../domain/reward.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { openSealed } from '../store/data-keys.ts';
import { openEvent } from '../store/sealed-events.ts';

/**
 * Whom a reward is for: as its purchase said or, if that was wrong, as it was corrected.
 * @returns null once the customer was erased
 */
export async function openContact(
  deps: { models: Models; sealer: Sealer },
  purchase: OrderEventDoc,
  correction: RewardDoc['correction'],
): Promise<SealedContact | null> {
  if (correction === undefined) return openReportedContact(deps, purchase);
  const { partnerId, rewardId } = purchase;
  const sealed = correction.sealedContact;
  const context = correctionContext(rewardId);
  const opened = await openSealed(deps, { partnerId, sealed, context });
  return opened === null ? null : JSON.parse(opened);
}

/** The contact that a purchase gave; null once its customer was erased. */
export function openReportedContact(
  { sealer }: { sealer: Sealer },
  purchase: Pick<OrderEventDoc, '_id' | 'sealed'>,
): SealedContact | null {
  const opened = openEvent(sealer, purchase);
  if (opened === null) return null;
  const { email, phone, claimToken }: SealedPurchase = JSON.parse(opened);
  return { email, phone, claimToken };
}
