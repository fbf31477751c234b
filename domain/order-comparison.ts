import { formatCents } from './money.ts';
import type { OrderRow } from './order-file.ts';

/**
 * What can be wrong with an order: it is in the file and was never reported, or was reported and is
 * not in the file; it is in the file more than once; or file and report differ.
 */
export const orderFaultKinds = ['MISSING', 'NOT_IN_FILE', 'DUPLICATE', 'MISMATCHED'] as const;
export type OrderFaultKind = (typeof orderFaultKinds)[number];

export interface OrderFault {
  kind: OrderFaultKind;
  externalOrderId: string;
  /** The row in the file; null if it is not in the file. */
  row: number | null;
  /** The event of the purchase; null if it was never reported. */
  eventId: string | null;
  /** A description for people. */
  what: string;
}

export interface ReportedOrder {
  eventId: string;
  externalOrderId: string;
  subtotalCents: number;
  currency: string;
  /** ISO 8601; null where the partner did not say. */
  occurredAt: string | null;
  isRefunded: boolean;
}

/**
 * The differences between an order in the file and as it was reported, for people. A field that one
 * of them lacks is not compared.
 */
export function differencesOf(row: OrderRow, reported: ReportedOrder): string[] {
  const differences: string[] = [];
  const differ = (what: string, inFile: string, inReport: string) =>
    differences.push(`${what}: ${inFile} in the file, ${inReport} reported`);
  if (row.subtotalCents !== reported.subtotalCents) {
    differ('subtotal', formatCents(row.subtotalCents), formatCents(reported.subtotalCents));
  }
  if (row.currency !== null && row.currency !== reported.currency) {
    differ('currency', row.currency, reported.currency);
  }
  const { occurredAt } = reported;
  if (row.occurredAt !== null && occurredAt !== null) {
    const [inFile, inReport] = [secondsOf(row.occurredAt), secondsOf(occurredAt)];
    if (inFile !== inReport) differ('occurredAt', inFile, inReport);
  }
  if (row.refunded !== null && row.refunded !== reported.isRefunded) {
    const words = (isRefunded: boolean) => (isRefunded ? 'refunded' : 'not refunded');
    differ('refund', words(row.refunded), words(reported.isRefunded));
  }
  return differences;
}

/** To the second, since few files are more precise. */
function secondsOf(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
