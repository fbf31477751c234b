import { assertNever } from './assert-never.ts';
import { digitsOf, microsPerMinor } from './currencies.ts';
import type { Earning, EarningRule, RuleKind } from './earning-rules.ts';
import { formatCents, microsText, moneyText } from './money.ts';
import { numberText, pointsWords } from './numbers.ts';
import { liabilityCentsOf } from './postings.ts';

/** How a reward's points were calculated, stored with it so that anyone can check them. */
export interface PointsArithmetic {
  ruleId: string;
  kind: RuleKind;
  /** Of the order, as it was reported. */
  subtotalCents: number;
  /** How much of it came back: the points are of what remains. */
  refundedCents: number;
  /** Before the multiplier. */
  basePoints: number;
  multiplier: number;
  /** After the multiplier, before any cap. */
  uncappedPoints: number;
  capPerOrderPoints: number | null;
  /** What was left of the customer's daily cap; null without a cap. */
  customerDayLeftPoints: number | null;
  /** What was left of the rule's budget; absent without one. */
  budgetLeftPoints?: number;
  points: number;
  explanation: string;
}

/** The largest subtotal of an order (docs/integrate/requests.md, Requests). */
export const maxSubtotalCents = 100_000_000;

/**
 * `points = min(caps, floor(base × multiplier))`, where the base depends on the rule's kind
 * (docs/concepts/rewards.md, Points). Integers only: a multiplier counts in hundredths. Caps truncate and never refuse; an order below the
 * minimum earns 0.
 *
 * @param subtotalCents 0 to 100,000,000
 * @param atMs when the purchase happened, in milliseconds since the epoch; decides whether a
 *   campaign applies
 * @param customerDayLeftPoints what is left of the customer's daily cap; null without a cap
 * @param budgetLeftPoints what is left of the rule's budget; absent without one
 * @throws RangeError on a subtotal that is not an integer in range, or a product beyond the safe
 *   integers; Error on a kind that this version does not know
 */
export function computePoints(
  rule: EarningRule,
  subtotalCents: number,
  atMs: number,
  customerDayLeftPoints: number | null,
  budgetLeftPoints?: number,
): PointsArithmetic {
  if (
    !Number.isSafeInteger(subtotalCents) ||
    subtotalCents < 0 ||
    subtotalCents > maxSubtotalCents
  ) {
    throw new RangeError(`subtotalCents must be an integer from 0 to ${maxSubtotalCents}`);
  }
  const multiplier = campaignHolds(rule, atMs) ? rule.multiplier : 1;
  return pointsOf(rule, {
    subtotalCents,
    refundedCents: 0,
    multiplier,
    customerDayLeftPoints,
    budgetLeftPoints,
  });
}

/**
 * Works out the points anew once part of the order came back: the rule on what remains, with its minimum
 * and caps, and the multiplier, daily cap and budget that the order had (docs/concepts/rewards.md, Points).
 * @param refundedCents of the order in all, at most its subtotal
 */
export function computeRemaining(
  rule: EarningRule,
  arithmetic: PointsArithmetic,
  refundedCents: number,
): PointsArithmetic {
  return pointsOf(rule, { ...arithmetic, refundedCents });
}

/** What an order's points depend on besides its rule. */
interface PointsTerms
  extends Pick<
    PointsArithmetic,
    'subtotalCents' | 'refundedCents' | 'multiplier' | 'customerDayLeftPoints'
  > {
  budgetLeftPoints?: number | undefined;
}

