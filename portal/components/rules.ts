import type { EarningRule } from '../../domain/earning-rules.ts';
import {
  computePoints,
  explainPoints,
  maxSubtotalCents,
  type PointsExplanation,
} from '../../domain/points.ts';
import { liabilityCentsOf } from '../../domain/postings.ts';
import { namedRuleParts, wordsOfRule } from '../words/rule-words.ts';
import { definitions, table } from './components.ts';
import { type Html, html, money, moneyText, number, pointsWords } from './format.ts';

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

const usualOrdersCents = [1_000, 4_990, 25_000] as const;

/** Orders for worked examples: small, average and large, all of which reach the minimum. */
export function exampleSubtotals(minimumOrderCents: number): number[] {
  let scale = 1;
  while (usualOrdersCents[0] * scale < minimumOrderCents) scale *= 10;
  return usualOrdersCents.map((cents) => Math.min(cents * scale, maxSubtotalCents));
}

/** The settings of a rule. */
export function ruleFacts(rule: EarningRule): Html {
  const words = wordsOfRule(rule);
  return definitions(namedRuleParts().map(([part, name]) => [name, words[part]]));
}

/** What an order earns at an instant, with the daily limit not yet used. */
function earnedBy(rule: EarningRule, subtotalCents: number, atMs: number) {
  const sum = computePoints(rule, subtotalCents, atMs, rule.capPerCustomerDayPoints);
  const costCents = liabilityCentsOf(sum.points, rule);
  const { sentence } = explainPoints(sum, rule, costCents);
  return { points: sum.points, costCents, sentence };
}

/** What three orders would earn now, explained like the points of a reward. */
export function workedExamples(rule: EarningRule, atMs: number): Html {
  const { currency } = rule;
  const rows = exampleSubtotals(rule.minimumOrderCents).map((cents) => ({
    cents,
    ...earnedBy(rule, cents, atMs),
  }));
  return table({
    caption: 'Worked examples',
    columns: {
      Order: { number: ({ cents }) => money(cents, currency) },
      Points: { number: ({ points }) => points },
      'Costs you': { number: ({ costCents }) => money(costCents, currency) },
      Why: { text: ({ sentence }) => html`<span class="muted">${sentence}</span>` },
    },
    rows,
  });
}

/**
 * The differences between two rules: setting by setting, and in what three orders earn.
 * @param current null if there is none
 */
export function ruleDiff(current: EarningRule | null, next: EarningRule, atMs: number): Html {
  const [now, then] = [current && wordsOfRule(current), wordsOfRule(next)];
  const changed = (before: string | undefined, after: string) =>
    before === after ? html`${after}` : html`<ins>${after}</ins>`;
  return html`<div class="compare">${table({
    caption: 'What changes',
    columns: {
      '': ([, name]) => html`<span class="muted">${name}</span>`,
      Now: ([part]) =>
        now === null
          ? html`<span class="muted">–</span>`
          : now[part] === then[part]
            ? now[part]
            : html`<del>${now[part]}</del>`,
      Then: ([part]) => changed(now?.[part], then[part]),
    },
    rows: namedRuleParts(),
  })}<h3>What an order earns</h3>${table({
    caption: 'What an order earns under each rule',
    columns: {
      Order: (cents) => moneyText(cents, next.currency),
      Now: (cents) => earnedWords(current && earnedBy(current, cents, atMs), next.currency),
      Then: (cents) => {
        const before = earnedWords(current && earnedBy(current, cents, atMs), next.currency);
        return changed(before, earnedWords(earnedBy(next, cents, atMs), next.currency));
      },
    },
    rows: exampleSubtotals(Math.max(current?.minimumOrderCents ?? 0, next.minimumOrderCents)),
  })}</div>`;
}

function earnedWords(earned: { points: number; costCents: number } | null, currency: string) {
  if (earned === null) return 'refused';
  return `${pointsWords(earned.points)}, ${moneyText(earned.costCents, currency)}`;
}

/** Whether two rules have the same terms. */
export function isSameRule(one: EarningRule, other: EarningRule): boolean {
  const terms = ({ ruleId: _, partnerId: __, mode: ___, ...rest }: EarningRule) =>
    JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => a.localeCompare(b)));
  return terms(one) === terms(other);
}
