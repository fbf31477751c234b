import { scaleBand, scaleLinear } from 'd3-scale';
import { numberText } from './format.ts';
import { type Html, html } from './html.ts';

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
