import type { SealedContact, SealedPurchase } from '../../domain/purchase.ts';
import { correctionContext } from '../../domain/reward.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { dataKeyIdOf, openEvent, openSealed } from '../store/data-keys.ts';

/** Whom a reward is for, and the data key that this is sealed under. */
export interface OpenedContact extends SealedContact {
  dataKeyId: string;
}

/**
 * Whom a reward is for: as its purchase said or, if that was wrong, as it was corrected.
 * @returns null once the customer was erased
 */
export async function openContact(
  deps: { models: Models; sealer: Sealer },
  purchase: OrderEventDoc,
  correction: RewardDoc['correction'],
): Promise<OpenedContact | null> {
  if (correction === undefined) return await openReportedContact(deps, purchase);
  const { partnerId, rewardId } = purchase;
  const sealed = correction.sealedContact;
  const context = correctionContext(rewardId);
  const opened = await openSealed(deps, { partnerId, sealed, context });
  if (opened === null) return null;
  return { ...(JSON.parse(opened) as SealedContact), dataKeyId: dataKeyIdOf({ sealed }) };
}

/** The contact that a purchase gave; null once its customer was erased. */
export async function openReportedContact(
  deps: { models: Models; sealer: Sealer },
  purchase: OrderEventDoc,
): Promise<OpenedContact | null> {
  const opened = await openEvent(deps, purchase);
  if (opened === null) return null;
  const { email, phone, claimToken }: SealedPurchase = JSON.parse(opened);
  return { email, phone, claimToken, dataKeyId: dataKeyIdOf(purchase) };
}
