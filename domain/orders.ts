import { isCurrency } from './currencies.ts';
import { ServiceError } from './errors.ts';
import { formatCents, parseCents } from './money.ts';
import { maxSubtotalCents } from './points.ts';
import { hasAtMost, isInstant, isPrintable, maxExternalIdChars } from './purchase.ts';

/** One order in a file that a partner compares with what it reported. */
export interface OrderRow {
  /** As a spreadsheet counts: the header is row 1. */
  row: number;
  externalOrderId: string;
  subtotalCents: number;
  /** Null for what the file does not have: that is not compared. */
  currency: string | null;
  /** ISO 8601. */
  occurredAt: string | null;
  refunded: boolean | null;
  /** How much of it was refunded. */
  refundedCents: number | null;
}

export const columnNames = [
  'externalOrderId',
  'subtotal',
  'subtotalCents',
  'currency',
  'occurredAt',
  'refunded',
  'refundedAmount',
  'refundedCents',
] as const;
type ColumnName = (typeof columnNames)[number];

/** The column names of a shop's export, where they differ from ours. */
export type OrderColumnNames = Partial<Record<ColumnName, string>>;

/** The index of each column, and its name in the file. */
export type OrderColumns = ReadonlyMap<ColumnName, { index: number; called: string }>;

const shownChars = 40;
const shownHeaderChars = 400;
/**
 * Whether an order was refunded, including by the statuses that shops export; null if a status
 * shows neither.
 */
const truths: Record<string, boolean | null> = {
  true: true,
  yes: true,
  1: true,
  refunded: true,
  false: false,
  no: false,
  0: false,
  paid: false,
  processing: false,
  completed: false,
  pending: null,
  authorized: null,
  partially_paid: null,
  partially_refunded: null,
  'on-hold': null,
  cancelled: null,
  canceled: null,
  voided: null,
  failed: null,
};

/** An error in the file. @param row as a spreadsheet counts, from 1 */
export function orderFileError(row: number, message: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', `Row ${row}: ${message}`);
}

/**
 * Reads the header. Our own names are matched ignoring case, whitespace, `_` and `-`, a shop's
 * names ignoring only case; other columns are ignored.
 * @param names the names in the shop's export; a name for the amount replaces both of ours
 * @throws ServiceError VALIDATION_FAILED naming the column that is missing or appears twice
 */
export function readOrderColumns(
  header: readonly string[],
  names: OrderColumnNames = {},
): OrderColumns {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const same = (name: string) => name.trim().toLowerCase();
  const isAmountNamed = names.subtotal !== undefined || names.subtotalCents !== undefined;
  const columns = new Map<ColumnName, { index: number; called: string }>();
  for (const name of columnNames) {
    const own = names[name];
    if (isAmountNamed && own === undefined && name.startsWith('subtotal')) continue;
    const called = own ?? name;
    const isIt = (cell: string) =>
      own === undefined ? plain(cell) === plain(name) : same(cell) === same(own);
    const [index, another] = header.flatMap((cell, at) => (isIt(cell) ? [at] : []));
    if (another !== undefined) throw orderFileError(1, `the column ${called} appears twice.`);
    if (index !== undefined) columns.set(name, { index, called });
    else if (own !== undefined || name === 'externalOrderId') throw missingColumn(called, header);
  }
  if (columns.has('subtotal') === columns.has('subtotalCents')) {
    throw orderFileError(
      1,
      'there must be a column subtotal (49.90) or subtotalCents (4990), but not both.',
    );
  }
  if (columns.has('refundedAmount') && columns.has('refundedCents')) {
    throw orderFileError(
      1,
      'there must be a column refundedAmount (12.00) or refundedCents (1200), but not both.',
    );
  }
  return columns;
}

function missingColumn(called: string, header: readonly string[]): ServiceError {
  const columns = shown(header.join(', '), shownHeaderChars);
  return orderFileError(1, `there is no column ${called}. The columns are ${columns}.`);
}

/**
 * Whether a row is only another item of the order before it: shops export one row for each item,
 * with the amount in the first.
 */
export function isFurtherItem(
  columns: OrderColumns,
  cells: readonly string[],
  before: OrderRow | undefined,
): boolean {
  const amount = columns.get('subtotal') ?? columns.get('subtotalCents');
  const id = cells[columns.get('externalOrderId')?.index ?? -1]?.trim();
  if (before === undefined || id !== before.externalOrderId) return false;
  return (cells[amount?.index ?? -1] ?? '').trim() === '';
}

/**
 * Reads one row.
 * @param usualCurrency of amounts in a row that names none
 * @throws ServiceError VALIDATION_FAILED naming the row, the column and what is expected
 */
