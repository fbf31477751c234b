import { digitsOf, isCurrency } from './currencies.ts';
import { ServiceError } from './errors.ts';
import { formatCents, parseCents } from './money.ts';
import { type DecimalMark, isReadTwoWays, numberText } from './numbers.ts';
import { maxSubtotalCents } from './points.ts';
import {
  defaultRefundId,
  hasAtMost,
  isInstant,
  isNameable,
  maxExternalIdChars,
} from './purchase.ts';

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
  /** A status that says neither, and that is not one of the known ones; absent for any other. */
  unknownStatus?: string;
}

/** One refund in such a file: a row with a refund id of its own. */
export interface RefundRow {
  row: number;
  externalOrderId: string;
  externalRefundId: string;
  /** What was refunded; null for all that was left. */
  amountCents: number | null;
  /** ISO 8601. */
  occurredAt: string | null;
}

export type FileRow = OrderRow | RefundRow;

export const isRefundRow = (row: FileRow): row is RefundRow => 'externalRefundId' in row;

export const columnNames = [
  'externalOrderId',
  'subtotal',
  'subtotalCents',
  'currency',
  'occurredAt',
  'refunded',
  'refundedAmount',
  'refundedCents',
  'externalRefundId',
  'amountCents',
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

/** A file is read on until it has this many wrong rows, so that they are all named at once. */
export const maxRowErrors = 20;

/** All errors of a file in one, in the order of its rows. @param errors at least one */
export function allErrorsOf(errors: readonly ServiceError[]): ServiceError {
  const [first, ...others] = errors;
  if (first === undefined) throw new Error('a file without errors is not refused');
  if (others.length === 0) return first;
  const more = errors.length < maxRowErrors ? '' : ' Further rows were not read.';
  const message = errors.map((error) => error.message).join(' ');
  return new ServiceError('VALIDATION_FAILED', message + more);
}

/**
 * Reads the header. Our own names are matched ignoring case, whitespace, `_` and `-`, a shop's
 * names ignoring only case; other columns are ignored.
 * @param names the names in the shop's export; a name for the amount replaces both of ours
 * @throws ServiceError VALIDATION_FAILED naming the columns that are missing or appear twice
 */
export function readOrderColumns(
  header: readonly string[],
  names: OrderColumnNames = {},
): OrderColumns {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const same = (name: string) => name.trim().toLowerCase();
  const isAmountNamed = names.subtotal !== undefined || names.subtotalCents !== undefined;
  const columns = new Map<ColumnName, { index: number; called: string }>();
  const wrong: string[] = [];
  const missing: string[] = [];
  let isAmountWrong = isAmountNamed;
  for (const name of columnNames) {
    const own = names[name];
    if (isAmountNamed && own === undefined && name.startsWith('subtotal')) continue;
    const called = own ?? name;
    const isIt = (cell: string) =>
      own === undefined ? plain(cell) === plain(name) : same(cell) === same(own);
    const [index, another] = header.flatMap((cell, at) => (isIt(cell) ? [at] : []));
    if (another !== undefined) {
      wrong.push(`the column ${called} appears twice`);
      isAmountWrong ||= name.startsWith('subtotal');
    } else if (index !== undefined) columns.set(name, { index, called });
    else if (own !== undefined || name === 'externalOrderId') missing.push(called);
  }
  if (missing.length > 0) wrong.push(`there is no column ${missing.join(', and none ')}`);
  if (!isAmountWrong && columns.has('subtotal') === columns.has('subtotalCents')) {
    wrong.push('there must be a column subtotal (49.90) or subtotalCents (4990), but not both');
  }
  if (columns.has('refundedAmount') && columns.has('refundedCents')) {
    wrong.push('there must be a column refundedAmount (12.00) or refundedCents (1200), not both');
  }
  if (wrong.length > 0) {
    const found = `The columns are ${shown(header.join(', '), shownHeaderChars)}.`;
    throw orderFileError(1, `${wrong.join('; ')}. ${found}`);
  }
  return columns;
}

/**
 * Whether a row is only another item of the order before it: shops export one row for each item,
 * with the amount in the first.
 */
export function isFurtherItem(
  columns: OrderColumns,
  cells: readonly string[],
  before: FileRow | undefined,
): boolean {
  const cellOf = (name: ColumnName) => cells[columns.get(name)?.index ?? -1] ?? '';
  const amount = columns.has('subtotal') ? cellOf('subtotal') : cellOf('subtotalCents');
  if (before === undefined || cellOf('externalOrderId') !== before.externalOrderId) return false;
  return amount.trim() === '' && cellOf('externalRefundId') === '';
}

/** The amounts of a row in units of the currency, as they are written. */
export function amountsIn(columns: OrderColumns, cells: readonly string[]): string[] {
  return (['subtotal', 'refundedAmount'] as const).flatMap((name) => {
    const index = columns.get(name)?.index;
    return index === undefined ? [] : (cells[index] ?? '').trim();
  });
}

const dateFormat = 'ISO 8601 with a timezone offset, such as 2026-01-31T09:30:00+01:00, or nothing';

/**
 * Reads one row: a refund if it has a refund id, otherwise an order. Ids are taken as they are, since
 * the API keeps them as they are sent; a missing cell at the end is empty.
 * @param usualCurrency of amounts in a row that names none
 * @param mark the decimal mark that the other amounts of the file show; without, what can be read two ways is refused
 * @throws ServiceError VALIDATION_FAILED naming the row, and each wrong column with what is expected
 */
export function readOrderRow(
  columns: OrderColumns,
  cells: readonly string[],
  row: number,
  usualCurrency: string,
  mark?: DecimalMark,
): FileRow {
  const wrong: string[] = [];
  const read = <T>(name: ColumnName, as: (text: string) => T | undefined, should: string) => {
    const cell = cells[columns.get(name)?.index ?? -1] ?? '';
    const text = name.startsWith('external') ? cell : cell.trim();
    const value = as(text);
    const called = columns.get(name)?.called ?? name;
    if (value === undefined)
      wrong.push(`${called} must be ${should}, not ${shown(text)}${why(name, text)}`);
    return value as T;
  };
  const orNone =
    <T>(as: (text: string) => T | undefined) =>
    (text: string) =>
      text === '' ? null : as(text);
  const idWords = '1 to 160 printable characters';
  const externalOrderId = read('externalOrderId', asId, idWords);
  const asRefundId = (text: string) =>
    text === defaultRefundId(externalOrderId) ? text : asId(text);
  const externalRefundId = read('externalRefundId', orNone(asRefundId), `${idWords}, or nothing`);
  const currencyWords = 'the three letters of a currency, or nothing';
  const currency = read('currency', orNone(asCurrency), currencyWords);
  const countedIn = currency ?? usualCurrency;
  const inUnits = `an amount in ${countedIn} such as ${formatCents(4_990, countedIn)}, up to ${mostUnits[digitsOf(countedIn)]}, without thousands separators`;
  const asUnits = (text: string) => asAmount(text, countedIn, mark);
  const readOrNone = (ofCents: ColumnName, ofUnits: ColumnName): number | null =>
    columns.has(ofCents)
      ? read(ofCents, orNone(asCents), `${inCents}, or nothing`)
      : read(ofUnits, orNone(asUnits), `${inUnits}, or nothing`);
  const refundedCents = readOrNone('refundedCents', 'refundedAmount');
  const occurredAt = read('occurredAt', orNone(asInstant), dateFormat);
  let found: FileRow;
  if (externalRefundId !== null) {
    const ownCents = read('amountCents', orNone(asCents), `${inCents}, or nothing`);
    const amountCents = ownCents ?? refundedCents ?? readOrNone('subtotalCents', 'subtotal');
    found = { row, externalOrderId, externalRefundId, amountCents, occurredAt };
  } else {
    const subtotalCents = columns.has('subtotalCents')
      ? read('subtotalCents', asCents, inCents)
      : read('subtotal', asUnits, inUnits);
    const status = read('refunded', (text) => text, '');
    const refunded = refundedBy(status);
    found = {
      row,
      externalOrderId,
      subtotalCents,
      currency,
      occurredAt,
      refunded: refunded ?? null,
      refundedCents,
      ...(refunded === undefined && { unknownStatus: status.slice(0, shownChars) }),
    };
  }
  if (wrong.length > 0) throw orderFileError(row, `${wrong.join('; ')}.`);
  return found;
}

function asId(text: string): string | undefined {
  const isId = text.length >= 1 && hasAtMost(maxExternalIdChars, text) && isNameable(text);
  return isId && spoiledId(text) === undefined ? text : undefined;
}

/** What a spreadsheet or an export makes of the column of ids, and no shop of an id. */
const spoiledIds: readonly [pattern: RegExp, why: string][] = [
  [/^\d+(?:[.,]\d+)?E[+-]\d+$/i, 'a spreadsheet has shortened it'],
  [/^="/, 'it is a formula of a spreadsheet'],
  [
    /^(?:(?:grand )?totals?|subtotals?|sum|summe|gesamt(?:summe)?|total g[ée]n[ée]ral|somme|suma|totale)$/i,
    'it is a sum, and no order',
  ],
];

const spoiledId = (text: string): string | undefined =>
  spoiledIds.find(([pattern]) => pattern.test(text.trim()))?.[1];

/** Why a cell is refused, where that is not plain to see. */
function why(name: ColumnName, text: string): string {
  const reason = name.startsWith('external') ? spoiledId(text) : undefined;
  const isAmount = name === 'subtotal' || name === 'refundedAmount';
  const found = reason ?? (isAmount && isReadTwoWays(text) ? 'it can be read two ways' : undefined);
  return found === undefined ? '' : `: ${found}`;
}

/** The limit in units, by the decimals of the currency: worked out once, since each row may need it. */
const mostUnits = [0, 1, 2, 3, 4].map((digits) => numberText(maxSubtotalCents / 10 ** digits));
const inCents = `whole cents, such as 4990, up to ${mostUnits[0]}`;

function asCents(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? withinLimit(Number(text)) : undefined;
}

function asAmount(text: string, currency: string, mark?: DecimalMark): number | undefined {
  const cents = parseCents(text, currency, mark);
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

/** @returns undefined for a status that is not known */
function refundedBy(status: string): boolean | null | undefined {
  const word = status.toLowerCase();
  if (word === '') return null;
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
  /** Null if it is about the order, and not about one of its refunds. */
  externalRefundId: string | null;
  /** The row in the file; null if it is not in the file. */
  row: number | null;
  /** The event of the purchase; null if it was never reported. */
  eventId: string | null;
  /** A description for people. */
  what: string;
  /** What to send to repair it; null if that is for people to decide. */
  repair: Repair | null;
}

/** A report that repairs a difference. */
export interface Repair {
  report: 'PURCHASE' | 'REFUND';
  body: Record<string, unknown>;
  /** What the file does not have, and the body needs. */
  add: string[];
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
  const { refundedCents } = reported;
  const isWhole = isWhollyRefunded(reported);
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

const isWhollyRefunded = ({ refundedCents, subtotalCents }: ReportedOrder): boolean =>
  refundedCents !== null && refundedCents >= subtotalCents;

/** The purchase that was never reported. Its customer is not in the file. */
export function purchaseRepairOf(row: OrderRow): Repair {
  const { externalOrderId, subtotalCents, currency, occurredAt } = row;
  const order = { subtotalCents, ...(currency !== null && { currency }) };
  const body = { externalOrderId, order, ...(occurredAt !== null && { occurredAt }) };
  return { report: 'PURCHASE', body, add: ['customer'] };
}

/** The refund that was never reported. */
export function refundRepairOf(row: RefundRow): Repair {
  const { externalOrderId, externalRefundId, amountCents, occurredAt } = row;
  const body = {
    externalOrderId,
    externalRefundId,
    ...(amountCents !== null && { amountCents }),
    ...(occurredAt !== null && { occurredAt }),
  };
  return { report: 'REFUND', body, add: [] };
}

/** What an order's refund in the file lacks in the reports; null if it lacks nothing, or more than is left. */
export function missingRefundOf(row: OrderRow, reported: ReportedOrder): Repair | null {
  const { externalOrderId } = row;
  const { subtotalCents } = reported;
  const reportedCents = reported.refundedCents ?? 0;
  const isWhole = row.refunded === true || row.refundedCents === subtotalCents;
  if (isWhole && !isWhollyRefunded(reported)) {
    return { report: 'REFUND', body: { externalOrderId }, add: [] };
  }
  const amountCents = (row.refundedCents ?? 0) - reportedCents;
  if (amountCents <= 0 || reportedCents + amountCents > subtotalCents) return null;
  // Each part needs an id of its own, which the file does not have.
  return { report: 'REFUND', body: { externalOrderId, amountCents }, add: ['externalRefundId'] };
}

/** To the second, since few files are more precise. */
function secondsOf(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
