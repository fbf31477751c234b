import Joi from 'joi';
import { findSubscription } from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ChangeSubscriptionDeps, changeSubscription } from './change-subscription.ts';

/**
 * Cancels a subscription at the end of its period, whose invoice is the last. Cancelling it again changes
 * nothing.
 */
export const cancelSubscription = operation({
  name: 'subscription.cancel',
  permission: { operator: 'subscription.cancel', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  async find({ models }, { partnerId }) {
    await findPartner(models, partnerId);
    return await findSubscription(models, partnerId);
  },
  approval: 'NONE',
  audit: ({ partnerId }, { _id: targetId }) => ({ targetId, partnerId }),

  /** @throws ServiceError CONFLICT after too many lost races */
  run: (deps: ChangeSubscriptionDeps, { partnerId }) =>
    changeSubscription(deps, partnerId, async () => (_draft, held) => ({
      ...held,
      endsAt: held.currentPeriodEnd,
      pendingPlanVersionId: null,
    })),

  completion: ({ endsAt }) => ({ details: { endsAt } }),
});
