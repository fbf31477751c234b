import Joi from 'joi';
import { findRule } from '../../models/rewards/rules.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { appendActivation } from './append-activation.ts';
import { isLive, ruleFacts } from './rule-facts.ts';

/**
 * Deactivates a rule without a replacement; from then on its purchases are refused. Deactivating an
 * inactive rule changes nothing.
 */
export const deactivateRule = sensitiveOperation({
  name: 'earning-rule.deactivate',
  permission: {
    operator: 'earning-rule.deactivate',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ ruleId: string }>({ ruleId: idField }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  approval: { facts: ({ models }, _input, rule) => ruleFacts({ models }, rule), needed: isLive },
  audit: ({ ruleId }, { partnerId }) => ({ targetId: ruleId, partnerId }),

  /** @throws ServiceError CONFLICT after too many lost races */
  async run(deps: AuditDeps, { ruleId }, { found: rule }) {
    const changed = await appendActivation(deps, rule, (active) =>
      active === ruleId ? null : undefined,
    );
    return { rule, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});
