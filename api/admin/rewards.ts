import type { Router } from '@koa/router';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type RewardStatus, rewardTable } from '../../domain/reward-states.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import type { Config } from '../../platform/config.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, param, queryOf } from './context.ts';
import { noteRead } from './deeds.ts';
import { temporalUrl } from './links.ts';
import { given, type PageQuery, page, pageParameters, searchText } from './paging.ts';
import { permit } from './permit.ts';

interface RewardQuery extends PageQuery {
  order?: string;
  event?: string;
  /** `cus_…` */
  customer?: string;
  reward?: string;
  /** An Idempotency-Key as the partner sent it. */
  key?: string;
  partner?: string;
  status?: RewardStatus;
}

const querySchema = Joi.object<RewardQuery>({
  order: searchText,
  event: searchText,
  customer: searchText,
  reward: searchText,
  key: searchText,
  partner: searchText,
  status: Joi.string().valid(...new Set(rewardTable.map(({ from }) => from))),
  ...pageParameters,
});

/** A reward; whom it is for shows as a keyed hash alone. */
function presentReward(config: Config, reward: RewardDoc) {
  return {
    rewardId: reward._id,
    mode: reward.mode,
    partnerId: reward.partnerId,
    integrationId: reward.integrationId,
    externalOrderId: reward.externalOrderId,
    customerId: reward.customerKey,
    purchaseEventId: reward.purchaseEventId,
    currency: reward.currency,
    points: reward.points,
    liabilityCents: reward.liabilityCents,
    status: reward.status,
    customerStatus: reward.customerStatus,
    funded: reward.funded,
    claimExpiresAt: reward.claimExpiresAt,
    reviewId: reward.review?.reviewId ?? null,
    createdAt: reward.createdAt,
    updatedAt: reward.updatedAt,
    workflowId: reward.workflowId,
    temporalUrl: temporalUrl(config, reward.workflowId),
  };
}

/** The rewards that an event, or a request's key, is about: a refund's is that of its purchase. */
async function rewardIdsOf(
  models: Models,
  { event, key }: RewardQuery,
): Promise<string[] | undefined> {
  if (event === undefined && key === undefined) return undefined;
  const conditions = given({
    _id: event,
    idempotencyKeyHash: key === undefined ? undefined : sha256Hex(key),
  });
  return await models.orderEvents.distinct('rewardId', { $and: conditions });
}

export function rewardRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models, config } = deps;

  router.get('/rewards', permit('read'), async (ctx) => {
    const query = queryOf(ctx, querySchema);
    if (query.customer !== undefined) {
      const { customer: targetId, partner: partnerId = null } = query;
      await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId });
    }
    const rewardIds = await rewardIdsOf(models, query);
    const conditions = [
      ...given({
        externalOrderId: query.order,
        _id: query.reward,
        customerKey: query.customer,
        partnerId: query.partner,
        status: query.status,
      }),
      ...(rewardIds === undefined ? [] : [{ _id: { $in: rewardIds } }]),
    ];
    ctx.body = await page(models.rewards, conditions, query, (doc) => presentReward(config, doc));
  });

  router.get('/rewards/:rewardId', permit('read'), async (ctx) => {
    const rewardId = param(ctx, 'rewardId');
    const reward = await models.rewards.findById(rewardId).lean();
    if (!reward) {
      throw new ServiceError('NOT_FOUND', `There is no reward ${JSON.stringify(rewardId)}.`);
    }
    const { arithmetic, moves } = reward;
    ctx.body = { ...presentReward(config, reward), arithmetic, moves };
  });
}
