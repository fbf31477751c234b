import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import type { CommandDeps } from './deps.ts';
import { draftRule, type RuleFields } from './draft-rule.ts';

/**
 * Stores a rule version, which nothing changes afterwards (domain, Points). It earns nothing until it
 * is activated.
 * @throws ServiceError as `draftRule` does
 */
export async function createRule(
  deps: Pick<CommandDeps, 'models' | 'now'>,
  partnerId: string,
  fields: RuleFields,
): Promise<EarningRuleDoc> {
  const rule = await draftRule(deps, partnerId, fields);
  await deps.models.earningRules.create(rule);
  return rule;
}
