import { assertNever } from './assert-never.ts';
import type { Earning, EarningRule, RuleKind } from './earning-rules.ts';
import { liabilityCentsOf } from './postings.ts';

/** How a reward's points were calculated, stored with it so that anyone can check them. */
export interface PointsArithmetic {
  ruleId: string;
  kind: RuleKind;
  subtotalCents: number;
  /** Before the multiplier. */
  basePoints: number;
  multiplier: number;
  /** After the multiplier, before any cap. */
  uncappedPoints: number;
  capPerOrderPoints: number | null;
  /** What was left of the customer's daily cap; null without a cap. */
  customerDayLeftPoints: number | null;
  points: number;
  explanation: string;
}

/** The largest subtotal of an order (docs/contract.md, Requests). */
export const maxSubtotalCents = 100_000_000;

/**
 * `points = min(caps, base × multiplier)`, where the base depends on the rule's kind
 * (docs/domain.md, Points). Integers only. Caps truncate and never refuse; an order below the
 * minimum earns 0.
 *
 * @param subtotalCents 0 to 100,000,000
 * @param atMs when the purchase happened, in milliseconds since the epoch; decides whether a
 *   campaign applies
 * @param customerDayLeftPoints what is left of the customer's daily cap; null without a cap
 * @throws RangeError on a subtotal that is not an integer in range, or a product beyond the safe
 *   integers; Error on a kind that this version does not know
 */
export function computePoints(
  rule: EarningRule,
  subtotalCents: number,
  atMs: number,
  customerDayLeftPoints: number | null,
): PointsArithmetic {
  if (
    !Number.isSafeInteger(subtotalCents) ||
    subtotalCents < 0 ||
    subtotalCents > maxSubtotalCents
  ) {
    throw new RangeError(`subtotalCents must be an integer from 0 to ${maxSubtotalCents}`);
  }
  const underMinimum = subtotalCents < rule.minimumOrderCents;
  const base = underMinimum
    ? {
        points: 0,
        sum: `${subtotalCents} is below the minimum order of ${rule.minimumOrderCents}: 0`,
      }
    : baseOf(rule, subtotalCents);
  const basePoints = base.points;
  const multiplier = campaignHolds(rule, atMs) ? rule.multiplier : 1;
  const uncappedPoints = safe(BigInt(basePoints) * BigInt(multiplier));
  const points = Math.min(
    uncappedPoints,
    rule.capPerOrderPoints ?? uncappedPoints,
    customerDayLeftPoints ?? uncappedPoints,
  );
  const times = underMinimum || multiplier === 1 ? '' : `, × ${multiplier} = ${uncappedPoints}`;
  const capped = points === uncappedPoints ? '' : `, capped at ${points}`;
  return {
    ruleId: rule.ruleId,
    kind: rule.kind,
    subtotalCents,
    basePoints,
    multiplier,
    uncappedPoints,
    capPerOrderPoints: rule.capPerOrderPoints,
    customerDayLeftPoints,
    points,
    explanation: base.sum + times + capped,
  };
}

/**
 * What the largest possible order earns under a rule, with the campaign on and the daily cap
 * unused. No smaller order earns more.
 * @throws RangeError if the points or their cost are beyond the safe integers
 */
export function largestReward(rule: EarningRule): { points: number; liabilityCents: number } {
  const atItsBest = { ...rule, campaign: null };
  const { points } = computePoints(atItsBest, maxSubtotalCents, 0, rule.capPerCustomerDayPoints);
  return { points, liabilityCents: liabilityCentsOf(points, rule.pointValueMicros) };
}

/** The points of an order before multiplier and caps, and the calculation for people. */
function baseOf(rule: Earning, subtotalCents: number): { points: number; sum: string } {
  switch (rule.kind) {
    case 'PER_AMOUNT': {
      const { unitCents } = rule;
      const points = safe((BigInt(subtotalCents) * BigInt(rule.points)) / BigInt(unitCents));
      return { points, sum: `floor(${subtotalCents} × ${rule.points} / ${unitCents}) = ${points}` };
    }
    case 'FIXED':
      return { points: rule.points, sum: `fixed ${rule.points}` };
    default:
      return assertNever(rule, 'kind of earning rule');
  }
}

function campaignHolds(rule: EarningRule, atMs: number): boolean {
  if (rule.campaign === null) return true;
  return Date.parse(rule.campaign.startsAt) <= atMs && atMs < Date.parse(rule.campaign.endsAt);
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError('points beyond the safe integers');
  return Number(value);
}
