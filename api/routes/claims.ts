import { ServiceError } from '../../domain/errors.ts';
import { ask } from '../../http/ask.ts';
import { requireNotSuspended } from '../../models/commands/find.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { claimReward } from '../../workflows/messages.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** GET /claim/{token}: what the customer's link is worth, and until when. */
export function getClaim(deps: ApiDeps): ApiMiddleware {
  return async (ctx) => {
    const reward = await findByToken(deps, ctx);
    ctx.body = await present(deps, reward, reward);
  };
}

/**
 * POST /claim/{token}: the customer claims the reward. A reward that is already theirs is answered
 * the same again.
 */
export function postClaim(deps: ApiDeps): ApiMiddleware {
  return async (ctx) => {
    const reward = await findByToken(deps, ctx);
    if (isUnclaimed(reward)) await requireNotSuspended(deps.models, reward.partnerId);
    const after = isUnclaimed(reward)
      ? await ask(deps, {
          purchase: { ...reward, rewardId: reward._id },
          update: claimReward,
          args: [],
        })
      : reward;
    if (after.customerStatus === 'CLAIMED') {
      ctx.body = await present(deps, reward, after);
      return;
    }
    if (after.status === 'CANCELLED') {
      throw new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is cancelled; most often because the purchase was refunded.',
      );
    }
    if (after.status === 'AWAITING_FUNDING') {
      throw new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is not ready to be claimed yet. Try again later.',
      );
    }
    throw new ServiceError('CLAIM_EXPIRED', 'The time to claim this reward is over.');
  };
}

const isUnclaimed = ({ customerStatus }: RewardDoc) => customerStatus === 'AWAITING_CUSTOMER_CLAIM';

async function findByToken({ models }: ApiDeps, ctx: ApiContext): Promise<RewardDoc> {
  ctx.set('Cache-Control', 'no-store');
  const claimTokenHash = sha256Hex(String(ctx.params.token));
  const reward = await models.rewards.findOne({ claimTokenHash }).lean();
  if (!reward) throw new ServiceError('NOT_FOUND', 'This claim link is not known.');
  return reward;
}

/** What a holder of the link may see: nothing about the customer. */
async function present(
  { models }: ApiDeps,
  { partnerId, mode, points, claimExpiresAt }: RewardDoc,
  { status, customerStatus }: Pick<RewardDoc, 'status' | 'customerStatus'>,
) {
  const partner = await models.partners.findById(partnerId).lean().orFail();
  return {
    success: true,
    mode,
    partner: { name: partner.name },
    reward: { points, status, customerStatus, claimExpiresAt: claimExpiresAt.toISOString() },
  };
}
