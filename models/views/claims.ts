import { sha256Hex } from '../../platform/hashing.ts';
import { findPartner } from '../identity/partners.ts';
import type { ViewDeps } from './deps.ts';

/** A reward and its partner, by the link that its customer got; null for a link that is not known. */
export async function readClaim({ models }: Pick<ViewDeps, 'models'>, token: string) {
  const reward = await models.rewards.findOne({ claimTokenHash: sha256Hex(token) }).lean();
  return reward && { reward, partner: await findPartner(models, reward.partnerId) };
}
