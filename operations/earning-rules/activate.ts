import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { ceilingProblem } from '../../domain/rule-ceilings.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findRule, toEarningRule } from '../../models/rewards/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/earning-rule.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { appendActivation } from './append-activation.ts';
import { requireSeen } from './require-seen.ts';
import { isLive, ruleFacts } from './rule-facts.ts';

interface Activation {
  ruleId: string;
  /** The id of the one that is to be replaced, null for none; left out, whichever is active. */
  seen?: string | null;
}

/**
 * Makes a rule version the active one of its (partner, mode, currency, integration) in one insert, so
 * that there is no moment without a rule. Activating the active one changes nothing.
 */
export const activateRule = sensitiveOperation({
  name: 'earning-rule.activate',
  permission: {
    operator: 'earning-rule.activate',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<Activation>({ ruleId: idField, seen: Joi.string().allow(null) }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  approval: { facts: ({ models }, _input, rule) => ruleFacts({ models }, rule), needed: isLive },
  audit: ({ ruleId }, { partnerId }) => ({ targetId: ruleId, partnerId }),

  /**
   * @throws ServiceError CONFLICT when another is active by now, when the rule is above what the partner's
   *   contract allows by now, or too many do this at once
   */
  async run(deps: AuditDeps, { ruleId, seen }, { found: rule }) {
    await requireWithinContract(deps, rule);
    const changed = await appendActivation(deps, rule, (active) => {
      if (active === ruleId) return undefined;
      if (seen !== undefined) requireSeen(active, seen);
      return ruleId;
    });
    return { rule, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});

async function requireWithinContract({ models }: AuditDeps, stored: EarningRuleDoc): Promise<void> {
  if (stored.mode !== 'LIVE') return;
  const problem = ceilingProblem(
    toEarningRule(stored),
    await findPartner(models, stored.partnerId),
  );
  if (problem !== undefined) throw new ServiceError('CONFLICT', `${stored._id}: ${problem}`);
}
