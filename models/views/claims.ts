import { createBatchedReads } from '../../platform/batched-reads.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { rewardOf } from '../rewards/create.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { requireFound } from '../store/require-found.ts';

/** The maximum number of links looked up by one command. */
const maxBatch = 100;

/** The partner of a reward, as far as the customer's pages depend on it. */
export type Merchant = Pick<
  PartnerDoc,
  'name' | 'country' | 'website' | 'supportEmail' | 'status' | 'branding'
>;

export interface ReadClaim {
  reward: RewardDoc;
  partner: Merchant;
}

/**
 * Reads rewards with their merchants by the token of a claim link; null for an unknown one. Links that are
 * opened at the same time share a command. A partner that delivers links itself has one before the reward
 * is stored: until then, the reward is computed from its purchase, as the workflow will create it.
 */
export function createReadClaim(models: Models): (token: string) => Promise<ReadClaim | null> {
  const read = createBatchedReads<string, ReadClaim | null>({ maxBatch }, async (hashes) => {
    const rewards = await withMerchants<RewardDoc>(models, models.rewards, {
      claimTokenHash: { $in: [...hashes] },
    });
    const byHash = new Map(
      rewards.map(({ doc, partner }) => [doc.claimTokenHash, { reward: doc, partner }]),
    );
    const missing = hashes.filter((hash) => !byHash.has(hash));
    if (missing.length > 0) {
      const events = await withMerchants<OrderEventDoc>(models, models.orderEvents, {
        'purchase.delivery': 'PARTNER',
        'purchase.claimTokenHash': { $in: missing },
      });
      for (const { doc, partner } of events) {
        const reward = rewardOf(doc);
        byHash.set(reward.claimTokenHash, { reward, partner });
      }
    }
    return hashes.map((hash) => byHash.get(hash) ?? null);
  });
  return (token) => read('all', sha256Hex(token));
}

/** Documents, each with its partner, read by one command. */
async function withMerchants<Doc extends { partnerId: string }>(
  { partners }: Models,
  { collection }: Models['rewards'] | Models['orderEvents'],
  match: object,
): Promise<{ doc: Doc; partner: Merchant }[]> {
  const rows = await collection
    .aggregate<Doc & { partners: Merchant[] }>([
      { $match: match },
      {
        $lookup: {
          from: partners.collection.name,
          localField: 'partnerId',
          foreignField: '_id',
          as: 'partners',
        },
      },
    ])
    .toArray();
  return rows.map(({ partners: [partner], ...doc }) => ({
    doc: doc as unknown as Doc,
    partner: requireFound(partner ?? null, 'partner', doc.partnerId as string),
  }));
}
