import type { Mode } from '../../domain/mode.ts';
import { largestReward } from '../../domain/points.ts';
import { findActiveRule } from '../../models/rewards/rule-versions.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import type { FactDeps } from '../operation.ts';

/** The facts of a change of the active rule: the rule, the one it replaces, and the costs of orders. */
export async function ruleFacts({ models }: Pick<FactDeps, 'models'>, stored: EarningRuleDoc) {
  const rule = toEarningRule(stored);
  const { partnerId, mode, currency, pointValueMicros } = rule;
  const [active, partner] = await Promise.all([
    findActiveRule(models, rule),
    models.partners.findById(partnerId, { name: 1 }),
  ]);
  return {
    partnerId,
    partner: partner?.name ?? null,
    ruleId: rule.ruleId,
    mode,
    currency,
    pointValueMicros,
    largestRewardCents: largestReward(rule).liabilityCents,
    activeRuleId: active?.ruleId ?? null,
  };
}

/** LIVE rules determine the cost of points. */
export const isLive = ({ mode }: { mode: Mode }): boolean => mode === 'LIVE';
