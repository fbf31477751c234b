import { Duration } from 'luxon';
import { assertNever } from '../../domain/assert-never.ts';
import type { Earning, EarningRule } from '../../domain/earning-rules.ts';
import { microsText } from '../../domain/money.ts';
import type { RuleBudget } from '../../domain/rule-budgets.ts';
import { moneyText, pointsWords, utcMinuteText } from '../components/format.ts';

/** The settings of a rule as text. */
export interface RuleWords {
  earns: string;
  minimumOrder: string;
  multiplier: string;
  capPerOrder: string;
  capPerCustomerDay: string;
  budget: string;
  claimWindow: string;
  hold: string;
  pointValue: string;
}

/** Labels of the settings, in display order. */
const ruleParts: Readonly<Record<keyof RuleWords, string>> = {
  earns: 'Earns',
  minimumOrder: 'Minimum order',
  multiplier: 'Multiplier',
  capPerOrder: 'Limit per order',
  capPerCustomerDay: 'Daily limit per customer',
  budget: 'Budget',
  claimWindow: 'Claim window',
  hold: 'Hold after the purchase',
  pointValue: 'A point costs you',
};

/** The settings with their labels, in display order. */
export const namedRuleParts = (): [part: keyof RuleWords, name: string][] =>
  (Object.keys(ruleParts) as (keyof RuleWords)[]).map((part) => [part, ruleParts[part]]);

export function wordsOfRule(rule: EarningRule): RuleWords {
  const { currency, minimumOrderCents } = rule;
  return {
    earns: earnsWords(rule),
    minimumOrder: minimumOrderCents === 0 ? 'None' : moneyText(minimumOrderCents, currency),
    multiplier: multiplierWords(rule),
    capPerOrder: capWords(rule.capPerOrderPoints),
    capPerCustomerDay: capWords(rule.capPerCustomerDayPoints),
    budget: rule.budget === undefined ? 'None' : budgetWords(rule.budget),
    claimWindow: durationWords(rule.claimWindow),
    hold: rule.holdFor === undefined ? 'None' : durationWords(rule.holdFor),
    pointValue: microsText(rule.pointValueMicros, currency),
  };
}

/** The rule in one sentence, without settings that have no effect. */
export function sentenceOfRule(rule: EarningRule): string {
  const words = wordsOfRule(rule);
  const parts = [
    words.earns,
    ...(rule.minimumOrderCents === 0 ? [] : [`for orders of at least ${words.minimumOrder}`]),
    ...(rule.multiplier === 1 ? [] : [words.multiplier]),
    ...(rule.capPerOrderPoints === null ? [] : [`at most ${words.capPerOrder} per order`]),
    ...(rule.capPerCustomerDayPoints === null
      ? []
      : [`at most ${words.capPerCustomerDay} per customer per day`]),
    ...(rule.budget === undefined ? [] : [`within a budget of ${words.budget}`]),
    `to be claimed within ${words.claimWindow}`,
    ...(rule.holdFor === undefined ? [] : [`after a hold of ${words.hold}`]),
  ];
  return `${parts.join(', ')}.`;
}

/** What a rule earns, in short: `10 points for every $1.00`. */
export function earnsWords(rule: Earning & { currency: string }): string {
  switch (rule.kind) {
    case 'PER_AMOUNT':
      return `${pointsWords(rule.points)} for every ${moneyText(rule.unitCents, rule.currency)}`;
    case 'FIXED':
      return `${pointsWords(rule.points)} for every order`;
    default:
      return assertNever(rule, 'kind of earning rule');
  }
}

function multiplierWords({ multiplier, campaign }: EarningRule): string {
  if (multiplier === 1) return 'None';
  const times = `times ${multiplier}`;
  if (campaign === null) return `${times}, always`;
  return `${times} from ${utcMinuteText(new Date(campaign.startsAt))} until ${utcMinuteText(new Date(campaign.endsAt))} UTC`;
}

const capWords = (points: number | null): string =>
  points === null ? 'No limit' : pointsWords(points);

/** What a budget allows: `100,000 points in all and 10,000 points a month (Summer)`. */
export function budgetWords({ name, totalPoints, monthPoints }: RuleBudget): string {
  const limits = [
    ...(totalPoints === null ? [] : [`${pointsWords(totalPoints)} in all`]),
    ...(monthPoints === null ? [] : [`${pointsWords(monthPoints)} a month`]),
  ];
  return `${limits.join(' and ')} (${name})`;
}

function durationWords(iso: string): string {
  return Duration.fromISO(iso).reconfigure({ locale: 'en' }).toHuman();
}
