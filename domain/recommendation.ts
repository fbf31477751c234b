import { moneyText } from './money.ts';
import { costCents, type Interval, type PlanPricing, termsOf } from './plan-arithmetic.ts';

/** A plan version that a partner has or could take. */
export interface PlanOffer extends PlanPricing {
  planVersionId: string;
  name: string;
  currency: string;
}

export interface Recommendation {
  action: 'STAY' | 'UPGRADE' | 'DOWNGRADE';
  /** The plan version to take; null for STAY. */
  planVersionId: string | null;
  /** Per billing period; 0 for STAY. */
  estimatedSavingsCents: number;
  /** One sentence. */
  reason: string;
}

const stay = (reason: string): Recommendation => ({
  action: 'STAY',
  planVersionId: null,
  estimatedSavingsCents: 0,
  reason,
});

/**
 * Compares what the projected points would cost for a whole period on the partner's plan and on
 * each published plan of the same currency, and recommends the cheapest. Of equals, the partner's
 * own plan comes first, then the one with the lowest price.
 * @param current the partner's plan; null without a subscription
 */
export function recommend(
  current: PlanOffer | null,
  published: readonly PlanOffer[],
  interval: Interval,
  points: number,
): Recommendation {
  if (current === null) return stay('There is no subscription to compare with the plans.');
  const costOf = (plan: PlanOffer) => costCents(points, termsOf(plan, interval));
  const priceOf = (plan: PlanOffer) => termsOf(plan, interval).priceCents;
  const period = interval === 'YEAR' ? 'year' : 'month';
  const money = (cents: number) => moneyText(cents, current.currency);
  const [best] = published
    .filter(({ currency }) => currency === current.currency)
    .sort((one, other) => costOf(one) - costOf(other) || priceOf(one) - priceOf(other));
  const nowCents = costOf(current);
  const use = `At ${points.toLocaleString('en-US')} points a ${period}`;
  if (best === undefined || costOf(best) >= nowCents) {
    return stay(`${use}, ${current.name} costs ${money(nowCents)}, and no other plan costs less.`);
  }
  const action = priceOf(best) > priceOf(current) ? 'UPGRADE' : 'DOWNGRADE';
  return {
    action,
    planVersionId: best.planVersionId,
    estimatedSavingsCents: nowCents - costOf(best),
    reason: `${use}, ${best.name} costs ${money(costOf(best))}, compared with ${money(nowCents)} for ${current.name}.`,
  };
}
