import { formatCents } from './money.ts';
import type { OrderRow } from './order-file.ts';

/**
 * What is wrong with an order: it stands in the file and was never reported, or the other way round;
 * it stands in the file more than once; or the two say different things of it.
 */
export const orderFaultKinds = ['MISSING', 'NOT_IN_FILE', 'DUPLICATE', 'MISMATCHED'] as const;
export type OrderFaultKind = (typeof orderFaultKinds)[number];

export interface OrderFault {
  kind: OrderFaultKind;
  externalOrderId: string;
  /** In the file; null for what is not in it. */
  row: number | null;
  /** Of the purchase; null for what was never reported. */
  eventId: string | null;
  /** In words. */
  what: string;
}

/** A purchase as it was reported. */
export interface ReportedOrder {
  eventId: string;
  externalOrderId: string;
  subtotalCents: number;
  currency: string;
  /** ISO 8601; null where the partner did not say. */
  occurredAt: string | null;
  isRefunded: boolean;
}

/** In what an order of the file and the report of it differ, in words; what one of them leaves open does not count. */
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

/** Files have seldom more than seconds. */
function secondsOf(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
