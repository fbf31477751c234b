import { scaleBand, scaleLinear } from 'd3-scale';
import { lastHours, trafficHours, type WebhookTraffic } from '../../domain/webhooks.ts';
import { type Html, html, nothing, numberText } from './format.ts';

const width = 480;
const barsHeight = 56;
const lineHeight = 28;
const gap = 6;
const height = barsHeight + gap + lineHeight;
/** The scale's minimum, so that a single attempt does not fill the column. */
const leastShownTop = 5;
const leastShownTopMs = 100;

const isQuiet = (traffic: WebhookTraffic, nowMs: number): boolean =>
  lastHours(traffic, nowMs).every(({ succeeded, failed }) => succeeded + failed === 0);

/** A legend for the chart; empty if the chart is. */
export const sparkLegend = (traffic: WebhookTraffic, nowMs: number): Html =>
  isQuiet(traffic, nowMs)
    ? nothing
    : html`<p class="muted after">${trafficWords(traffic, nowMs)}. Columns show attempts per hour, with failed ones on top; the line shows response times.</p>`;

/** A summary of the attempts of the last two days. */
function trafficWords(traffic: WebhookTraffic, nowMs: number): string {
  const hours = lastHours(traffic, nowMs);
  const sum = (of: 'succeeded' | 'failed' | 'durationMs') =>
    hours.reduce((all, hour) => all + hour[of], 0);
  const [succeeded, failed] = [sum('succeeded'), sum('failed')];
  const tries = succeeded + failed;
  const percent = Math.floor((succeeded / tries) * 1000) / 10;
  return `${percent}% of ${numberText(tries)} succeeded, in ${numberText(Math.round(sum('durationMs') / tries))} ms on average`;
}

/**
 * A chart of an endpoint's responses by hour, as SVG: a column of attempts with failures on top, and a line
 * of durations. Colours come from the style sheet, so that it works in light and dark mode.
 */
export function webhookSpark(traffic: WebhookTraffic, nowMs: number): Html {
  const hours = lastHours(traffic, nowMs);
  const x = scaleBand()
    .domain(hours.map(({ hour }) => hour))
    .range([0, width])
    .padding(0.2);
  const triesOf = (one: (typeof hours)[number]) => one.succeeded + one.failed;
  const y = scaleLinear()
    .domain([0, Math.max(leastShownTop, ...hours.map(triesOf))])
    .range([barsHeight, 0]);
  const answered = hours
    .filter((one) => triesOf(one) > 0)
    .map((one) => ({ hour: one.hour, ms: one.durationMs / triesOf(one) }));
  const latency = scaleLinear()
    .domain([0, Math.max(leastShownTopMs, ...answered.map(({ ms }) => ms))])
    .range([height - 2, barsHeight + gap]);
  const middle = (hour: string) => (x(hour) ?? 0) + x.bandwidth() / 2;
  if (answered.length === 0) {
    return html`<span class="muted">nothing sent</span>`;
  }
  const points = answered.map(({ hour, ms }) => `${middle(hour)},${latency(ms)}`);
  const title = `Last ${trafficHours} hours: ${trafficWords(traffic, nowMs)}`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><title>${title}</title>
<line class="chart-grid" x1="0" x2="${width}" y1="${barsHeight}" y2="${barsHeight}"/>
${hours.map((one) => {
  const tries = triesOf(one);
  if (tries === 0) return nothing;
  const [left, goodTop, top] = [x(one.hour) ?? 0, y(one.succeeded), y(tries)];
  return html`<g><title>${one.hour.slice(5).replace('T', ', ')}:00 UTC: ${one.succeeded} succeeded, ${one.failed} failed, ${Math.round(one.durationMs / tries)} ms</title><rect class="spark-good" x="${left}" y="${goodTop}" width="${x.bandwidth()}" height="${barsHeight - goodTop}"/><rect class="spark-bad" x="${left}" y="${top}" width="${x.bandwidth()}" height="${goodTop - top}"/></g>`;
})}
${points.length > 1 ? html`<polyline class="spark-line" points="${points.join(' ')}"/>` : nothing}${answered.map(({ hour, ms }) => html`<circle class="spark-dot" cx="${middle(hour)}" cy="${latency(ms)}" r="1.8"/>`)}</svg>`;
}
