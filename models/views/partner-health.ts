import type { Mode } from '../../domain/mode.ts';
import { claimedStatuses } from '../../domain/reward-states.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { type LiveDayDeps, readFunding } from './dashboard.ts';
import { readRewardTotals } from './partner-rewards.ts';
import { scopeOf } from './partner-scope.ts';
import { type Refusals, readRefusals } from './refusals.ts';
import { readWebhookEndpoints } from './webhooks.ts';

/** Long enough that most claim windows have passed a good part of it. */
export const claimRateDays = 30;

/** How a partner's integration does in a mode. */
export interface PartnerHealth {
  mode: Mode;
  /** Of today and yesterday, in UTC, the commonest reason first. */
  refusals: Refusals[];
  /** Of the last `claimRateDays` days, and how many of these were claimed and not taken back. */
  rewards: number;
  claimed: number;
  endpoints: Pick<WebhookEndpointDoc, 'status' | 'failingSince'>[];
  /** LIVE money and how long it lasts. */
  funding: Awaited<ReturnType<typeof readFunding>>;
}

/** Running totals: it costs the same however much was ever sent. */
export async function readPartnerHealth(
  deps: LiveDayDeps,
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
    ...{ mode, refusals, endpoints, funding },
    ...{ rewards: sum(totals), claimed: sum(claimed) },
  };
}
