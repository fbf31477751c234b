import type { MonthSpan } from '../../models/views/usage.ts';
import { section } from './components.ts';
import { dayChart } from './day-chart.ts';
import { day, moneyText, numberText, pointsWords } from './format.ts';
import { type Html, html } from './html.ts';
import { type Metric, metrics } from './metrics.ts';

/** A partner's LIVE figures of this month, compared with the same days of the previous month. */
export function monthPart(
  { now, before }: { now: MonthSpan; before: MonthSpan },
  currency: string,
): Html {
  const money = (cents: number) => moneyText(cents, currency);
  return section(
    'This month',
    html`<p class="muted">LIVE, ${day(new Date(now.from))} to ${day(new Date(now.to))}, compared with ${day(new Date(before.from))} to ${day(new Date(before.to))}. Days are UTC.</p>`,
    metrics([
      {
        ...compared('Purchases', now.purchases, before.purchases, numberText),
        href: `/rewards?from=${now.from}&to=${now.to}`,
      },
      compared('Points', now.points, before.points, numberText),
      claimRate(now, before),
      compared('Cost', now.cents, before.cents, money),
      {
        ...compared('Refused requests', now.refusals, before.refusals, numberText),
        href: `/events?from=${now.from}&to=${now.to}`,
      },
    ]),
    dayChart(
      now.days.map((one) => ({ day: one.day, value: one.points })),
      `Points on each day of this month: ${pointsWords(now.points)} in total, costing ${money(now.cents)}`,
      pointsWords,
    ),
  );
}

function compared(
  name: string,
  now: number,
  before: number,
  wordsOf: (value: number) => string,
): Metric {
  return {
    name,
    value: wordsOf(now),
    note: `${changeWords(now, before)}last month: ${wordsOf(before)}`,
  };
}

/** Such as `+12%, `; empty if there is nothing to compare with. */
function changeWords(now: number, before: number): string {
  if (before <= 0) return '';
  const percent = Math.round((100 * (now - before)) / before);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${numberText(Math.abs(percent))}%, `;
}

function claimRate(now: MonthSpan, before: MonthSpan): Metric {
  const rate = ({ claimed, purchases }: MonthSpan) =>
    purchases === 0 ? '–' : `${Math.round((100 * claimed) / purchases)}%`;
  return {
    name: 'Claim rate',
    value: rate(now),
    note: `claimed so far; last month: ${rate(before)}`,
  };
}
