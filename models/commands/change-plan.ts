import { prorate, termsOf } from '../../domain/plan-arithmetic.ts';
import { newId } from '../../platform/ids.ts';
import { settleProration } from '../billing/index.ts';
import type { PlanVersionDoc } from '../schemas/plan-version.ts';
import type { SubscriptionDoc } from '../schemas/subscription.ts';
import { type ChangeSubscriptionDeps, changeSubscription } from './change-subscription.ts';
import { findPartner } from './find.ts';
import { findPlanVersion, requireCurrencyOf, requirePublished } from './find-billing.ts';

/**
 * Takes another plan. A cheaper one begins with the next period; any other at once, with an invoice
 * for the rest of the period. Choosing the plan one has takes back a change that is still to come, and
 * any choice takes back a cancellation. Periods that are over are billed first.
 * @throws ServiceError NOT_FOUND without an active subscription, VALIDATION_FAILED for a plan version
 *   that is not published or not priced in the partner's currency, CONFLICT when too many do this at once
 */
export async function changePlan(
  deps: ChangeSubscriptionDeps,
  partnerId: string,
  planVersionId: string,
): Promise<SubscriptionDoc> {
  const { models } = deps;
  const partner = await findPartner(models, partnerId);
  const changed = await changeSubscription(deps, partnerId, async (subscription, at) => {
    const from = await findPlanVersion(models, subscription.planVersionId);
    const keeps = planVersionId === from._id;
    const to = keeps ? from : await requirePublished(models, planVersionId);
    requireCurrencyOf(partner, to);
    return {
      onlyIf: { planVersionId: from._id, proration: null },
      set: { endsAt: null, ...(keeps ? keep : changeTo(subscription, from, to, at)) },
    };
  });
  return await settleProration(deps, changed);
}

const keep: Partial<SubscriptionDoc> = { pendingPlanVersionId: null };

function changeTo(
  { interval, terms, currentPeriodStart, currentPeriodEnd }: SubscriptionDoc,
  from: PlanVersionDoc,
  to: PlanVersionDoc,
  at: Date,
): Partial<SubscriptionDoc> {
  const [before, after] = [termsOf(from, interval), termsOf(to, interval)];
  if (after.priceCents < before.priceCents) return { pendingPlanVersionId: to._id };
  const leftMs = currentPeriodEnd.getTime() - at.getTime();
  const lengthMs = currentPeriodEnd.getTime() - currentPeriodStart.getTime();
  const prorated = prorate(terms, before, after, { leftMs, lengthMs });
  return {
    planVersionId: to._id,
    pendingPlanVersionId: null,
    terms: prorated.terms,
    proration: {
      changeId: newId('planChange'),
      fromPlanVersionId: from._id,
      toPlanVersionId: to._id,
      dueCents: prorated.dueCents,
      at,
    },
  };
}
