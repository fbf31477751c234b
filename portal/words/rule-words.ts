import { Duration } from 'luxon';
import { assertNever } from '../../domain/assert-never.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { microsText } from '../../domain/money.ts';
import { moneyText, pointsWords, utcMinuteText } from '../html/format.ts';
import { type PlainKey, say } from './say.ts';

/** The settings of a rule as text. */
export interface RuleWords {
  earns: string;
  minimumOrder: string;
  multiplier: string;
  capPerOrder: string;
  capPerCustomerDay: string;
  claimWindow: string;
  pointValue: string;
}

/** Labels of the settings, in display order. */
const ruleParts: Readonly<Record<keyof RuleWords, PlainKey>> = {
  earns: 'rule.earns',
  minimumOrder: 'rule.minimumOrder',
  multiplier: 'rule.multiplier',
  capPerOrder: 'rule.limitPerOrder',
  capPerCustomerDay: 'rule.parts.dailyLimit',
  claimWindow: 'rule.timeToClaim',
  pointValue: 'rule.parts.pointCosts',
};

/** The settings with their labels, in display order. */
export const namedRuleParts = (): [part: keyof RuleWords, name: string][] =>
  (Object.keys(ruleParts) as (keyof RuleWords)[]).map((part) => [part, say(ruleParts[part])]);

export function wordsOfRule(rule: EarningRule): RuleWords {
  const { currency, minimumOrderCents } = rule;
  return {
    earns: earnsWords(rule),
    minimumOrder:
      minimumOrderCents === 0 ? say('rule.none') : moneyText(minimumOrderCents, currency),
    multiplier: multiplierWords(rule),
    capPerOrder: capWords(rule.capPerOrderPoints),
    capPerCustomerDay: capWords(rule.capPerCustomerDayPoints),
    claimWindow: claimWindowWords(rule.claimWindow),
    pointValue: microsText(rule.pointValueMicros, currency),
  };
}

/** The rule in one sentence, without settings that have no effect. */
export function sentenceOfRule(rule: EarningRule): string {
  const words = wordsOfRule(rule);
  const parts = [
    words.earns,
    ...(rule.minimumOrderCents === 0
      ? []
      : [say('rule.sentenceOfRule.ordersLeast', { minimumOrder: words.minimumOrder })]),
    ...(rule.multiplier === 1 ? [] : [words.multiplier]),
    ...(rule.capPerOrderPoints === null
      ? []
      : [say('rule.sentenceOfRule.mostPer', { capPerOrder: words.capPerOrder })]),
    ...(rule.capPerCustomerDayPoints === null
      ? []
      : [
          say('rule.sentenceOfRule.mostPerCustomer', {
            capPerCustomerDay: words.capPerCustomerDay,
          }),
        ]),
    say('rule.sentenceOfRule.claimedWithin', { claimWindow: words.claimWindow }),
  ];
  return `${parts.join(', ')}.`;
}

/** What a rule earns, in short: `10 points for every $1.00`. */
export function earnsWords(rule: EarningRule): string {
  switch (rule.kind) {
    case 'PER_AMOUNT':
      return say('rule.forEvery', {
        points: pointsWords(rule.points),
        unit: moneyText(rule.unitCents, rule.currency),
      });
    case 'FIXED':
      return say('rule.forEveryOrder', { points: pointsWords(rule.points) });
    default:
      return assertNever(rule, 'kind of earning rule');
  }
}

function multiplierWords({ multiplier, campaign }: EarningRule): string {
  if (multiplier === 1) return say('rule.none');
  const times = say('rule.times', { multiplier });
  if (campaign === null) return say('rule.always', { times });
  return say('rule.fromUntilUtc', {
    times,
    startsAt: utcMinuteText(new Date(campaign.startsAt)),
    endsAt: utcMinuteText(new Date(campaign.endsAt)),
  });
}

const capWords = (points: number | null): string =>
  points === null ? say('rule.noLimit') : pointsWords(points);

function claimWindowWords(iso: string): string {
  return Duration.fromISO(iso).reconfigure({ locale: 'en' }).toHuman();
}
