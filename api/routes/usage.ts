import { walletOf } from '../../domain/wallet.ts';
import { readUsageFigures } from '../../models/views/usage-figures.ts';
import { type AccountHolder, accountResponse } from '../account-response.ts';
import type { ApiMiddleware } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { recentEvents } from './recent-events.ts';

/** GET usage. */
export function getUsage(deps: AccountDeps): ApiMiddleware {
  return accountResponse(deps, (holder) => readUsage(deps, holder));
}

/** A partner's usage in the current billing period, with its newest events. */
export async function readUsage(deps: AccountDeps, holder: AccountHolder) {
  const { partnerId, mode, billingStatus, at } = holder;
  const [figures, events] = await Promise.all([
    readUsageFigures(deps, walletOf(holder), billingStatus, at),
    recentEvents(deps.models, partnerId, mode),
  ]);
  const { terms, counted, rewardLiabilityCents, projection, recommendation } = figures;
  return {
    success: true,
    mode,
    billingPeriod: billingStatus.period,
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
