import Joi from 'joi';
import { findRule } from '../../models/rewards/rules.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { appendActivation } from './append-activation.ts';
import { requireSeen } from './require-seen.ts';

interface Activation {
  ruleId: string;
  /** The id of the one that is to be replaced, null for none; left out, whichever is active. */
  seen?: string | null;
}

/**
 * Makes a rule version the active one of its (partner, mode, currency, integration) in one insert, so
 * that there is no moment without a rule. Activating the active one changes nothing.
 */
export const activateRule = operation({
  name: 'earning-rule.activate',
  permission: {
    operator: 'earning-rule.activate',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<Activation>({ ruleId: idField, seen: Joi.string().allow(null) }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  approval: 'NONE',
  audit: ({ ruleId }, { partnerId }) => ({ targetId: ruleId, partnerId }),

  /** @throws ServiceError CONFLICT when another is active by now, or too many do this at once */
  async run(deps: AuditDeps, { ruleId, seen }, { found: rule }) {
    const changed = await appendActivation(deps, rule, (active) => {
      if (active === ruleId) return undefined;
      if (seen !== undefined) requireSeen(active, seen);
      return ruleId;
    });
    return { rule, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});
