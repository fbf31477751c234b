import type { mongo } from 'mongoose';
import type { Mode } from '../../domain/mode.ts';
import { externalIdIndexes, type OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { requireFound } from '../store/require-found.ts';
import { settled } from '../store/settled.ts';
import { rewardOf } from './create.ts';

/** The id of a reward, and whose it has to be: of any partner and mode if none is given. */
export interface RequestedReward {
  rewardId: string;
  partnerId?: string;
  mode?: Mode;
}

/**
 * Finds a reward: as it is stored or, before its purchase has begun, as the event of that purchase makes it.
 * No caller needs to know which: a commit that names it begins the purchase.
 * @returns null if there is none
 */
export async function findReward(
  models: Models,
  { rewardId, mode, partnerId }: RequestedReward,
): Promise<RewardDoc | null> {
  const ofPartner = partnerId === undefined ? {} : { partnerId };
  const stored = await models.rewards.collection.findOne({ ...ofPartner, _id: rewardId }, settled);
  const found =
    stored ?? (await findNotBegun(models, ofPartner, [rewardId], settled)).get(rewardId);
  return found === undefined || (mode !== undefined && found.mode !== mode) ? null : found;
}

/** A reward of any partner, as `findReward` finds it. @throws ServiceError NOT_FOUND */
export async function requireReward(models: Models, rewardId: string): Promise<RewardDoc> {
  return requireFound(await findReward(models, { rewardId }), 'reward', rewardId);
}

/** An order that a partner's integration reported. */
export interface RequestedOrder {
  partnerId: string;
  mode: Mode;
  integrationId: string;
  externalOrderId: string;
}

/** The reward of an order, as `findReward` finds it; null for an order that was not reported. */
export async function findRewardOfOrder(
  { orderEvents, rewards }: Models,
  { partnerId, mode, integrationId, externalOrderId }: RequestedOrder,
): Promise<RewardDoc | null> {
  const purchase = await orderEvents.collection.findOne(
    { partnerId, mode, integrationId, externalOrderId, type: 'PURCHASE' },
    { ...settled, hint: externalIdIndexes.order },
  );
  if (purchase === null) return null;
  const { rewardId: _id } = purchase;
  return (await rewards.collection.findOne({ partnerId, _id }, settled)) ?? rewardOf(purchase);
}

/**
 * The rewards that are not stored, since their purchases have not begun, by id, made from the events of those.
 * @param ofPartner empty for any partner
 * @param options how they are read
 */
export async function findNotBegun(
  { orderEvents }: Models,
  ofPartner: { partnerId?: string },
  rewardIds: readonly string[],
  options: mongo.FindOptions,
): Promise<Map<string, RewardDoc>> {
  if (rewardIds.length === 0) return new Map();
  const purchases = await orderEvents.collection
    .find<OrderEventDoc>(
      { ...ofPartner, rewardId: { $in: [...rewardIds] }, type: 'PURCHASE' },
      options,
    )
    .toArray();
  return new Map(purchases.map((event) => [event.rewardId, rewardOf(event)]));
}
