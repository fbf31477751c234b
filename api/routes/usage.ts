import { walletOf } from '../../domain/events.ts';
import { standingFrom } from '../../models/billing/index.ts';
import { readUsageFigures } from '../../models/views/usage-figures.ts';
import { type ApiContext, type ApiMiddleware, needed } from '../context.ts';
import type { AccountDeps } from '../deps.ts';
import type { Principal } from '../principals.ts';
import { sharedAnswer } from '../shared-answer.ts';
import { recentEvents } from './recent-events.ts';

/** Whose figures are asked for, and the plan that they had a moment ago. */
export type AccountHolder = Pick<Principal, 'partnerId' | 'integrationId' | 'mode' | 'standing'>;

/** Answers with what is read of whoever asks. */
export function accountAnswer(read: (holder: AccountHolder) => Promise<unknown>): ApiMiddleware {
  return sharedAnswer<AccountHolder>(
    (ctx: ApiContext) => needed(ctx, 'principal'),
    ({ partnerId, integrationId, mode }) => `${partnerId}/${integrationId}/${mode}`,
    read,
  );
}

/** GET usage. */
export function getUsage(deps: AccountDeps): ApiMiddleware {
  return accountAnswer((holder) => readUsage(deps, holder));
}

/** The running period of a partner, with its newest events. */
export async function readUsage(deps: AccountDeps, holder: AccountHolder) {
  const { partnerId, mode } = holder;
  const at = new Date(deps.now()).toISOString();
  const standing = await standingFrom(deps.models, holder.standing, partnerId, at);
  const [figures, events] = await Promise.all([
    readUsageFigures(deps, walletOf(holder), standing, at),
    recentEvents(deps.models, partnerId, mode),
  ]);
  const { terms, counted, rewardLiabilityCents, projection, recommendation } = figures;
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
