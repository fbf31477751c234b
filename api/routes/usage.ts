import type { Mode } from '../../domain/events.ts';
import { walletOf } from '../../domain/events.ts';
import { useOf } from '../../domain/plan-arithmetic.ts';
import { basisWindowDays, project, type UseSoFar } from '../../domain/projection.ts';
import { recommend } from '../../domain/recommendation.ts';
import {
  findPublishedPlans,
  type Standing,
  standingAt,
  toOffer,
} from '../../models/billing/index.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { type ApiContext, type ApiMiddleware, needed } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { sharedAnswer } from '../shared-answer.ts';
import { recentEvents } from './recent-events.ts';

const dayMs = 24 * 3_600_000;

/** Whose figures are asked for. */
export interface AccountHolder {
  partnerId: string;
  integrationId: string;
  mode: Mode;
}

export function holderOf(ctx: ApiContext): AccountHolder {
  const { partnerId, integrationId, mode } = needed(ctx, 'principal');
  return { partnerId, integrationId, mode };
}

/** GET usage. */
export function getUsage(deps: AccountDeps): ApiMiddleware {
  return sharedAnswer(holderOf, (holder) => readUsage(deps, holder));
}

/**
 * The running period of a partner (contract, Records behind the three GETs): running totals alone, so
 * that it costs the same with ten events as with ten million. TEST is never metered: its period is
 * the subscription's, and its consumption nothing.
 */
export async function readUsage(
  deps: AccountDeps,
  { partnerId, integrationId, mode }: AccountHolder,
) {
  const { models, now } = deps;
  const at = new Date(now()).toISOString();
  const standing = await standingAt(models, partnerId, at);
  const { subscription, planVersion, period, terms } = standing;
  const [use, balances, published, events] = await Promise.all([
    mode === 'LIVE' ? readUse(deps, partnerId, standing, at) : unused(standing, at),
    walletBalances(deps.ledger, walletOf({ partnerId, mode, integrationId })),
    findPublishedPlans(models),
    recentEvents(models, partnerId, mode),
  ]);
  const counted = useOf(use.points, terms);
  const projection = project(use, terms);
  return {
    success: true,
    mode,
    billingPeriod: period,
    includedPoints: terms.includedPoints,
    includedPointsConsumed: counted.includedPointsConsumed,
    overagePoints: counted.overagePoints,
    accruedOverageCents: counted.overageCents,
    rewardLiabilityCents: balances.reservedCents + balances.owedCents,
    projection,
    recommendation:
      mode === 'LIVE'
        ? recommend(
            planVersion && toOffer(planVersion),
            published.map(toOffer),
            subscription?.interval ?? 'MONTH',
            projection.points,
          )
        : notMetered,
    recentEvents: events,
  };
}

const notMetered = {
  action: 'STAY',
  planVersionId: null,
  estimatedSavingsCents: 0,
  reason: 'TEST events are not metered; ask with a LIVE credential.',
} as const;

async function readUse(
  { usage }: AccountDeps,
  partnerId: string,
  standing: Standing,
  at: string,
): Promise<UseSoFar> {
  const ref = {
    subscriptionId: standing.subscription?._id ?? null,
    start: standing.period.start,
  };
  const [points, days] = await Promise.all([
    usage.periodPoints(partnerId, ref),
    usage.lastDays(partnerId, at, basisWindowDays + 1),
  ]);
  return {
    ...unused(standing, at),
    points,
    completeDays: days.slice(0, -1).map((day) => day.points),
    todayPoints: days.at(-1)?.points ?? 0,
  };
}

function unused({ period }: Standing, at: string): UseSoFar {
  const atMs = Date.parse(at);
  return {
    points: 0,
    completeDays: [],
    todayPoints: 0,
    todayShare: (atMs % dayMs) / dayMs,
    daysLeft: (Date.parse(period.end) - atMs) / dayMs,
  };
}
