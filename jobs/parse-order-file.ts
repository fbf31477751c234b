import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { ServiceError } from '../domain/errors.ts';
import { type DecimalMark, decimalMarkOf, decimalMarks, isReadTwoWays } from '../domain/numbers.ts';
import {
  allErrorsOf,
  amountsIn,
  type FileRow,
  isFurtherItem,
  maxRowErrors,
  type OrderColumnNames,
  type OrderColumns,
  orderFileError,
  readOrderColumns,
  readOrderRow,
} from '../domain/orders.ts';
import { isNoReport, onlyNamed, type ShopExport, shopExportOf } from '../domain/shop-exports.ts';

export const maxFileBytes = 20 * 1024 * 1024;
export const maxFileRows = 200_000;
const maxRowBytes = 64 * 1024;
/** After so many rows, whatever else this process has to do gets its turn. */
const rowsInARow = 500;
const delimiters = [',', ';', '\t'] as const;
const saveAsUtf8 = 'Save the file as "CSV UTF-8", and upload it again.';
const newline = /[\r\n]/;
/** A line before the header that tells spreadsheets the separator, and that they do not count. */
const separatorLine = /^sep=(.)(?:\r\n|\r|\n)/i;

/** Messages for the error codes of csv-parse. */
const malformed: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'there is a quotation mark in text that is not quoted.',
  CSV_MAX_RECORD_SIZE: `it is longer than ${maxRowBytes / 1024} KiB.`,
};

/**
 * Parses an order file as it arrives: CSV in UTF-8, with or without a byte order mark, its columns
 * separated by commas, semicolons or tabs. Empty cells at the end of a row may be missing.
 * @param names of its columns, where they differ from ours; without any, those of a platform's own export are known
 * @param usualCurrency of amounts in rows that name none
 * @throws ServiceError VALIDATION_FAILED naming every wrong row, up to some, after the right ones;
 *   PAYLOAD_TOO_LARGE if the file is too large
 */
export async function* parseOrderFile(
  bytes: AsyncIterable<Uint8Array>,
  names: OrderColumnNames = {},
  usualCurrency = 'USD',
): AsyncGenerator<FileRow> {
  const { head, delimiter, rest } = await readHead(limited(bytes));
  const parser = parse({
    delimiter,
    // Raw bytes: each cell is decoded by itself, so that an encoding error has its row.
    encoding: 'latin1',
    info: true,
    // Files that were put together have several.
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  const whole = Readable.from(joined(head, rest), { objectMode: false });
  // An error of the source ends the parser, and so reaches the loop.
  pipeline(whole, parser, () => undefined);
  const errors: ServiceError[] = [];
  let header: string[] | undefined;
  let columns: OrderColumns | undefined;
  let shop: ShopExport | undefined;
  let before: string[] | undefined;
  let order: FileRow | undefined;
  const marks = new Set<DecimalMark>();
  /** The rows from the first amount that can be read two ways: the whole file decides which one. */
  const waiting: { cells: string[]; row: number }[] = [];
  const isTaken = (of: OrderColumns, cells: string[], row: number, mark?: DecimalMark): boolean => {
    try {
      if (isFurtherItem(of, cells, order)) return false;
      order = readOrderRow(of, cells, row, usualCurrency, mark);
      return errors.length === 0;
    } catch (error) {
      if (!isOfRow(error)) throw error;
      errors.push(error);
      return false;
    }
  };
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: Info;
    }>) {
      const row = info.records + info.empty_lines;
      if (info.records % rowsInARow === 0) await othersTurn();
      if (info.records > maxFileRows + 1) throw fileTooLarge(`has more than ${maxFileRows} orders`);
      try {
        const cells = record.map((cell) => decoded(cell, row));
        if (header === undefined || columns === undefined) {
          header = cells;
          // The names that somebody entered count.
          shop = Object.keys(names).length === 0 ? shopExportOf(cells) : undefined;
          columns = readOrderColumns(cells, shop?.names ?? names);
          if (shop) columns = onlyNamed(columns, shop);
          continue;
        }
        // Spreadsheets append rows of nothing but separators.
        if (cells.every((cell) => cell.trim() === '')) continue;
        if (cells.slice(header.length).some((cell) => cell.trim() !== '')) {
          throw orderFileError(row, `it has more cells than the header, ${header.length}.`);
        }
        const isItem = shop !== undefined && isNoReport(shop, header, cells, before);
        before = cells;
        if (isItem) continue;
        const amounts = amountsIn(columns, cells);
        for (const amount of marks.size < decimalMarks.length ? amounts : []) {
          const mark = decimalMarkOf(amount);
          if (mark !== undefined) marks.add(mark);
        }
        if (waiting.length > 0 || amounts.some(isReadTwoWays)) {
          waiting.push({ cells, row });
        } else if (isTaken(columns, cells, row) && order !== undefined) yield order;
      } catch (error) {
        if (columns === undefined || !isOfRow(error)) throw error;
        errors.push(error);
      }
      if (errors.length === maxRowErrors) break;
    }
    const [mark, another] = marks;
    for (const { cells, row } of waiting) {
      if (errors.length === maxRowErrors) break;
      const isRow = columns && isTaken(columns, cells, row, another ? undefined : mark);
      if (isRow && order !== undefined) yield order;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    errors.push(faultOf(error));
  }
  if (errors.length > 0) throw allErrorsOf(errors);
}

