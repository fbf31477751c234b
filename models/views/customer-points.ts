import { sha256Hex } from '../../platform/hashing.ts';
import type { PointsLink } from '../identity/points-links.ts';
import { customerHoldings } from '../ledger/index.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { PointsLinkDoc } from '../schemas/points-link.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { cursorOf } from '../store/paging.ts';
import { requireFound } from '../store/require-found.ts';
import type { ViewDeps } from './deps.ts';

/** Rewards on one page of a customer's history. */
export const customerPageSize = 20;

/** A customer's points at a partner, in one mode. */
export interface CustomerPoints {
  partner: PartnerDoc;
  points: number;
  /** What they are worth, in the partner's currency; TEST points are worth nothing. */
  owedCents: number;
  /** The newest first. */
  rewards: RewardDoc[];
  nextCursor: string | null;
}

/**
 * What a customer holds of a partner, and their rewards there: in LIVE as the ledger has it. TEST has no balances:
 * there it is the sum of what was claimed and not taken back.
 * @param cursor the reward after which the page begins
 */
export async function readCustomerPoints(
  deps: Pick<ViewDeps, 'models' | 'ledger'>,
  { partnerId, customerId, mode }: Pick<PointsLinkDoc, 'partnerId' | 'customerId' | 'mode'>,
  cursor?: string,
): Promise<CustomerPoints> {
  const { models, ledger } = deps;
  const [partner, { points, owedCents }, rewards] = await Promise.all([
    models.partners.findById(partnerId).lean(),
    mode === 'LIVE'
      ? customerHoldings(ledger, { partnerId, customerId })
      : sumOfTest(deps, { partnerId, customerId }),
    models.rewards
      .find({ partnerId, customerId, mode, ...(cursor !== undefined && { _id: { $lt: cursor } }) })
      .sort({ _id: -1 })
      // One more than is shown tells whether there is a next page.
      .limit(customerPageSize + 1)
      .hint({ customerId: 1, _id: -1 })
      .lean<RewardDoc[]>(),
  ]);
  const shown = rewards.slice(0, customerPageSize);
  const last = rewards.length > shown.length ? shown.at(-1) : undefined;
  return {
    ...{ partner: requireFound(partner, 'partner', partnerId), points, owedCents, rewards: shown },
    nextCursor: cursorOf(last?._id ?? null),
  };
}

/** Whose points a link shows; null once it has ended, or its customer was erased. */
export async function findPointsLink(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<PointsLink | null> {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  const link = await models.pointsLinks.findOne(open).lean<PointsLinkDoc>();
  if (!link) return null;
  const { partnerId, customerId, dataKeyId: _id } = link;
  const isThere = await models.dataKeys.exists({
    ...{ partnerId, customerId, _id },
    wrapped: { $ne: null },
  });
  return isThere ? link : null;
}

async function sumOfTest(
  { models }: Pick<ViewDeps, 'models'>,
  { partnerId, customerId }: Pick<PointsLinkDoc, 'partnerId' | 'customerId'>,
) {
  const [sum] = await models.rewards
    .aggregate<{ points: number }>([
      { $match: { partnerId, customerId, mode: 'TEST', customerStatus: 'CLAIMED' } },
      { $group: { _id: null, points: { $sum: '$points' } } },
    ])
    .hint({ customerId: 1, _id: -1 });
  return { points: sum?.points ?? 0, owedCents: 0 };
}
