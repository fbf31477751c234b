import type { EarningRule } from './earning-rules.ts';
import { largestReward } from './points.ts';

/** What a partner's contract lets its LIVE rules be worth, whoever makes them. */
export interface RuleCeilings {
  /** What one point may cost, in millionths of the currency unit. */
  maxPointMicros: number;
  /** What one order's reward may cost, in cents. */
  maxRewardCents: number;
}

/** What a contract says until two operators change it: 1.00 a point, 1,000.00 a reward. */
export const defaultCeilings: RuleCeilings = { maxPointMicros: 1_000_000, maxRewardCents: 100_000 };

const microsPerCent = 10_000n;

/** The most points of this worth that a reward may have; null for points that cost nothing. */
function pointsWithin({ maxRewardCents }: RuleCeilings, pointValueMicros: number): number | null {
  if (pointValueMicros === 0) return null;
  return Number((BigInt(maxRewardCents) * microsPerCent) / BigInt(pointValueMicros));
}

/**
 * A rule whose orders earn no more than the contract allows: one without a cap per order that could
 * gets the contract's.
 */
export function cappedByContract<Rule extends EarningRule>(
  rule: Rule,
  ceilings: RuleCeilings,
): Rule {
  if (rule.capPerOrderPoints !== null || isWithin(rule, ceilings)) return rule;
  return { ...rule, capPerOrderPoints: pointsWithin(ceilings, rule.pointValueMicros) };
}

/** Which field of a rule is above its partner's contract, in words that name it; undefined for none. */
export function ceilingProblem(
  rule: EarningRule,
  ceilings: RuleCeilings,
): Record<string, string> | undefined {
  const { maxPointMicros, maxRewardCents } = ceilings;
  if (rule.pointValueMicros > maxPointMicros) {
    return {
      pointValueMicros: `pointValueMicros must be at most ${maxPointMicros}, as the partner's contract says`,
    };
  }
  if (isWithin(rule, ceilings)) return undefined;
  const most = pointsWithin(ceilings, rule.pointValueMicros);
  return {
    capPerOrderPoints: `capPerOrderPoints must be at most ${most}: the partner's contract allows a reward of ${maxRewardCents} cents`,
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
