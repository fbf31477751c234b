import type { PointsExplanation } from '../../domain/points.ts';
import { money, number } from './format.ts';
import { type Html, html } from './html.ts';

/** How a reward's points and cost were calculated, as a sentence and step by step. */
export function whyPoints({ sentence, steps, cost }: PointsExplanation, currency: string): Html {
  return html`<p>${sentence}</p><div class="scroll sums" role="region" aria-label="Calculation" tabindex="0"><table><caption class="hidden">Calculation</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Calculation</th><th scope="col" class="cell-number">Result</th></tr></thead>
<tbody>${steps.map(
    ({ what, calculation, points }) =>
      html`<tr><td>${what}</td><td>${calculation}</td><td class="cell-number">${number(points)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Cost</th><td>${cost.calculation}</td><td class="cell-number">${money(cost.cents, currency)}</td></tr></tfoot></table></div>`;
}
