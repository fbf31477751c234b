import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import { badge, type Columns, emptyState, table } from './components.ts';
import { type Html, html, money, number, time } from './format.ts';

/** @param withMode whether they are of both modes */
export const redemptionColumns = ({ withMode = false } = {}): Columns<RedemptionDoc> => ({
  Redemption: ({ externalRedemptionId }) => externalRedemptionId,
  Order: ({ externalOrderId }) => externalOrderId ?? html`<span class="muted">–</span>`,
  Mode: withMode && (({ mode }) => badge(mode)),
  State: ({ status }) => badge(status),
  Points: { number: ({ points }) => number(points) },
  'Paid for': { number: ({ amountCents, currency }) => money(amountCents, currency) },
  When: ({ createdAt }) => time(createdAt),
});

/** Where a customer's points went, newest first. @param withMode whether they are of both modes */
export const redemptionTable = (
  rows: readonly RedemptionDoc[],
  of: { withMode?: boolean } = {},
): Html =>
  table({ caption: 'Redemptions', columns: redemptionColumns(of), rows, empty: noRedemptions() });

export const noRedemptions = (): Html =>
  emptyState('No points spent yet', 'What is paid with points appears here.');
