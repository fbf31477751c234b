import { sha256Hex } from '../../platform/hashing.ts';
import type { PointsLink } from '../identity/points-links.ts';
import { customerHoldings } from '../ledger/index.ts';
import type { PointsLinkDoc } from '../schemas/customers.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { cursorOf } from '../store/paging.ts';
import { requireFound } from '../store/require-found.ts';
import type { ViewDeps } from './deps.ts';

/** Rewards on one page of a customer's history. */
export const customerPageSize = 20;

/** A customer's points at a partner, in one mode. */
export interface CustomerPoints {
  partner: PartnerDoc;
  points: number;
  /** The value of the points, in the partner's currency; 0 in TEST. */
  owedCents: number;
  /** Newest first. */
  rewards: RewardDoc[];
  nextCursor: string | null;
}

/**
 * A customer's points at a partner, and a page of their rewards. LIVE points are the balance in the
 * ledger. TEST has no balances: its points are the sum of claimed rewards that were not taken back.
 * @param cursor the id of the last reward on the previous page
 */
export async function readCustomerPoints(
  deps: Pick<ViewDeps, 'models'>,
  { partnerId, customerId, mode }: Pick<PointsLinkDoc, 'partnerId' | 'customerId' | 'mode'>,
  cursor?: string,
): Promise<CustomerPoints> {
  const { models } = deps;
  const [partner, { points, owedCents }, rewards] = await Promise.all([
    models.partners.findById(partnerId),
    mode === 'LIVE'
      ? customerHoldings(models, { partnerId, customerId })
      : sumOfTest(deps, { partnerId, customerId }),
    models.rewards
      .find({ partnerId, customerId, mode, ...(cursor !== undefined && { _id: { $lt: cursor } }) })
      .sort({ _id: -1 })
      // One more, to find out whether there is a next page.
      .limit(customerPageSize + 1)
      .hint({ customerId: 1, _id: -1 }),
  ]);
  const shown = rewards.slice(0, customerPageSize);
  const last = rewards.length > shown.length ? shown.at(-1) : undefined;
  return {
    partner: requireFound(partner, 'partner', partnerId),
    points,
    owedCents,
    rewards: shown,
    nextCursor: cursorOf(last?._id ?? null),
  };
}

/** A link to a customer's points; null if it is unknown or expired, or if the customer was erased. */
export async function findPointsLink(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<PointsLink | null> {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  const link = await models.pointsLinks.findOne(open);
  if (!link) return null;
  const { partnerId, customerId, dataKeyId: _id } = link;
  const hasKey = await models.dataKeys.exists({
    partnerId,
    customerId,
    _id,
    wrapped: { $ne: null },
  });
  return hasKey ? link : null;
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
