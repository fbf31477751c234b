import { type Html, html, nothing, type Part } from './html.ts';

/** A figure with an explanation. */
export interface Metric {
  name: string;
  value: string;
  note?: Part;
  /** A page with details. */
  href?: string;
}

/** A row of figures. */
export function metrics(all: readonly Metric[]): Html {
  return html`<dl class="metrics">${all.map(
    ({ name, value, note, href }) =>
      html`<div><dt>${name}</dt><dd class="metric-value number">${href ? html`<a href="${href}">${value}</a>` : value}</dd>${note ? html`<dd class="metric-note">${note}</dd>` : nothing}</div>`,
  )}</dl>`;
}