const isOfRow = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'VALIDATION_FAILED';

/** Passes on what arrives. @throws ServiceError PAYLOAD_TOO_LARGE beyond the limit */
async function* limited(bytes: AsyncIterable<Uint8Array>) {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxFileBytes) throw fileTooLarge(`is larger than ${maxFileBytes / 1024 / 1024} MiB`);
    yield chunk;
  }
}

export function fileTooLarge(what: string): ServiceError {
  const message = `The file ${what}. Upload it in parts.`;
  return new ServiceError('PAYLOAD_TOO_LARGE', message);
}

/**
 * The start of a file, at least to the end of its header, without the byte order mark and the line
 * that names the separator.
 */
async function readHead(bytes: AsyncGenerator<Uint8Array>) {
  let head: Buffer = Buffer.alloc(0);
  let named: string | undefined;
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    head = Buffer.concat([head, next.value]);
    const text = head.toString('latin1');
    const isNamed = /^(\xef\xbb\xbf)?sep=/i.test(text);
    const enough = isNamed ? /[\r\n][^\r\n]+[\r\n]/ : newline;
    if (head.length > maxRowBytes || enough.test(text)) break;
  }
  if (head.length === 0) throw orderFileError(1, 'the file is empty.');
  // UTF-16 has a byte order mark or zero bytes; so do binary files.
  const isUtf16 = ['fffe', 'feff'].includes(head.subarray(0, 2).toString('hex'));
  if (isUtf16 || headerOf(head).includes('\0'))
    throw orderFileError(1, `the text is not UTF-8. ${saveAsUtf8}`);
  const hasMark = head.subarray(0, 3).toString('hex') === 'efbbbf';
  if (hasMark) head = head.subarray(3);
  const [line = '', separator] = separatorLine.exec(head.toString('latin1')) ?? [];
  if (separator !== undefined) {
    head = head.subarray(line.length);
    named = separator;
  }
  return { head, delimiter: named ?? delimiterOf(head), rest: bytes };
}

const headerOf = (head: Buffer): string => head.toString('latin1').split(newline, 1)[0] ?? '';

/** The separator that occurs most often in the header. */
function delimiterOf(head: Buffer): string {
  const header = headerOf(head);
  const count = (delimiter: string) => header.split(delimiter).length;
  return delimiters.toSorted((one, other) => count(other) - count(one))[0] ?? ',';
}

async function* joined(head: Buffer, rest: AsyncIterable<Uint8Array>) {
  yield head;
  yield* rest;
}

function decoded(cell: string, row: number): string {
  const bytes = Buffer.from(cell, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw orderFileError(row, `the text is not UTF-8. ${saveAsUtf8}`);
}

function faultOf(error: CsvError): ServiceError {
  const { records = 0, empty_lines: emptyLines = 0 } = error as CsvError & Partial<Info>;
  const message = malformed[error.code] ?? 'it cannot be read as CSV.';
  return orderFileError(Number(records) + Number(emptyLines) + 1, message);
}
