import Joi from 'joi';
import { type EarningField, ruleKinds } from '../../domain/earning-rules.ts';
import { modes } from '../../domain/mode.ts';
import { findPartner, fixCurrency } from '../../models/identity/partners.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import type { AuditDeps } from '../deps.ts';
import { currencyCode, idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { draftRule, type RuleFields } from './draft.ts';

/** `problem.ts` checks which kind has which of these. */
const earningFields: Record<EarningField, Joi.Schema> = {
  points: Joi.number(),
  unitCents: Joi.number(),
};

/**
 * Stores a rule version, which nothing changes afterwards (docs/domain.md, Points). It earns nothing
 * until it is activated.
 */
export const createRule = operation({
  name: 'earning-rule.create',
  permission: {
    operator: 'earning-rule.create',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  // Names and types only; `draftRule` checks the limits.
  input: Joi.object<RuleFields & { partnerId: string }>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    integrationId: Joi.string().allow(null),
    currency: currencyCode.required(),
    kind: Joi.string()
      .valid(...ruleKinds)
      .required(),
    ...earningFields,
    minimumOrderCents: Joi.number(),
    multiplier: Joi.number(),
    campaign: Joi.object({
      startsAt: Joi.string().required(),
      endsAt: Joi.string().required(),
    }).allow(null),
    capPerOrderPoints: Joi.number().allow(null),
    capPerCustomerDayPoints: Joi.number().allow(null),
    claimWindow: Joi.string().max(64),
    pointValueMicros: Joi.number(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /** @throws ServiceError like `draftRule` */
  async run(deps: AuditDeps, { partnerId, ...fields }): Promise<EarningRuleDoc> {
    const rule = await draftRule(deps, partnerId, fields as RuleFields);
    if (rule.mode === 'LIVE') await fixCurrency(deps.models, partnerId, rule.currency);
    await deps.models.earningRules.create(rule);
    return rule;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
