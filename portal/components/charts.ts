import { scaleBand, scaleLinear } from 'd3-scale';
import type { MonthSpan } from '../../models/views/usage.ts';
import { type Metric, metrics, section } from './components.ts';
import { day, type Html, html, moneyText, numberText, pointsWords } from './format.ts';

export interface ChartDay {
  /** `yyyy-mm-dd` */
  day: string;
  value: number;
}

const width = 720;
const height = 220;
const margin = { top: 12, right: 20, bottom: 24, left: 52 };
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
 * A bar chart by day, as SVG, with colours from the style sheet, so that it works in light and dark mode.
 * @param days oldest first
 * @param title a description for screen readers
 * @param wordsOf formats a bar's value
 */
export function dayChart(
  days: readonly ChartDay[],
  title: string,
  wordsOf: (value: number) => string,
): Html {
  const x = scaleBand()
    .domain(days.map(({ day }) => day))
    .range([margin.left, width - margin.right])
    .padding(0.25);
  const top = Math.max(leastShownTop, ...days.map(({ value }) => value));
  const y = scaleLinear()
    .domain([0, top])
    .nice(ticks)
    .range([height - margin.bottom, margin.top]);
  const half = x.bandwidth() / 2;
  return html`<div class="chart-scroll" role="region" aria-label="Chart" tabindex="0"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><title>${title}</title>
${y
  .ticks(ticks)
  .map(
    (tick) =>
      html`<g><line class="chart-grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="chart-label" x="${margin.left - 8}" y="${y(tick)}" dy="0.32em" text-anchor="end">${numberText(tick)}</text></g>`,
  )}
${days.map(({ day, value }, index) => {
  const left = x(day) ?? 0;
  const isLabelled = (days.length - 1 - index) % labelEveryDays === 0;
  const at = y(Math.max(0, value));
  return html`<g><title>${short(day)}: ${wordsOf(value)}</title><rect class="chart-day" x="${left}" y="${margin.top}" width="${x.bandwidth()}" height="${height - margin.bottom - margin.top}"/><rect class="chart-bar" x="${left}" y="${at}" width="${x.bandwidth()}" height="${y(0) - at}" rx="${barRadius}"/>${isLabelled ? html`<text class="chart-label" x="${left + half}" y="${height - 6}" text-anchor="middle">${short(day)}</text>` : ''}</g>`;
})}</svg></div>`;
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
