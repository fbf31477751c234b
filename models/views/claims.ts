import { sha256Hex } from '../../platform/hashing.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { found } from '../store/found.ts';
import type { ViewDeps } from './deps.ts';

/** Who gives a reward, as its customer sees it, and whether it may be claimed now. */
export type Merchant = Pick<PartnerDoc, 'name' | 'supportEmail' | 'status'>;

const asMerchant = { name: 1, supportEmail: 1, status: 1 };

/**
 * A reward and its merchant, by the link that its customer got; null for a link that is not known. Every
 * claim begins with it: the driver's own reads, with nothing hydrated.
 */
export async function readClaim({ models }: Pick<ViewDeps, 'models'>, token: string) {
  const claimTokenHash = sha256Hex(token);
  const reward = await models.rewards.collection.findOne<RewardDoc>({ claimTokenHash });
  if (reward === null) return null;
  const { partnerId } = reward;
  const partner = await models.partners.collection.findOne<Merchant>(
    { _id: partnerId as never },
    { projection: asMerchant },
  );
  return { reward, partner: found(partner, 'partner', partnerId) };
}
