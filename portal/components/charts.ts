import { scaleBand, scaleLinear } from 'd3-scale';
import type { MonthSpan } from '../../views/usage.ts';
import { type Metric, metrics, section } from './components.ts';
import { day, type Html, html, moneyText, numberText, pointsWords } from './format.ts';

export interface ChartDay {
  /** `yyyy-mm-dd` */
  day: string;
  value: number;
}

const height = 220;
const margin = { top: 12, bottom: 26 };
const ticks = 4;
const labelEveryDays = 7;
const leastShownTop = 4;
const barRadius = 2;

const monthDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const short = (day: string): string => monthDay.format(new Date(day));

/**
 * A bar chart by day, as SVG, with colours from the style sheet, so that it works in light and dark mode. It is
 * as wide as the page: bars are placed in percent, so that texts keep their size.
 * @param days oldest first
 * @param title shown above it
 * @param wordsOf formats a bar's value
 */
export function dayChart(
  days: readonly ChartDay[],
  title: string,
  wordsOf: (value: number) => string,
): Html {
  const x = scaleBand()
    .domain(days.map(({ day }) => day))
    .range([0, 100])
    .padding(0.25);
  const top = Math.max(leastShownTop, ...days.map(({ value }) => value));
  const y = scaleLinear()
    .domain([0, top])
    .nice(ticks)
    .range([height - margin.bottom, margin.top]);
  const wide = `${x.bandwidth()}%`;
  const marks = y.ticks(ticks);
  return html`<figure class="chart-figure"><figcaption>${title}</figcaption><div class="chart-row">
<svg class="chart-axis" height="${height}" aria-hidden="true">${marks.map((mark) => html`<text class="chart-label" x="100%" y="${y(mark)}" dy="0.32em" text-anchor="end">${numberText(mark)}</text>`)}</svg>
<svg class="chart" height="${height}" role="img" aria-label="${title}">
${marks.map((mark) => html`<line class="chart-grid" x1="0" x2="100%" y1="${y(mark)}" y2="${y(mark)}"/>`)}
${days.map(({ day, value }, index) => {
  const from = x(day) ?? 0;
  const isLabelled = (days.length - 1 - index) % labelEveryDays === 0;
  const at = y(Math.max(0, value));
  return html`<g><title>${short(day)}: ${wordsOf(value)}</title><rect class="chart-day" x="${from}%" y="${margin.top}" width="${wide}" height="${height - margin.bottom - margin.top}"/><rect class="chart-bar" x="${from}%" y="${at}" width="${wide}" height="${y(0) - at}" rx="${barRadius}"/>${isLabelled ? html`<text class="chart-label" x="${from + x.bandwidth() / 2}%" y="${height - 6}" text-anchor="middle">${short(day)}</text>` : ''}</g>`;
})}</svg></div></figure>`;
}

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
        href: `/orders?from=${now.from}&to=${now.to}`,
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
