import { type Mode, walletOf } from '../../domain/events.ts';
import { readUsageFigures } from '../../models/views/usage-figures.ts';
import { type ApiContext, type ApiMiddleware, needed } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { sharedAnswer } from '../shared-answer.ts';
import { recentEvents } from './recent-events.ts';

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

/** The running period of a partner, with its newest events. */
export async function readUsage(deps: AccountDeps, holder: AccountHolder) {
  const { partnerId, mode } = holder;
  const [figures, events] = await Promise.all([
    readUsageFigures(deps, walletOf(holder)),
    recentEvents(deps.models, partnerId, mode),
  ]);
  const { standing, terms, counted, rewardLiabilityCents, projection, recommendation } = figures;
  return {
    success: true,
    mode,
    billingPeriod: standing.period,
    includedPoints: terms.includedPoints,
    includedPointsConsumed: counted.includedPointsConsumed,
    overagePoints: counted.overagePoints,
    accruedOverageCents: counted.overageCents,
    rewardLiabilityCents,
    projection,
    recommendation,
    recentEvents: events,
  };
}
