import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import { appendActivation } from './append-activation.ts';
import type { CommandDeps } from './deps.ts';
import { findRule } from './find.ts';

/**
 * Ends a rule without another in its place; from then on its purchases are refused. A rule that is
 * not active stays so.
 * @throws ServiceError NOT_FOUND, or CONFLICT when too many do this at once
 */
export async function deactivateRule(
  deps: Pick<CommandDeps, 'models' | 'now'>,
  ruleId: string,
): Promise<{ rule: EarningRuleDoc; changed: boolean }> {
  const rule = await findRule(deps.models, ruleId);
  const changed = await appendActivation(deps, rule, (active) =>
    active === ruleId ? null : undefined,
  );
  return { rule, changed };
}
