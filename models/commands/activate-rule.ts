import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import { appendActivation } from './append-activation.ts';
import type { CommandDeps } from './deps.ts';
import { findRule } from './find.ts';

/**
 * Makes a rule version the active one of its (partner, mode, currency, integration) in one insert, so
 * that there is no moment without a rule. Activating the active one changes nothing.
 * @throws ServiceError NOT_FOUND, or CONFLICT when too many do this at once
 */
export async function activateRule(
  deps: Pick<CommandDeps, 'models' | 'now'>,
  ruleId: string,
): Promise<{ rule: EarningRuleDoc; changed: boolean }> {
  const rule = await findRule(deps.models, ruleId);
  const changed = await appendActivation(deps, rule, (active) =>
    active === ruleId ? undefined : ruleId,
  );
  return { rule, changed };
}
