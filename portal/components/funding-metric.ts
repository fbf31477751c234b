import type { Metric } from './components.ts';
import { moneyText, numberText } from './format.ts';

const runwayWords = (days: number | null): string =>
  days === null
    ? 'Nothing is being spent'
    : `Lasts ${days === 1 ? 'a day' : `${numberText(days)} days`}`;

/** The available funding and how long it lasts, unless rewards wait for more. */
export const fundingMetric = (
  {
    fundingCents,
    runwayDays,
    awaitingRewards,
  }: { fundingCents: number; runwayDays: number | null; awaitingRewards: number },
  currency: string,
): Metric => ({
  name: 'Available funding',
  value: moneyText(fundingCents, currency),
  note: awaitingRewards > 0 ? 'Too little for what waits' : runwayWords(runwayDays),
});
