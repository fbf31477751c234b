import { billingStatusAt, createPublishedPlans } from '../billing/index.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readUsageFigures } from './usage-figures.ts';
import { readUsageSeries } from './usage-series.ts';

const chartDays = 30;

/** A partner's LIVE usage of its plan: the current period's, and by day. */
export async function readUsage(deps: ViewDeps, partnerId: PartnerScope) {
  const { models, now } = deps;
  const at = new Date(now()).toISOString();
  const billingStatus = await billingStatusAt(models, partnerId, at);
  const publishedPlans = createPublishedPlans(models, 0);
  const wallet = { mode: 'LIVE', partnerId } as const;
  const [figures, days] = await Promise.all([
    readUsageFigures({ ...deps, publishedPlans }, wallet, billingStatus, at),
    readUsageSeries(deps.models, partnerId, at, chartDays),
  ]);
  return { figures, days };
}

export type UsageOfPlan = Awaited<ReturnType<typeof readUsage>>;
