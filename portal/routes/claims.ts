import Joi from 'joi';
import { claimStandingOf } from '../../domain/claim-standing.ts';
import { ServiceError } from '../../domain/errors.ts';
import { ask } from '../../http/ask.ts';
import { findPartner } from '../../models/commands/find.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { claimReward } from '../../workflows/messages.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { asksForJson } from '../customers.ts';
import type { PortalDeps } from '../deps.ts';
import { type Claim, claimPages } from '../html/claim-page.ts';
import { customerView } from '../html/customer-layout.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';

type CustomerContext = PageContext<'public'>;

/**
 * The link in a customer's mail: what it is worth and until when, and the button that claims it. A
 * program that follows links claims nothing. Who asks for JSON gets the same as JSON.
 */
export function claimRoutes(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models, now } = deps;
  const spec = {
    path: '/claim/:token',
    params: { token: 'claimToken' },
    audience: 'public',
    permission: null,
    secretInPath: true,
  } as const;

  async function find(ctx: CustomerContext): Promise<Claim> {
    const claimTokenHash = sha256Hex(param(ctx, 'token'));
    const reward = await models.rewards.findOne({ claimTokenHash }).lean();
    if (!reward) {
      throttle.tryUnknownLink(ctx.state.address);
      throw new ServiceError('NOT_FOUND', 'This claim link is not known.');
    }
    return standing(reward, await findPartner(models, reward.partnerId));
  }

  function standing(reward: RewardDoc, partner: PartnerDoc): Claim {
    const circumstances = { isSuspended: partner.status === 'SUSPENDED', nowMs: now() };
    return { reward, partner, standing: claimStandingOf(reward, circumstances) };
  }

  /** Asks the reward's workflow, the only one that may; it answers the same again. */
  async function claim({ reward, partner }: Claim): Promise<Claim> {
    const { status, customerStatus, claimExpiresAt } = await ask(deps, {
      purchase: { ...reward, rewardId: reward._id },
      update: claimReward,
      args: [],
    });
    const after = { ...reward, status, customerStatus, claimExpiresAt: new Date(claimExpiresAt) };
    const found = standing(after, partner);
    // Its clock may be a little ahead of ours: what it did not let be claimed is over.
    return found.standing === 'OPEN' ? { ...found, standing: 'EXPIRED' } : found;
  }

  function show(ctx: CustomerContext, found: Claim, status = pageStatus(found)): void {
    if (asksForJson(ctx)) {
      ctx.body = present(found);
      return;
    }
    const { reward, partner } = found;
    const { title, content } = claimPages[found.standing]({
      ...found,
      path: ctx.path,
      nowMs: now(),
    });
    ctx.status = status;
    customerView(ctx, { title, merchant: partner.name, isTest: reward.mode === 'TEST' }, content);
  }

  routes.page(spec, async (ctx) => show(ctx, await find(ctx)));

  routes.action(spec, {
    schema: Joi.object({}),
    async act(ctx) {
      const before = await find(ctx);
      const after = before.standing === 'OPEN' ? await claim(before) : before;
      const refusal = refusalOf(after);
      if (refusal && asksForJson(ctx)) throw refusal;
      if (refusal) {
        ctx.state.code = refusal.code;
        show(ctx, after, refusal.status);
      } else if (asksForJson(ctx)) {
        show(ctx, after);
      } else {
        redirect(ctx, ctx.path);
      }
    },
  });
}

/** A page about what is gone for good says so to programs too. */
function pageStatus({ standing }: Claim): number {
  return standing === 'EXPIRED' || standing === 'CANCELLED' ? 410 : 200;
}

/** Why a reward is not claimed; null where it is, now or since before. */
function refusalOf({ standing }: Claim): ServiceError | null {
  switch (standing) {
    case 'CLAIMED':
    case 'IN_REVIEW':
      return null;
    case 'SUSPENDED':
      return new ServiceError(
        'PARTNER_SUSPENDED',
        'The partner is suspended: its rewards can be claimed once it is active again.',
      );
    case 'CANCELLED':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is cancelled; most often because the purchase was refunded.',
      );
    case 'AWAITING_FUNDING':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is not ready to be claimed yet. Try again later.',
      );
    case 'EXPIRED':
    case 'OPEN':
      return new ServiceError('CLAIM_EXPIRED', 'The time to claim this reward is over.');
  }
}

/** What a holder of the link may see: nothing about the customer. */
function present({ reward, partner }: Claim) {
  const { mode, points, status, customerStatus, claimExpiresAt } = reward;
  return {
    success: true,
    mode,
    partner: { name: partner.name },
    reward: { points, status, customerStatus, claimExpiresAt: claimExpiresAt.toISOString() },
  };
}
