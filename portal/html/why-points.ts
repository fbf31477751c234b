import type { PointsExplanation } from '../../domain/explain-points.ts';
import { say } from '../words/say.ts';
import { money, number } from './format.ts';
import { type Html, html } from './html.ts';

/** How a reward's points and cost were calculated, as a sentence and step by step. */
export function whyPoints({ sentence, steps, cost }: PointsExplanation, currency: string): Html {
  return html`<p>${sentence}</p><div class="scroll sums" role="region" aria-label="${say('whyPoints.calculation')}" tabindex="0"><table><caption class="hidden">${say('whyPoints.calculation')}</caption>
<thead><tr><th scope="col">${say('whyPoints.step')}</th><th scope="col">${say('whyPoints.column.calculation')}</th><th scope="col" class="cell-number">${say('whyPoints.result')}</th></tr></thead>
<tbody>${steps.map(
    ({ what, calculation, points }) =>
      html`<tr><td>${what}</td><td>${calculation}</td><td class="cell-number">${number(points)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">${say('whyPoints.cost')}</th><td>${cost.calculation}</td><td class="cell-number">${money(cost.cents, currency)}</td></tr></tfoot></table></div>`;
}
