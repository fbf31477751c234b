import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import { appendActivation } from './append-activation.ts';
import type { CommandDeps } from './deps.ts';
import { findRule } from './find.ts';
import { requireSeen } from './require-seen.ts';

/**
 * Makes a rule version the active one of its (partner, mode, currency, integration) in one insert, so
 * that there is no moment without a rule. Activating the active one changes nothing.
 * @param seen the id of the one that is to be replaced, null for none; left out, whichever is active
 * @throws ServiceError NOT_FOUND; CONFLICT when another is active by now, or too many do this at once
 */
export async function activateRule(
  deps: Pick<CommandDeps, 'models' | 'now'>,
  ruleId: string,
  { seen }: { seen?: string | null } = {},
): Promise<{ rule: EarningRuleDoc; changed: boolean }> {
  const rule = await findRule(deps.models, ruleId);
  const changed = await appendActivation(deps, rule, (active) => {
    if (active === ruleId) return undefined;
    if (seen !== undefined) requireSeen(active, seen);
    return ruleId;
  });
  return { rule, changed };
}