export function readOrderRow(
  columns: OrderColumns,
  cells: readonly string[],
  row: number,
  usualCurrency: string,
): OrderRow {
  const cellOf = (name: ColumnName) => (cells[columns.get(name)?.index ?? -1] ?? '').trim();
  const read = <T>(name: ColumnName, as: (text: string) => T | undefined, should: string): T => {
    const text = cellOf(name);
    const value = as(text);
    if (value !== undefined) return value;
    const called = columns.get(name)?.called ?? name;
    throw orderFileError(row, `${called} must be ${should}, not ${shown(text)}.`);
  };
  const orNone =
    <T>(as: (text: string) => T | undefined) =>
    (text: string) =>
      text === '' ? null : as(text);
  const currency = read(
    'currency',
    orNone(asCurrency),
    'the three letters of a currency, or nothing',
  );
  const countedIn = currency ?? usualCurrency;
  const example = formatCents(4_990, countedIn);
  return {
    row,
    externalOrderId: read('externalOrderId', asId, '1 to 160 printable characters'),
    subtotalCents: columns.has('subtotalCents')
      ? read('subtotalCents', asCents, 'whole cents, such as 4990')
      : read(
          'subtotal',
          (text) => asAmount(text, countedIn),
          `an amount in ${countedIn} such as ${example}, without thousands separators`,
        ),
    currency,
    occurredAt: read(
      'occurredAt',
      orNone(asInstant),
      'ISO 8601 with a timezone offset, such as 2026-01-31T09:30:00+01:00, or nothing',
    ),
    refunded: read(
      'refunded',
      orNone(asTruth),
      'true or false, yes or no, 1 or 0, a status such as paid or refunded, or nothing',
    ),
    refundedCents: columns.has('refundedCents')
      ? read('refundedCents', orNone(asCents), 'whole cents, such as 1200, or nothing')
      : read(
          'refundedAmount',
          orNone((text) => asAmount(text, countedIn)),
          `an amount in ${countedIn} such as ${example}, without thousands separators, or nothing`,
        ),
  };
}

function asId(text: string): string | undefined {
  const isId = text.length >= 1 && hasAtMost(maxExternalIdChars, text) && isPrintable(text);
  return isId ? text : undefined;
}

function asCents(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? withinLimit(Number(text)) : undefined;
}

/**
 * The decimal separator is a point or a comma, followed by at most as many digits as the currency has decimals: with
 * more it would be a thousands separator.
 */
function asAmount(text: string, currency: string): number | undefined {
  const cents = parseCents(text.replace(',', '.'), currency);
  return cents === undefined ? undefined : withinLimit(cents);
}

function withinLimit(cents: number): number | undefined {
  return cents <= maxSubtotalCents ? cents : undefined;
}

function asCurrency(text: string): string | undefined {
  return isCurrency(text) ? text.toUpperCase() : undefined;
}

/** Accepts the format of shops too: 2026-01-31 09:30:00 +0100. */
function asInstant(text: string): string | undefined {
  const iso = text
    .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
    .replace(/ (?=(Z|[+-]\d{2}:?\d{2})$)/, '')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  return isInstant(iso) ? new Date(iso).toISOString() : undefined;
}

function asTruth(text: string): boolean | null | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(truths, word) ? truths[word] : undefined;
}

function shown(text: string, chars = shownChars): string {
  return JSON.stringify(text.length > chars ? `${text.slice(0, chars)}…` : text);
}

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
  /** The sum of its refunds; null if none was reported. */
  refundedCents: number | null;
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
    const inFile = formatCents(row.subtotalCents, row.currency ?? reported.currency);
    differ('subtotal', inFile, formatCents(reported.subtotalCents, reported.currency));
  }
  if (row.currency !== null && row.currency !== reported.currency) {
    differ('currency', row.currency, reported.currency);
  }
  const { occurredAt } = reported;
  if (row.occurredAt !== null && occurredAt !== null) {
    const [inFile, inReport] = [secondsOf(row.occurredAt), secondsOf(occurredAt)];
    if (inFile !== inReport) differ('occurredAt', inFile, inReport);
  }
  const { refundedCents, subtotalCents } = reported;
  const isWhole = refundedCents !== null && refundedCents >= subtotalCents;
  const isPart = refundedCents !== null && !isWhole;
  if (row.refunded !== null && (isPart || row.refunded !== isWhole)) {
    const words = (isRefunded: boolean) => (isRefunded ? 'refunded' : 'not refunded');
    differ('refund', words(row.refunded), isPart ? 'partly refunded' : words(isWhole));
  }
  if (row.refundedCents !== null && row.refundedCents !== (refundedCents ?? 0)) {
    const text = (cents: number) => formatCents(cents, reported.currency);
    differ('amount refunded', text(row.refundedCents), text(refundedCents ?? 0));
  }
  return differences;
}

/** To the second, since few files are more precise. */
function secondsOf(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
