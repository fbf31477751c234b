import type { Mode } from '../../domain/mode.ts';
import { claimedStatuses } from '../../domain/reward-states.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { countRefusals, type LiveDayDeps, readFunding } from './dashboard.ts';
import { readRewardTotals } from './partner-rewards.ts';
import { scopeOf } from './partner-scope.ts';
import { readWebhookEndpoints } from './webhooks.ts';

/** Long enough that most claim windows have passed a good part of it. */
export const claimRateDays = 30;

/** How a partner's integration does in a mode. */
export interface PartnerHealth {
  mode: Mode;
  /** Of the last 24 hours, the commonest reason first. */
  refusals: { code: string; count: number }[];
  /** Of the last `claimRateDays` days, and how many of these were claimed and not taken back. */
  rewards: number;
  claimed: number;
  endpoints: Pick<WebhookEndpointDoc, 'status' | 'failingSince'>[];
  /** LIVE money and how long it lasts. */
  funding: Awaited<ReturnType<typeof readFunding>>;
}

/** Running totals, and keys of an index up to a limit: it costs the same however much was ever sent. */
export async function readPartnerHealth(
  deps: LiveDayDeps,
  partner: PartnerDoc,
  mode: Mode,
): Promise<PartnerHealth> {
  const nowMs = deps.now();
  const scope = scopeOf(partner);
  const fromDay = new Date(nowMs - (claimRateDays - 1) * dayMs).toISOString().slice(0, 10);
  const [refusals, totals, endpoints, funding] = await Promise.all([
    countRefusals(deps.models, { partnerId: scope, mode }, nowMs - dayMs, nowMs),
    readRewardTotals(deps, scope, { mode, fromDay }),
    readWebhookEndpoints(deps, scope, mode),
    readFunding(deps, scope),
  ]);
  const sum = (all: typeof totals) => all.reduce((count, { rewards }) => count + rewards, 0);
  const claimed = totals.filter(({ status }) => claimedStatuses.includes(status));
  return {
    ...{ mode, refusals, endpoints, funding },
    ...{ rewards: sum(totals), claimed: sum(claimed) },
  };
}
