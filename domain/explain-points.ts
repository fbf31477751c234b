import { assertNever } from './assert-never.ts';
import type { EarningRule } from './earning-rules.ts';
import { formatCents, microsText, moneyText } from './money.ts';
import type { PointsArithmetic } from './points.ts';

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
 * (docs/domain.md, Points). All numbers are stored ones; nothing is calculated again.
 * @param liabilityCents what the reward costs the partner
 */
export function explainPoints(
  arithmetic: PointsArithmetic,
  rule: EarningRule,
  liabilityCents: number,
): PointsExplanation {
  const isUnderMinimum = arithmetic.subtotalCents < rule.minimumOrderCents;
  const steps = isUnderMinimum
    ? [underMinimum(arithmetic, rule)]
    : [base(arithmetic, rule), ...multiplied(arithmetic, rule)];
  steps.push(...capped(arithmetic, rule));
  const cost = costOf(arithmetic, rule, liabilityCents);
  const words = [...steps.map((step) => step.words), cost.words].filter((text) => text !== '');
  return {
    steps: steps.map(({ words: _, ...step }) => step),
    cost: { calculation: cost.calculation, cents: liabilityCents },
    sentence: `${words.join('; ')}.`,
  };
}

function underMinimum({ subtotalCents }: PointsArithmetic, rule: EarningRule): Step {
  const order = money(subtotalCents, rule);
  const minimum = money(rule.minimumOrderCents, rule);
  const calculation = `${order} is below the minimum order of ${minimum}`;
  return { what: 'Minimum order', calculation, points: 0, words: `${calculation}: 0 points` };
}

function base({ subtotalCents, basePoints }: PointsArithmetic, rule: EarningRule): Step {
  const earned = pointsText(basePoints);
  switch (rule.kind) {
    case 'PER_AMOUNT': {
      const unit = money(rule.unitCents, rule);
      const sum = `${formatCents(subtotalCents)} × ${rule.points} / ${formatCents(rule.unitCents)}`;
      return {
        what: `${pointsText(rule.points)} for every ${unit}`,
        calculation: `${sum}, rounded down`,
        points: basePoints,
        words: `${pointsText(rule.points)} for every ${unit} of ${money(subtotalCents, rule)}: ${sum}, rounded down, = ${earned}`,
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
  const calculation = `${numberText(basePoints)} × ${multiplier}`;
  const during = rule.campaign === null ? '' : ' in the campaign';
  return [
    {
      what,
      calculation,
      points: uncappedPoints,
      words: `times ${multiplier}${during}: ${calculation} = ${pointsText(uncappedPoints)}`,
    },
  ];
}

function capped(arithmetic: PointsArithmetic, rule: EarningRule): Step[] {
  const { uncappedPoints, capPerOrderPoints, customerDayLeftPoints } = arithmetic;
  const steps: Step[] = [];
  let before = uncappedPoints;
  if (capPerOrderPoints !== null) {
    const points = Math.min(before, capPerOrderPoints);
    const words = `an order earns at most ${pointsText(capPerOrderPoints)}: ${pointsText(points)}`;
    steps.push({
      what: `At most ${pointsText(capPerOrderPoints)} per order`,
      calculation: `the smaller of ${numberText(before)} and ${numberText(capPerOrderPoints)}`,
      points,
      words: points === before ? '' : words,
    });
    before = points;
  }
  if (customerDayLeftPoints !== null) {
    const cap = rule.capPerCustomerDayPoints ?? customerDayLeftPoints;
    const points = Math.min(before, customerDayLeftPoints);
    const left = `the customer had ${numberText(customerDayLeftPoints)} of ${pointsText(cap)} left that day`;
    steps.push({
      what: `At most ${pointsText(cap)} per customer per day`,
      calculation: `the smaller of ${numberText(before)} and the ${numberText(customerDayLeftPoints)} left that day`,
      points,
      words: points === before ? '' : `${left}: ${pointsText(points)}`,
    });
  }
  return steps;
}

function costOf({ points }: PointsArithmetic, rule: EarningRule, liabilityCents: number) {
  const each = microsText(rule.pointValueMicros, rule.currency);
  const calculation = `${numberText(points)} × ${each}, rounded up to the cent`;
  const words = `they cost ${numberText(points)} × ${each} = ${money(liabilityCents, rule)}, rounded up to the cent`;
  return { calculation, words };
}

function money(cents: number, { currency }: EarningRule): string {
  return moneyText(cents, currency);
}

/** With thousands separators: 100,000. */
const numberText = (value: number): string => value.toLocaleString('en-US');

function pointsText(points: number): string {
  return points === 1 ? '1 point' : `${numberText(points)} points`;
}
