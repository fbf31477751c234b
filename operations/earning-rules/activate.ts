import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { ceilingProblem } from '../../domain/rule-ceilings.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findRule, toEarningRule } from '../../models/rewards/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { appendActivation } from './append-activation.ts';
import { requireSeen } from './require-seen.ts';
import { isLive, ruleFacts } from './rule-facts.ts';

interface Activation {
  ruleId: string;
  /** The id of the active rule to replace; null for none; absent for any. */
  seen?: string | null;
}

/**
 * Activates a rule version for its (partner, mode, currency, integration) with one insert, so that there
 * is no moment without a rule. Activating the active version changes nothing.
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
   * @throws ServiceError CONFLICT if another rule is active now, if the rule exceeds the current limits of
   *   the partner's contract, or after too many lost races
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
  if (problem === undefined) return;
  throw new ServiceError('CONFLICT', `${stored._id}: ${Object.values(problem).join('; ')}.`);
}
