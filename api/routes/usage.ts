import { walletOf } from '../../domain/wallet.ts';
import { readUsageFigures } from '../../models/views/usage-figures.ts';
import { type AccountHolder, accountAnswer } from '../account-answer.ts';
import type { ApiMiddleware } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import { recentEvents } from './recent-events.ts';

/** GET usage. */
export function getUsage(deps: AccountDeps): ApiMiddleware {
  return accountAnswer(deps, (holder) => readUsage(deps, holder));
}

/** The running period of a partner, with its newest events. */
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
