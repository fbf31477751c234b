import { reversedOf } from '../../domain/redemption.ts';
import type { RedemptionDoc, RedemptionEventDoc } from '../../models/schemas/redemptions.ts';
import {
  badge,
  type Columns,
  code,
  codeBlock,
  type Definition,
  emptyState,
  table,
  wordsOf,
} from './components.ts';
import { day, exactTime, type Html, html, money, number, time } from './format.ts';

/** @param pathOf the page of a redemption @param withMode whether they are of both modes */
export const redemptionColumns = (
  pathOf: (redemptionId: string) => string,
  { withMode = false } = {},
): Columns<RedemptionDoc> => ({
  Redemption: ({ _id, externalRedemptionId }) =>
    html`<a class="clip" href="${pathOf(_id)}">${externalRedemptionId}</a>`,
  Order: ({ externalOrderId }) => externalOrderId ?? html`<span class="muted">–</span>`,
  Mode: withMode && (({ mode }) => badge(mode)),
  State: ({ status }) => badge(status),
  Points: { number: ({ points }) => number(points) },
  'Paid for': { number: ({ amountCents, currency }) => money(amountCents, currency) },
  When: ({ createdAt }) => time(createdAt),
});

/** Where a customer's points went, newest first. @param withMode whether they are of both modes */
export const tableOfRedemptions = (
  rows: readonly RedemptionDoc[],
  pathOf: (redemptionId: string) => string,
  of: { withMode?: boolean } = {},
): Html =>
  table({
    caption: 'Redemptions',
    columns: redemptionColumns(pathOf, of),
    rows,
    empty: noRedemptions(),
  });

export const noRedemptions = (): Html =>
  emptyState('No points spent yet', 'What is paid with points appears here.');

/** What a redemption is of, for its page. */
export function redemptionFacts(redemption: RedemptionDoc): Definition[] {
  const { _id, externalRedemptionId, externalOrderId, currency, expiresAt } = redemption;
  const { points, amountCents, owedCents } = redemption;
  const back = reversedOf(redemption);
  return [
    ['Redemption', code(externalRedemptionId, { canCopy: true })],
    ['ID', code(_id, { canCopy: true })],
    ['Order', externalOrderId ?? html`<span class="muted">–</span>`],
    ['Points', number(points)],
    ['Paid for', money(amountCents, currency)],
    ...(back.points === 0 && back.amountCents === 0
      ? []
      : [
          [
            'Given back',
            html`${number(back.points)} points for ${money(back.amountCents, currency)}`,
          ] as const,
        ]),
    ['Cost of the points', money(owedCents, currency)],
    ...(expiresAt === null ? [] : [['Held until', time(expiresAt)] as const]),
  ];
}

/** What the shop asked, with each response. */
export const redemptionRequests = (events: readonly RedemptionEventDoc[]): Html =>
  events.length === 0
    ? html`<p class="muted">An operator redeemed the points.</p>`
    : html`${events.map(
        ({ _id, type, receivedAt, request, answer }) =>
          html`<details class="more"><summary>${wordsOf(type)}, ${exactTime(receivedAt)}</summary><p class="muted"><code>${request.method} ${request.path}</code>, status ${request.status}, event <code>${_id}</code>. A retry with the same Idempotency-Key gets the same bytes.</p>${codeBlock(JSON.stringify(JSON.parse(answer), null, 2), 'Response')}</details>`,
      )}`;

/** What of a customer's points can be spent, if open reviews may take some back. */
export const underReview = (points: number, spendablePoints: number): [string, Html][] =>
  spendablePoints < points
    ? [['Can be spent now', html`${number(spendablePoints)}, the rest is under review`]]
    : [];

/** When some of a customer's points end, and how many have, if any. */
export function endingRows(
  ending: { at: Date; points: number } | null,
  endedPoints: number,
): [string, Html][] {
  const rows: [string, Html][] = [];
  if (ending)
    rows.push(['End without activity', html`${number(ending.points)}, ${day(ending.at)}`]);
  if (endedPoints > 0) rows.push(['Ended without activity', number(endedPoints)]);
  return rows;
}