function pointsOf(
  rule: EarningRule,
  {
    subtotalCents,
    refundedCents,
    multiplier,
    customerDayLeftPoints,
    budgetLeftPoints,
  }: PointsTerms,
): PointsArithmetic {
  const keptCents = subtotalCents - refundedCents;
  const underMinimum = keptCents < rule.minimumOrderCents;
  const base = underMinimum
    ? {
        points: 0,
        sum: `${keptCents} is below the minimum order of ${rule.minimumOrderCents}: 0`,
      }
    : baseOf(rule, keptCents);
  const basePoints = base.points;
  const uncappedPoints = safe((BigInt(basePoints) * BigInt(hundredthsOf(multiplier))) / 100n);
  const points = Math.min(
    uncappedPoints,
    rule.capPerOrderPoints ?? uncappedPoints,
    customerDayLeftPoints ?? uncappedPoints,
    budgetLeftPoints ?? uncappedPoints,
  );
  const cameBack = refundedCents === 0 ? '' : `of ${subtotalCents}, ${refundedCents} came back: `;
  const times = underMinimum || multiplier === 1 ? '' : `, × ${multiplier} = ${uncappedPoints}`;
  const capped = points === uncappedPoints ? '' : `, capped at ${points}`;
  return {
    ruleId: rule.ruleId,
    kind: rule.kind,
    subtotalCents,
    refundedCents,
    basePoints,
    multiplier,
    uncappedPoints,
    capPerOrderPoints: rule.capPerOrderPoints,
    customerDayLeftPoints,
    ...(budgetLeftPoints !== undefined && { budgetLeftPoints }),
    points,
    explanation: cameBack + base.sum + times + capped,
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
  return { points, liabilityCents: liabilityCentsOf(points, rule) };
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

/** A multiplier of up to two decimals as a whole number of hundredths. */
export const hundredthsOf = (multiplier: number): number => Math.round(multiplier * 100);

function campaignHolds(rule: EarningRule, atMs: number): boolean {
  if (rule.campaign === null) return true;
  return Date.parse(rule.campaign.startsAt) <= atMs && atMs < Date.parse(rule.campaign.endsAt);
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError('points beyond the safe integers');
  return Number(value);
}

/** One step of the calculation. */
export interface PointsStep {
  what: string;
  /** The calculation with its numbers. */
  calculation: string;
  /** The points after this step. */
  points: number;
}

/** Why a reward has that many points, and what they cost the partner. */
export interface PointsExplanation {
  steps: PointsStep[];
  cost: { calculation: string; cents: number };
  /** The same as a sentence, which omits limits that changed nothing. */
  sentence: string;
}

interface Step extends PointsStep {
  /** Its part of the sentence; empty to omit it. */
  words: string;
}

/**
 * Explains a reward's points from its stored calculation and the rule version that this names
 * (docs/concepts/rewards.md, Points). All numbers are stored ones; nothing is calculated again.
 * @param liabilityCents what the reward costs the partner
 */
export function explainPoints(
  arithmetic: PointsArithmetic,
  rule: EarningRule,
  liabilityCents: number,
): PointsExplanation {
  const isUnderMinimum = keptOf(arithmetic) < rule.minimumOrderCents;
  const first = isUnderMinimum ? underMinimum(arithmetic, rule) : base(arithmetic, rule);
  const steps = [cameBack(first, arithmetic, rule)];
  if (!isUnderMinimum) steps.push(...multiplied(arithmetic, rule));
  steps.push(...capped(arithmetic, rule));
  const cost = costOf(arithmetic, rule, liabilityCents);
  const words = [...steps.map((step) => step.words), cost.words].filter((text) => text !== '');
  return {
    steps: steps.map(({ words: _, ...step }) => step),
    cost: { calculation: cost.calculation, cents: liabilityCents },
    sentence: `${words.join('; ')}.`,
  };
}

/** What remains of the order. */
const keptOf = ({ subtotalCents, refundedCents }: PointsArithmetic) =>
  subtotalCents - refundedCents;

/** The first step, which says what it starts from if part of the order came back. */
function cameBack(
  first: Step,
  { subtotalCents, refundedCents }: PointsArithmetic,
  rule: EarningRule,
): Step {
  if (refundedCents === 0) return first;
  const said = `of ${money(subtotalCents, rule)}, ${money(refundedCents, rule)} came back: `;
  return { ...first, calculation: said + first.calculation, words: said + first.words };
}

function underMinimum(arithmetic: PointsArithmetic, rule: EarningRule): Step {
  const order = money(keptOf(arithmetic), rule);
  const minimum = money(rule.minimumOrderCents, rule);
  const calculation = `${order} is below the minimum order of ${minimum}`;
  return { what: 'Minimum order', calculation, points: 0, words: `${calculation}: 0 points` };
}

function base(arithmetic: PointsArithmetic, rule: EarningRule): Step {
  const { basePoints } = arithmetic;
  const keptCents = keptOf(arithmetic);
  const earned = pointsWords(basePoints);
  switch (rule.kind) {
    case 'PER_AMOUNT': {
      const unit = money(rule.unitCents, rule);
      const plain = (cents: number) => formatCents(cents, rule.currency);
      const sum = `${plain(keptCents)} × ${rule.points} / ${plain(rule.unitCents)}`;
      return {
        what: `${pointsWords(rule.points)} for every ${unit}`,
        calculation: `${sum}, rounded down`,
        points: basePoints,
        words: `${pointsWords(rule.points)} for every ${unit} of ${money(keptCents, rule)}: ${sum}, rounded down, = ${earned}`,
      };
    }
    case 'FIXED':
      return {
        what: 'The same for every order',
        calculation: numberText(basePoints),
        points: basePoints,
        words: `${earned} for an order of any amount`,
      };
    default:
      return assertNever(rule, 'kind of earning rule');
  }
}

function multiplied(
  { basePoints, multiplier, uncappedPoints }: PointsArithmetic,
  rule: EarningRule,
): Step[] {
  if (rule.multiplier === 1) return [];
  const what = rule.campaign === null ? 'Multiplier' : 'Campaign';
  if (multiplier !== rule.multiplier) {
    const calculation = `not running at the time of the purchase (× ${rule.multiplier})`;
    return [
      { what, calculation, points: uncappedPoints, words: `the campaign was ${calculation}` },
    ];
  }
  const isWhole = ((basePoints % 100) * hundredthsOf(multiplier)) % 100 === 0;
  const rounded = isWhole ? '' : ', rounded down';
  const calculation = `${numberText(basePoints)} × ${multiplier}${rounded}`;
  const during = rule.campaign === null ? '' : ' in the campaign';
  return [
    {
      what,
      calculation,
      points: uncappedPoints,
      words: `times ${multiplier}${during}: ${calculation}${isWhole ? '' : ','} = ${pointsWords(uncappedPoints)}`,
    },
  ];
}

function capped(arithmetic: PointsArithmetic, rule: EarningRule): Step[] {
  const { uncappedPoints, capPerOrderPoints, customerDayLeftPoints, budgetLeftPoints } = arithmetic;
  const steps: Step[] = [];
  let before = uncappedPoints;
  if (capPerOrderPoints !== null) {
    const points = Math.min(before, capPerOrderPoints);
    const words = `an order earns at most ${pointsWords(capPerOrderPoints)}: ${pointsWords(points)}`;
    steps.push({
      what: `At most ${pointsWords(capPerOrderPoints)} per order`,
      calculation: `the smaller of ${numberText(before)} and ${numberText(capPerOrderPoints)}`,
      points,
      words: points === before ? '' : words,
    });
    before = points;
  }
  if (customerDayLeftPoints !== null) {
    const cap = rule.capPerCustomerDayPoints ?? customerDayLeftPoints;
    const points = Math.min(before, customerDayLeftPoints);
    const left = `the customer had ${numberText(customerDayLeftPoints)} of ${pointsWords(cap)} left that day`;
    steps.push({
      what: `At most ${pointsWords(cap)} per customer per day`,
      calculation: `the smaller of ${numberText(before)} and the ${numberText(customerDayLeftPoints)} left that day`,
      points,
      words: points === before ? '' : `${left}: ${pointsWords(points)}`,
    });
    before = points;
  }
  if (budgetLeftPoints !== undefined) {
    const points = Math.min(before, budgetLeftPoints);
    const name = `the budget “${rule.budget?.name ?? ''}”`;
    const left =
      budgetLeftPoints === 0
        ? `${name} was used up`
        : `${name} had ${pointsWords(budgetLeftPoints)} left`;
    steps.push({
      what: 'Budget',
      calculation: `the smaller of ${numberText(before)} and the ${numberText(budgetLeftPoints)} left of ${name}`,
      points,
      words: points === before ? '' : `${left}: ${pointsWords(points)}`,
    });
  }
  return steps;
}

function costOf({ points }: PointsArithmetic, rule: EarningRule, liabilityCents: number) {
  const each = microsText(rule.pointValueMicros, rule.currency);
  const calculation = `${numberText(points)} × ${each}, rounded up${toTheCent(rule)}`;
  const words = `they cost ${numberText(points)} × ${each} = ${money(liabilityCents, rule)}, rounded up${toTheCent(rule)}`;
  return { calculation, words };
}

/** What is the smallest amount, where that is a cent to everybody. */
const toTheCent = ({ currency }: EarningRule): string =>
  digitsOf(currency) === 2 ? ' to the cent' : '';

function money(cents: number, { currency }: EarningRule): string {
  return moneyText(cents, currency);
}

/** The limits that a partner's contract sets for its LIVE rules, whoever creates them. */
export interface RuleCeilings {
  /** The most that one point may cost, in micros of the currency unit. */
  maxPointMicros: number;
  /** The most that the reward of one order may cost, in minor units. */
  maxRewardCents: number;
}

/** The limits until two operators change them: a whole unit per point, and 100,000 minor units per reward. */
export const defaultCeilings: RuleCeilings = { maxPointMicros: 1_000_000, maxRewardCents: 100_000 };

/** The most points of this value that a reward may have; null for points that cost nothing. */
function pointsWithin(
  { maxRewardCents }: RuleCeilings,
  { pointValueMicros, currency }: EarningRule,
): number | null {
  if (pointValueMicros === 0) return null;
  return Number((BigInt(maxRewardCents) * microsPerMinor(currency)) / BigInt(pointValueMicros));
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
  return { ...rule, capPerOrderPoints: pointsWithin(ceilings, rule) };
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
  const most = pointsWithin(ceilings, rule);
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
