import type { Mode } from '../../domain/mode.ts';
import { claimedStatuses } from '../../domain/reward-states.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { WebhookEndpointDoc } from '../schemas/webhooks.ts';
import { type DashboardDeps, readFunding } from './dashboard.ts';
import { readRewardTotals } from './partner-rewards.ts';
import { scopeOf } from './partner-scope.ts';
import { type Refusals, readRefusals } from './refusals.ts';
import { readWebhookEndpoints } from './webhooks.ts';

/** Days of the claim rate: long enough for most customers to have claimed. */
export const claimRateDays = 30;

/** The health of a partner's integration in a mode. */
export interface PartnerHealth {
  mode: Mode;
  /** Of today and yesterday in UTC, most frequent code first. */
  refusals: Refusals[];
  /** Rewards of the last `claimRateDays` days. */
  rewards: number;
  /** Those of these rewards that are claimed now. */
  claimed: number;
  endpoints: Pick<WebhookEndpointDoc, 'status' | 'failingSince'>[];
  /** LIVE funds and how long they last. */
  funding: Awaited<ReturnType<typeof readFunding>>;
}

/** Reads running totals, so that it costs the same however many events there are. */
export async function readPartnerHealth(
  deps: DashboardDeps,
  partner: PartnerDoc,
  mode: Mode,
): Promise<PartnerHealth> {
  const nowMs = deps.now();
  const scope = scopeOf(partner);
  const dayAgo = (days: number) => new Date(nowMs - days * dayMs).toISOString().slice(0, 10);
  const fromDay = dayAgo(claimRateDays - 1);
  const [refusals, totals, endpoints, funding] = await Promise.all([
    readRefusals(deps.models, { partnerId: scope, mode }, { from: dayAgo(1), to: dayAgo(0) }),
    readRewardTotals(deps, scope, { mode, fromDay }),
    readWebhookEndpoints(deps, scope, mode),
    readFunding(deps, scope),
  ]);
  const sum = (all: typeof totals) => all.reduce((count, { rewards }) => count + rewards, 0);
  const claimed = totals.filter(({ status }) => claimedStatuses.includes(status));
  return {
    mode,
    refusals,
    endpoints,
    funding,
    rewards: sum(totals),
    claimed: sum(claimed),
  };
}
