import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import { badge, emptyState, table } from './components.ts';
import { type Html, html, money, number, time } from './format.ts';

/** Where points went: redemptions, newest first. @param withMode whether they are of both modes */
export function redemptionTable(
  rows: readonly RedemptionDoc[],
  { withMode = false, empty = noneYet() }: { withMode?: boolean; empty?: Html } = {},
): Html {
  return table({
    caption: 'Redemptions',
    columns: [
      { heading: 'Redemption', cell: (one) => one.externalRedemptionId },
      {
        heading: 'Order',
        cell: (one) => one.externalOrderId ?? html`<span class="muted">–</span>`,
      },
      ...(withMode ? [{ heading: 'Mode', cell: (one: RedemptionDoc) => badge(one.mode) }] : []),
      { heading: 'State', cell: (one) => badge(one.status) },
      { heading: 'Points', cell: (one) => number(one.points), isNumber: true },
      {
        heading: 'Paid for',
        cell: (one) => money(one.amountCents, one.currency),
        isNumber: true,
      },
      { heading: 'When', cell: (one) => time(one.createdAt) },
    ],
    rows,
    empty,
  });
}

const noneYet = () =>
  emptyState('No points spent yet', 'What customers pay with points appears here.');
