import { ServiceError } from './errors.ts';
import { maxSubtotalCents } from './points.ts';
import { hasAtMost, isInstant, isPrintable, maxExternalIdChars } from './reported-fields.ts';

/** One order of a file that a partner compares with what it reported. */
export interface OrderRow {
  /** As a spreadsheet counts: the header is row 1. */
  row: number;
  externalOrderId: string;
  subtotalCents: number;
  /** What the file does not say is null, and not compared. */
  currency: string | null;
  /** ISO 8601. */
  occurredAt: string | null;
  refunded: boolean | null;
}

const columnNames = [
  'externalOrderId',
  'subtotal',
  'subtotalCents',
  'currency',
  'occurredAt',
  'refunded',
] as const;
type ColumnName = (typeof columnNames)[number];

/** Where in a row each column stands. */
export type OrderColumns = ReadonlyMap<ColumnName, number>;

const shownChars = 40;
const truths: Record<string, boolean> = {
  true: true,
  yes: true,
  1: true,
  refunded: true,
  false: false,
  no: false,
  0: false,
};

/**
 * What is wrong with a file, and where.
 * @param row as a spreadsheet counts, from 1
 */
export function fileFault(row: number, message: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', `Row ${row}: ${message}`);
}

/**
 * Reads the header. Names are compared without case, blanks, `_` and `-`; other columns are passed over.
 * @throws ServiceError VALIDATION_FAILED naming the column that is missing, or there twice
 */
export function readOrderColumns(header: readonly string[]): OrderColumns {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const columns = new Map<ColumnName, number>();
  for (const [index, cell] of header.entries()) {
    const name = columnNames.find((one) => plain(one) === plain(cell));
    if (name === undefined) continue;
    if (columns.has(name)) throw fileFault(1, `the column ${name} appears twice.`);
    columns.set(name, index);
  }
  if (!columns.has('externalOrderId')) {
    throw fileFault(
      1,
      `there is no column externalOrderId. The columns are ${shown(header.join(', '))}.`,
    );
  }
  if (columns.has('subtotal') === columns.has('subtotalCents')) {
    throw fileFault(
      1,
      'there must be a column subtotal (49.90) or subtotalCents (4990): one of them.',
    );
  }
  return columns;
}

/**
 * Reads one row.
 * @throws ServiceError VALIDATION_FAILED naming the row, the column and what it should be
 */
export function readOrderRow(
  columns: OrderColumns,
  cells: readonly string[],
  row: number,
): OrderRow {
  const cellOf = (name: ColumnName) => (cells[columns.get(name) ?? -1] ?? '').trim();
  const read = <T>(name: ColumnName, as: (text: string) => T | undefined, should: string): T => {
    const text = cellOf(name);
    const value = as(text);
    if (value !== undefined) return value;
    throw fileFault(row, `${name} must be ${should}, not ${shown(text)}.`);
  };
  const orNone =
    <T>(as: (text: string) => T | undefined) =>
    (text: string) =>
      text === '' ? null : as(text);
  return {
    row,
    externalOrderId: read('externalOrderId', asId, '1 to 160 printable characters'),
    subtotalCents: columns.has('subtotalCents')
      ? read('subtotalCents', asCents, 'whole cents, such as 4990')
      : read('subtotal', asAmount, 'an amount such as 49.90, without thousands separators'),
    currency: read('currency', orNone(asCurrency), 'three letters, or nothing'),
    occurredAt: read(
      'occurredAt',
      orNone(asInstant),
      'ISO 8601 with a timezone offset, such as 2026-01-31T09:30:00+01:00, or nothing',
    ),
    refunded: read('refunded', orNone(asTruth), 'true or false, yes or no, 1 or 0, or nothing'),
  };
}

function asId(text: string): string | undefined {
  const isId = text.length >= 1 && hasAtMost(maxExternalIdChars, text) && isPrintable(text);
  return isId ? text : undefined;
}

function asCents(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? withinLimit(Number(text)) : undefined;
}

/** A comma may stand for the point; with more than two digits behind it, it is a thousands separator. */
function asAmount(text: string): number | undefined {
  const [, units, fraction = ''] = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  if (units === undefined) return undefined;
  return withinLimit(Number(units) * 100 + Number(fraction.padEnd(2, '0')));
}

function withinLimit(cents: number): number | undefined {
  return cents <= maxSubtotalCents ? cents : undefined;
}

function asCurrency(text: string): string | undefined {
  return /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined;
}

function asInstant(text: string): string | undefined {
  return isInstant(text) ? new Date(text).toISOString() : undefined;
}

function asTruth(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(truths, word) ? truths[word] : undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.length > shownChars ? `${text.slice(0, shownChars)}…` : text);
}
