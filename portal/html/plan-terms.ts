import type { Interval, PeriodTerms } from '../../domain/billing.ts';
import { microsText } from '../../domain/money.ts';
import { money, number, numberText } from './format.ts';
import { html, type Part } from './html.ts';

type Fact = readonly [name: string, value: Part];

/** What a plan costs and includes in a whole period. */
export const planFacts = (list: PeriodTerms, interval: Interval, currency: string): Fact[] => [
  [interval === 'YEAR' ? 'Price per year' : 'Price per month', money(list.priceCents, currency)],
  ['Included per period', `${numberText(list.includedPoints)} points`],
  ['Each extra point', microsText(list.overageRateMicrosPerPoint, currency)],
];

/** What the current period costs and includes if the plan changed during it; otherwise nothing. */
export function proratedFacts(list: PeriodTerms, terms: PeriodTerms, currency: string): Fact[] {
  const { priceCents, includedPoints, overageRateMicrosPerPoint } = terms;
  if (priceCents === list.priceCents && includedPoints === list.includedPoints) return [];
  return [
    [
      'Included in this period',
      html`${number(includedPoints)} points, because the plan changed during the period`,
    ],
    [
      'Price of this period',
      html`${money(priceCents, currency)} at its start; the upgrade is invoiced separately`,
    ],
    ['Each extra point in this period', microsText(overageRateMicrosPerPoint, currency)],
  ];
}
