import type { EarningRule } from './earning-rules.ts';
import { microsText, moneyText } from './money.ts';
import { largestReward } from './points.ts';

/** The limits that a partner's contract sets for its LIVE rules, whoever creates them. */
export interface RuleCeilings {
  /** The most that one point may cost, in micros of the currency unit. */
  maxPointMicros: number;
  /** The most that the reward of one order may cost, in cents. */
  maxRewardCents: number;
}

/** The limits until two operators change them: 1.00 per point and 1,000.00 per reward. */
export const defaultCeilings: RuleCeilings = { maxPointMicros: 1_000_000, maxRewardCents: 100_000 };

const microsPerCent = 10_000n;

/** The most points of this value that a reward may have; null for points that cost nothing. */
function pointsWithin({ maxRewardCents }: RuleCeilings, pointValueMicros: number): number | null {
  if (pointValueMicros === 0) return null;
  return Number((BigInt(maxRewardCents) * microsPerCent) / BigInt(pointValueMicros));
}

/**
 * Caps a rule at what the contract allows: a rule without a cap per order that could exceed the
 * limit gets one.
 */
export function cappedByContract<Rule extends EarningRule>(
  rule: Rule,
  ceilings: RuleCeilings,
): Rule {
  if (rule.capPerOrderPoints !== null || isWithin(rule, ceilings)) return rule;
  return { ...rule, capPerOrderPoints: pointsWithin(ceilings, rule.pointValueMicros) };
}

/**
 * The field of a rule that exceeds the partner's contract, with a message that names it; undefined
 * if none does.
 */
export function ceilingProblem(
  rule: EarningRule,
  ceilings: RuleCeilings,
): Record<string, string> | undefined {
  const { maxPointMicros, maxRewardCents } = ceilings;
  if (rule.pointValueMicros > maxPointMicros) {
    return {
      pointValueMicros: `pointValueMicros must not exceed ${microsText(maxPointMicros, rule.currency)} a point, as agreed in the contract`,
    };
  }
  if (isWithin(rule, ceilings)) return undefined;
  const most = pointsWithin(ceilings, rule.pointValueMicros);
  return {
    capPerOrderPoints: `capPerOrderPoints must be at most ${most}: the contract allows rewards of up to ${moneyText(maxRewardCents, rule.currency)}`,
  };
}

function isWithin(rule: EarningRule, { maxRewardCents }: RuleCeilings): boolean {
  try {
    return largestReward(rule).liabilityCents <= maxRewardCents;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
