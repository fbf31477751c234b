import { microsText } from '../../domain/money.ts';
import type { Interval, PeriodTerms } from '../../domain/plan-arithmetic.ts';
import { say } from '../words/say.ts';
import { money, number, numberText } from './format.ts';
import type { Part } from './html.ts';

type Fact = readonly [name: string, value: Part];

/** What a plan costs and includes in a whole period. */
export const planFacts = (list: PeriodTerms, interval: Interval, currency: string): Fact[] => [
  [
    interval === 'YEAR' ? say('billing.pricePerYear') : say('billing.pricePerMonth'),
    money(list.priceCents, currency),
  ],
  [
    say('billing.includedPerPeriod'),
    say('billing.points', { includedPoints: numberText(list.includedPoints) }),
  ],
  [say('billing.eachExtraPoint'), microsText(list.overageRateMicrosPerPoint, currency)],
];

/** What the current period costs and includes if the plan changed during it; otherwise nothing. */
export function proratedFacts(list: PeriodTerms, terms: PeriodTerms, currency: string): Fact[] {
  const { priceCents, includedPoints, overageRateMicrosPerPoint } = terms;
  if (priceCents === list.priceCents && includedPoints === list.includedPoints) return [];
  return [
    [
      say('billing.includedPeriod'),
      say('billing.subscription.pointsSince', { includedPoints: number(includedPoints) }),
    ],
    [
      say('billing.pricePeriod'),
      say('billing.subscription.beganUpgrade', { price: money(priceCents, currency) }),
    ],
    [say('billing.subscription.eachExtraPoint'), microsText(overageRateMicrosPerPoint, currency)],
  ];
}
