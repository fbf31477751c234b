import type { PointsExplanation } from '../../domain/explain-points.ts';
import { money, number } from './format.ts';
import { type Html, html } from './html.ts';

/** Why a reward has that many points, and what they cost: in a sentence, and step by step. */
export function whyPoints({ sentence, steps, cost }: PointsExplanation, currency: string): Html {
  return html`<p>${sentence}</p><div class="scroll sums" role="region" aria-label="The sum" tabindex="0"><table><caption class="hidden">The sum</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Sum</th><th scope="col" class="cell-number">After it</th></tr></thead>
<tbody>${steps.map(
    ({ what, calculation, points }) =>
      html`<tr><td>${what}</td><td>${calculation}</td><td class="cell-number">${number(points)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Cost</th><td>${cost.calculation}</td><td class="cell-number">${money(cost.cents, currency)}</td></tr></tfoot></table></div>`;
}
