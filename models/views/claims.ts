import { createBatchedReads } from '../../platform/batched-reads.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { found } from '../store/found.ts';

/** The most links that are looked up by one command. */
const maxBatch = 100;

/** Who gives a reward, as its customer sees it, and whether it may be claimed now. */
export type Merchant = Pick<PartnerDoc, 'name' | 'supportEmail' | 'status'>;

export interface ReadClaim {
  reward: RewardDoc;
  partner: Merchant;
}

/**
 * Reads a reward and its merchant by the link that its customer got; null for a link that is not known.
 * Every claim begins with it: one command for all links that are opened at the same time.
 */
export function createReadClaim(models: Models): (token: string) => Promise<ReadClaim | null> {
  const read = createBatchedReads<string, ReadClaim | null>({ maxBatch }, async (hashes) => {
    const rows = await models.rewards.collection
      .aggregate<RewardDoc & { partners: Merchant[] }>([
        { $match: { claimTokenHash: { $in: [...hashes] } } },
        {
          $lookup: {
            from: models.partners.collection.name,
            localField: 'partnerId',
            foreignField: '_id',
            as: 'partners',
          },
        },
      ])
      .toArray();
    const byHash = new Map(
      rows.map(({ partners, ...reward }) => [
        reward.claimTokenHash,
        { reward, partner: found(partners[0] ?? null, 'partner', reward.partnerId) },
      ]),
    );
    return hashes.map((hash) => byHash.get(hash) ?? null);
  });
  return (token) => read('all', sha256Hex(token));
}
