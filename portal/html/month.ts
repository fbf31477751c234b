import { countLimit } from '../../models/views/dashboard.ts';
import type { MonthSpan } from '../../models/views/month.ts';
import { maxTotalled } from '../../models/views/partner-rewards.ts';
import { section } from './components.ts';
import { dayChart } from './day-chart.ts';
import { day, moneyText, numberText, pointsWords } from './format.ts';
import { type Html, html } from './html.ts';
import { type Metric, metrics } from './metrics.ts';

/** A partner's LIVE month at a glance, beside the same days of the month before. */
export function monthPart(
  { now, before }: { now: MonthSpan; before: MonthSpan },
  currency: string,
): Html {
  const money = (cents: number) => moneyText(cents, currency);
  return section(
    'This month',
    html`<p class="muted">LIVE, ${day(new Date(now.from))} to ${day(new Date(now.to))}, beside ${day(new Date(before.from))} to ${day(new Date(before.to))}. UTC days.</p>`,
    metrics([
      {
        ...compared('Purchases', now.purchases, before.purchases, upTo(maxTotalled), maxTotalled),
        href: `/rewards?from=${now.from}&to=${now.to}`,
      },
      compared('Points', now.points, before.points, numberText),
      claimRate(now, before),
      compared('Cost', now.cents, before.cents, money),
      {
        ...compared(
          'Refused requests',
          now.refusals,
          before.refusals,
          upTo(countLimit),
          countLimit,
        ),
        href: `/events?from=${now.from}&to=${now.to}`,
      },
    ]),
    dayChart(
      now.days.map((one) => ({ day: one.day, value: one.points })),
      `Points of each day of this month: ${pointsWords(now.points)} in all, for ${money(now.cents)}`,
      pointsWords,
    ),
  );
}

/** What is counted up to a limit alone. */
const upTo = (limit: number) => (value: number) =>
  value >= limit ? `at least ${numberText(limit)}` : numberText(value);

function compared(
  name: string,
  now: number,
  before: number,
  wordsOf: (value: number) => string,
  limit = Number.POSITIVE_INFINITY,
): Metric {
  const isKnown = Math.max(now, before) < limit;
  return {
    name,
    value: wordsOf(now),
    note: `${isKnown ? changeWords(now, before) : ''}last month: ${wordsOf(before)}`,
  };
}

/** `+12 %, `; nothing where there was nothing to compare with. */
function changeWords(now: number, before: number): string {
  if (before <= 0) return '';
  const percent = Math.round((100 * (now - before)) / before);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${numberText(Math.abs(percent))} %, `;
}

function claimRate(now: MonthSpan, before: MonthSpan): Metric {
  const rate = ({ claimed, purchases }: MonthSpan) =>
    purchases === 0 ? '–' : `${Math.round((100 * claimed) / purchases)} %`;
  const isCut = Math.max(now.purchases, before.purchases) >= maxTotalled;
  return {
    name: 'Claim rate',
    value: rate(now),
    note: `claimed so far${isCut ? `, of the newest ${numberText(maxTotalled)}` : ''}; last month: ${rate(before)}`,
  };
}
