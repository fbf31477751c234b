import { invalidFields, ServiceError } from '../../domain/errors.ts';
import type { PlanVersionDoc, SubscriptionDoc } from '../schemas/billing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';

/** @throws ServiceError NOT_FOUND */
export async function findPlanVersion(
  models: Models,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  const planVersion = await models.planVersions.findById(planVersionId);
  if (planVersion) return planVersion;
  throw new ServiceError('NOT_FOUND', `There is no plan version ${JSON.stringify(planVersionId)}.`);
}

/**
 * Finds a plan version that a partner can take.
 * @throws ServiceError VALIDATION_FAILED if it does not exist or is not published
 */
export async function requirePublished(
  models: Models,
  planVersionId: string,
): Promise<PlanVersionDoc> {
  const planVersion = await models.planVersions.findById(planVersionId);
  if (planVersion?.status === 'PUBLISHED') return planVersion;
  throw invalidFields({
    planVersionId: `planVersionId must name a published plan version; ${JSON.stringify(planVersionId)} does not`,
  });
}

/**
 * Partners pay for their plan in their own currency.
 * @throws ServiceError VALIDATION_FAILED if the plan has another
 */
export function requireCurrencyOf(
  { currency }: Pick<PartnerDoc, 'currency'>,
  plan: Pick<PlanVersionDoc, 'name' | 'currency'>,
): void {
  if (plan.currency === currency) return;
  throw invalidFields({
    planVersionId: `planVersionId: ${plan.name} is priced in ${plan.currency}, the partner's currency is ${currency}`,
  });
}

/** @throws ServiceError NOT_FOUND if the partner has no active subscription */
export async function findSubscription(
  models: Models,
  partnerId: string,
): Promise<SubscriptionDoc> {
  const subscription = await models.subscriptions.findOne({ partnerId, status: 'ACTIVE' });
  if (subscription) return subscription;
  throw new ServiceError('NOT_FOUND', `${JSON.stringify(partnerId)} has no active subscription.`);
}
