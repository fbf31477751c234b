import { formatCents } from '../../domain/money.ts';
import { type OrderFault, type RefundRow, refundOf } from '../../domain/orders.ts';
import { externalIdIndexes, type OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { ComparisonJob } from '../schemas/jobs.ts';

type Refund = Pick<OrderEventDoc, '_id' | 'externalOrderId' | 'externalRefundId' | 'answer'>;

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
        projection: { externalOrderId: 1, externalRefundId: 1, answer: 1 },
        hint: externalIdIndexes.refund,
      },
    )
    .toArray();
  const reported = new Map(found.map((event) => [event.externalRefundId, event]));
  const missing = rows.filter(({ externalRefundId }) => !reported.has(externalRefundId));
  const purchases = await collection
    .find<Refund>(
      {
        ...ofSource,
        externalOrderId: { $in: missing.map((row) => row.externalOrderId) },
        type: 'PURCHASE',
      },
      { projection: { externalOrderId: 1 }, hint: externalIdIndexes.order },
    )
    .toArray();
  const bought = new Set(purchases.map(({ externalOrderId }) => externalOrderId));
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
      const what = bought.has(externalOrderId)
        ? 'the refund was never reported'
        : 'the refund was never reported, nor was its order: report that first';
      return [{ kind: 'MISSING', ...heading, what, repair: refundOf(row) }];
    }
    const differences = differencesOf(row, refund);
    if (differences.length === 0) return [];
    const { _id: eventId } = refund;
    const what = differences.join('; ');
    return [{ kind: 'MISMATCHED', ...heading, eventId, what, repair: null }];
  });
}

function differencesOf(row: RefundRow, refund: Refund): string[] {
  const differences: string[] = [];
  if (refund.externalOrderId !== row.externalOrderId) {
    const [inFile, inReport] = [row.externalOrderId, refund.externalOrderId];
    differences.push(`order: ${inFile} in the file, ${inReport} reported`);
  }
  const amountCents = refundedCentsOf(refund);
  if (row.amountCents !== null && amountCents !== null && row.amountCents !== amountCents) {
    const [inFile, inReport] = [formatCents(row.amountCents), formatCents(amountCents)];
    differences.push(`amount: ${inFile} in the file, ${inReport} reported`);
  }
  return differences;
}

/** What was refunded, by the response to it; null if that does not say. */
function refundedCentsOf({ answer }: Refund): number | null {
  const { refund } = JSON.parse(answer) as { refund?: { amountCents?: number } };
  return refund?.amountCents ?? null;
}
