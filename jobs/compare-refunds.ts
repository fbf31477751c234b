import { formatCents } from '../domain/money.ts';
import { type OrderFault, type RefundRow, refundRepairOf } from '../domain/orders.ts';
import { externalIdIndexes, type OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { ComparisonJob } from '../models/schemas/jobs.ts';

type Refund = Pick<OrderEventDoc, '_id' | 'externalOrderId' | 'externalRefundId' | 'amountCents'>;

/**
 * Compares refunds of a file with those that the integration reported; at most one fault per row.
 * @param rowOf the first row of each refund, which is added to
 */
export async function faultsOfRefunds(
  models: Models,
  { partnerId, mode, input: { integrationId } }: ComparisonJob,
  rows: readonly RefundRow[],
  rowOf: Map<string, number>,
): Promise<OrderFault[]> {
  if (rows.length === 0) return [];
  for (const { externalRefundId, row } of rows) {
    if (!rowOf.has(externalRefundId)) rowOf.set(externalRefundId, row);
  }
  const ofSource = { partnerId, mode, integrationId };
  const { collection } = models.orderEvents;
  const found = await collection
    .find<Refund>(
      {
        ...ofSource,
        externalRefundId: { $in: rows.map((row) => row.externalRefundId) },
        type: 'REFUND',
      },
      {
        projection: { externalOrderId: 1, externalRefundId: 1, amountCents: 1 },
        hint: externalIdIndexes.refund,
      },
    )
    .toArray();
  const reported = new Map(found.map((event) => [event.externalRefundId, event]));
  const orderIds = [...rows, ...found].map(({ externalOrderId }) => externalOrderId);
  const purchases = await collection
    .find<Pick<OrderEventDoc, 'externalOrderId' | 'purchase'>>(
      { ...ofSource, externalOrderId: { $in: orderIds }, type: 'PURCHASE' },
      { projection: { externalOrderId: 1, 'purchase.currency': 1 }, hint: externalIdIndexes.order },
    )
    .toArray();
  const currencyOf = new Map(
    purchases.map(({ externalOrderId, purchase }) => [externalOrderId, purchase?.currency]),
  );
  return rows.flatMap((row): OrderFault[] => {
    const { externalOrderId, externalRefundId } = row;
    const heading = { externalOrderId, externalRefundId, row: row.row, eventId: null };
    const first = rowOf.get(externalRefundId);
    if (first !== row.row) {
      const what = `the refund is already in row ${first}`;
      return [{ kind: 'DUPLICATE', ...heading, what, repair: null }];
    }
    const refund = reported.get(externalRefundId);
    if (refund === undefined) {
      const what = currencyOf.has(externalOrderId)
        ? 'the refund was never reported'
        : 'the refund was never reported, nor was its order: report that first';
      return [{ kind: 'MISSING', ...heading, what, repair: refundRepairOf(row) }];
    }
    const differences = differencesOf(row, refund, currencyOf.get(refund.externalOrderId) ?? '');
    if (differences.length === 0) return [];
    const { _id: eventId } = refund;
    const what = differences.join('; ');
    return [{ kind: 'MISMATCHED', ...heading, eventId, what, repair: null }];
  });
}

function differencesOf(row: RefundRow, refund: Refund, currency: string): string[] {
  const differences: string[] = [];
  const differ = (what: string, inFile: string, inReport: string) =>
    differences.push(`${what}: ${inFile} in the file, ${inReport} reported`);
  if (refund.externalOrderId !== row.externalOrderId) {
    differ('order', row.externalOrderId, refund.externalOrderId);
  }
  const { amountCents = null } = refund;
  if (row.amountCents !== null && amountCents !== null && row.amountCents !== amountCents) {
    differ('amount', formatCents(row.amountCents, currency), formatCents(amountCents, currency));
  }
  return differences;
}
