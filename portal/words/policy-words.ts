import type { Judged, PolicyTerms } from '../../domain/refund-policy.ts';
import { moneyText, numberText, plural, pointsWords } from '../components/format.ts';

/** The terms of a policy, with the currency of its amounts. */
export type ShownPolicy = Omit<PolicyTerms, 'partnerId' | 'mode'> & { currency: string };

/** What a policy upholds, as a sentence. */
export function policySentence(policy: ShownPolicy): string {
  const { maxCents, perCustomer, withinDays, currency } = policy;
  const conditions = [
    'the customer still has all the points',
    ...(maxCents === null ? [] : [`they cost at most ${moneyText(maxCents, currency)}`]),
    ...(perCustomer === null
      ? []
      : [
          `it is at most refund ${numberText(perCustomer.count)} of the customer in ${plural(perCustomer.days, 'day', 'days')}`,
        ]),
    ...(withinDays === null
      ? []
      : [`it is reported within ${plural(withinDays, 'day', 'days')} of the purchase`]),
  ];
  const listed = new Intl.ListFormat('en', { type: 'conjunction' }).format(conditions);
  return `A refund of a claimed reward is upheld without an operator if ${listed}. The points are taken back ${plural(policy.graceHours, 'hour', 'hours')} later, unless an operator decides otherwise before.`;
}

/** A condition and what it was about: what it asks, and how it was. */
export function judgedWords(
  { condition, limit, value }: Judged,
  currency: string,
): { asks: string; was: string } {
  switch (condition) {
    case 'HAS_POINTS':
      return { asks: `The customer has ${pointsWords(limit)}`, was: pointsWords(value) };
    case 'MAX_CENTS':
      return {
        asks: `They cost at most ${moneyText(limit, currency)}`,
        was: moneyText(value, currency),
      };
    case 'PER_CUSTOMER':
      return {
        asks: `At most ${plural(limit, 'refund', 'refunds')} of the customer in the days of the policy`,
        was: `this is number ${numberText(value)}`,
      };
    case 'WITHIN_DAYS':
      return {
        asks: `Within ${plural(limit, 'day', 'days')} of the purchase`,
        was: plural(value, 'day', 'days'),
      };
  }
}
