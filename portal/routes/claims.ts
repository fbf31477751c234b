import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { claimPageStateOf } from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { createReadClaim, type Merchant } from '../../models/views/customers.ts';
import { claimReward } from '../../operations/rewards.ts';
import { customerView } from '../components/customer-layout.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { asksForJson } from '../middleware/customers.ts';
import { type Claim, claimPages } from '../pages/customers.ts';
import type { Routes } from '../routing/route-table.ts';
import { localizerFor, requestedLanguage } from '../words/customer-localizer.ts';

const spec = {
  path: '/claim/:token',
  params: { token: 'claimToken' },
  audience: 'public',
  permission: null,
  secretInPath: true,
} as const;

/**
 * The claim link in customers' emails and text messages: what the reward is worth and until when, and the
 * button to claim it. A GET claims nothing, since programs follow links. Clients that prefer JSON get it
 * instead of a page.
 */
export function claimRoutes(routes: Routes, { models }: Pick<PageDeps, 'models'>): void {
  const read = createReadClaim(models);
  routes.page(spec, (ctx, deps) => showClaim(ctx, deps, read));
  routes.action(spec, {
    schema: Joi.object({}),
    act: (ctx, deps) => claim(ctx, deps, read),
  });
}

type ReadClaim = ReturnType<typeof createReadClaim>;

async function showClaim(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  read: ReadClaim,
): Promise<void> {
  show(ctx, deps, await find(ctx, deps, read));
}

async function claim(ctx: PageContext<'public'>, deps: PageDeps, read: ReadClaim): Promise<void> {
  const before = await find(ctx, deps, read);
  const after = before.pageState === 'OPEN' ? await claimNow(ctx, deps, before) : before;
  const refusal = refusalOf(after);
  if (refusal && asksForJson(ctx)) throw refusal;
  if (refusal) {
    ctx.state.code = refusal.code;
    show(ctx, deps, after, refusal.status);
  } else if (asksForJson(ctx)) {
    show(ctx, deps, after);
  } else {
    redirect(ctx, ctx.url);
  }
}

async function claimNow(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { reward, partner }: Claim,
): Promise<Claim> {
  return claimOf(await claimReward(deps, reward, requestedLanguage(ctx)), partner, deps.now());
}

async function find(ctx: PageContext<'public'>, deps: PageDeps, read: ReadClaim): Promise<Claim> {
  const known = await read(param(ctx, 'token'));
  if (known) return claimOf(known.reward, known.partner, deps.now());
  deps.throttle.tryUnknownLink(ctx.state.address);
  throw new ServiceError('NOT_FOUND', 'This claim link is unknown.');
}

function claimOf(reward: RewardDoc, partner: Merchant, nowMs: number): Claim {
  const isSuspended = partner.status === 'SUSPENDED';
  return { reward, partner, pageState: claimPageStateOf(reward, { isSuspended, nowMs }) };
}

function show(
  ctx: PageContext<'public'>,
  { now }: PageDeps,
  shown: Claim,
  status = pageStatus(shown),
): void {
  if (asksForJson(ctx)) {
    ctx.body = present(shown);
    return;
  }
  const { reward, partner, pageState } = shown;
  const localizer = localizerFor(ctx, partner);
  const where = { path: ctx.path, nowMs: now(), localizer };
  const { title, content } = claimPages[pageState]({ ...shown, ...where });
  const isTest = reward.mode === 'TEST';
  ctx.status = status;
  customerView(
    ctx,
    { title, merchant: partner.name, isTest, branding: partner.branding, localizer },
    content,
  );
}

/** With 410, programs learn that the reward is permanently gone. */
function pageStatus({ pageState }: Claim): number {
  return pageState === 'EXPIRED' || pageState === 'CANCELLED' ? 410 : 200;
}

/** Why a reward was not claimed; null if it is claimed, now or before. */
function refusalOf({ pageState }: Claim): ServiceError | null {
  switch (pageState) {
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
        'The reward was cancelled, usually because the purchase was refunded.',
      );
    case 'BEING_PREPARED':
    case 'AWAITING_FUNDING':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is not ready to be claimed yet. Try again later.',
      );
    case 'EXPIRED':
    case 'OPEN':
      return new ServiceError('CLAIM_EXPIRED', 'The claim window of this reward has ended.');
  }
}

/** What a holder of the link may see, which excludes the customer's data. */
function present({ reward, partner }: Claim) {
  const { mode, points, status, customerStatus, claimExpiresAt } = reward;
  return {
    success: true,
    mode,
    partner: { name: partner.name },
    reward: { points, status, customerStatus, claimExpiresAt: claimExpiresAt.toISOString() },
  };
}
