import { say } from '../words/say.ts';
import { moneyText } from './format.ts';
import type { Metric } from './metrics.ts';

const runwayWords = (days: number | null): string =>
  days === null ? say('fundingMetric.runway.text') : say('fundingMetric.lasts', { days });

/** The free funding and how long it lasts. */
export const fundingMetric = (
  { fundingCents, runwayDays }: { fundingCents: number; runwayDays: number | null },
  currency: string,
): Metric => ({
  name: say('fundingMetric.freeFunding'),
  value: moneyText(fundingCents, currency),
  note: runwayWords(runwayDays),
});
