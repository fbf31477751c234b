import type { Platform } from './connections.ts';
import type { OrderColumnNames, OrderColumns } from './orders.ts';

/** The lists of orders that platforms export by themselves (docs/integrate/reconciliation.md, Exports of shops). */

export interface ShopExport {
  platform: Platform;
  /** The columns by which it is known, as the platform names them. */
  header: readonly string[];
  names: OrderColumnNames;
  /** The column with the status of the payment. */
  status: string;
  /** Statuses, in lower case, of what was never paid, and so was not reported. */
  unpaid: readonly string[];
  /** The column that names the order in the rows of its further items, which have no id. */
  items: string | null;
}

const shopExports: readonly ShopExport[] = [
  {
    platform: 'SHOPIFY',
    header: ['Name', 'Financial Status', 'Subtotal', 'Currency', 'Lineitem quantity', 'Id'],
    names: {
      externalOrderId: 'Id',
      subtotal: 'Subtotal',
      currency: 'Currency',
      refunded: 'Financial Status',
    },
    status: 'Financial Status',
    unpaid: ['pending', 'authorized', 'partially_paid', 'voided', 'expired'],
    items: 'Name',
  },
  {
    platform: 'WOOCOMMERCE',
    header: ['Order #', 'Status', 'Customer type', 'Net Sales'],
    names: { externalOrderId: 'Order #', subtotal: 'Net Sales', refunded: 'Status' },
    status: 'Status',
    unpaid: ['pending', 'on-hold', 'failed', 'cancelled', 'checkout-draft'],
    items: null,
  },
  {
    platform: 'STRIPE',
    header: ['PaymentIntent ID', 'Amount', 'Amount Refunded', 'Currency', 'Status'],
    names: {
      externalOrderId: 'PaymentIntent ID',
      subtotal: 'Amount',
      currency: 'Currency',
      refunded: 'Status',
    },
    status: 'Status',
    unpaid: [
      'failed',
      'canceled',
      'incomplete',
      'pending',
      'uncaptured',
      'blocked',
      'requires_payment_method',
    ],
    items: null,
  },
];

const same = (name: string): string => name.trim().toLowerCase();

/** Whose export a header is; undefined for any other list. */
export function shopExportOf(header: readonly string[]): ShopExport | undefined {
  const found = new Set(header.map(same));
  return shopExports.find((one) => one.header.every((name) => found.has(same(name))));
}

/** Without columns that happen to be called as ours, and mean something else: what was refunded with tax and shipping. */
export const onlyNamed = (columns: OrderColumns, { names }: ShopExport): OrderColumns =>
  new Map([...columns].filter(([name]) => name in names));

/** Whether a row of an export is no order that was reported: an item of the one before, without an id, or never paid. */
export function isNoReport(
  { names, status, unpaid, items }: ShopExport,
  header: readonly string[],
  cells: readonly string[],
  before: readonly string[] | undefined,
): boolean {
  const cellOf = (name: string | null | undefined, of = cells): string =>
    name === null || name === undefined
      ? ''
      : (of[header.findIndex((one) => same(one) === same(name))] ?? '').trim();
  if (unpaid.includes(cellOf(status).toLowerCase())) return true;
  if (cellOf(names.externalOrderId) !== '') return false;
  if (items === null) return true;
  const isOfBefore = before !== undefined && cellOf(items) === cellOf(items, before);
  return isOfBefore && cellOf(items) !== '' && cellOf(names.subtotal) === '';
}
