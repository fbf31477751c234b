import Joi from 'joi';
import { planChange } from '../../domain/plan-change.ts';
import {
  findPlanVersion,
  findSubscription,
  issueInvoice,
  partiesOf,
  prorationInvoice,
  requireCurrencyOf,
  requirePublished,
} from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { newId } from '../../platform/ids.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ChangeSubscriptionDeps, changeSubscription } from './change-subscription.ts';

/**
 * Changes the plan. A cheaper plan applies from the next period; any other immediately, with an invoice for
 * the rest of the period. Choosing the current plan withdraws a pending change, and any choice withdraws a
 * cancellation. Periods that are over are billed first.
 */
export const changePlan = operation({
  name: 'subscription.change',
  permission: { operator: 'subscription.change', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; planVersionId: string }>({
    partnerId: idField,
    planVersionId: Joi.string().max(64).required(),
  }),
  find: async ({ models }, { partnerId }) => ({
    partner: await findPartner(models, partnerId),
    subscription: await findSubscription(models, partnerId),
  }),
  approval: 'NONE',
  audit: ({ partnerId, ...details }, { subscription: { _id: targetId } }) => ({
    targetId,
    partnerId,
    details,
  }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not priced in the
   *   partner's currency, CONFLICT after too many lost races
   */
  async run(deps: ChangeSubscriptionDeps, { partnerId, planVersionId }, { found: { partner } }) {
    const { models } = deps;
    const parties = await partiesOf(deps, partnerId);
    return await changeSubscription(deps, partnerId, async (seen, at) => {
      const from = await findPlanVersion(models, seen.planVersionId);
      const keeps = planVersionId === from._id;
      const to = keeps ? from : await requirePublished(models, planVersionId);
      requireCurrencyOf(partner, to);
      return (draft, held, terms) => {
        const kept = { ...held, endsAt: null, pendingPlanVersionId: null };
        if (keeps) return kept;
        const change = planChange(held, from, to, at);
        if (change.begins === 'NEXT_PERIOD') return { ...kept, pendingPlanVersionId: to._id };
        const { dueCents } = change;
        const proration = { changeId: newId('planChange'), dueCents, at };
        issueInvoice(draft, prorationInvoice(held, proration, from, to), parties, terms);
        return { ...kept, planVersionId: to._id, terms: change.terms };
      };
    });
  },
});
