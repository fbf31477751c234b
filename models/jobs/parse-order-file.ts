import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { ServiceError } from '../../domain/errors.ts';
import {
  isFurtherItem,
  type OrderColumnNames,
  type OrderColumns,
  type OrderRow,
  orderFileError,
  readOrderColumns,
  readOrderRow,
} from '../../domain/orders.ts';

export const maxFileBytes = 20 * 1024 * 1024;
export const maxFileRows = 200_000;
const maxRowBytes = 64 * 1024;
const delimiters = [',', ';', '\t'] as const;
const saveAsUtf8 = 'Save the file as "CSV UTF-8", and upload it again.';
const newline = /[\r\n]/;

/** Messages for the error codes of csv-parse. */
const malformed: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quotation mark.',
  INVALID_OPENING_QUOTE: 'there is a quotation mark in text that is not quoted.',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'its number of columns differs from the header.',
  CSV_RECORD_INCONSISTENT_COLUMNS: 'its number of columns differs from the header.',
  CSV_MAX_RECORD_SIZE: `it is longer than ${maxRowBytes / 1024} KiB.`,
};

/**
 * Parses an order file as it arrives: CSV in UTF-8, with or without a byte order mark, its columns
 * separated by commas, semicolons or tabs.
 * @param names of its columns, where they differ from ours
 * @param usualCurrency of amounts in rows that name none
 * @throws ServiceError VALIDATION_FAILED naming the row, PAYLOAD_TOO_LARGE if the file is too large
 */
export async function* parseOrderFile(
  bytes: AsyncIterable<Uint8Array>,
  names: OrderColumnNames = {},
  usualCurrency = 'USD',
): AsyncGenerator<OrderRow> {
  const { head, rest } = await readHead(limited(bytes));
  const parser = parse({
    delimiter: delimiterOf(head),
    // Raw bytes: each cell is decoded by itself, so that an encoding error has its row.
    encoding: 'latin1',
    info: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
  });
  const whole = Readable.from(joined(head, rest), { objectMode: false });
  // An error of the source ends the parser, and so reaches the loop.
  pipeline(whole, parser, () => undefined);
  let columns: OrderColumns | undefined;
  let order: OrderRow | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: Info;
    }>) {
      const row = info.records + info.empty_lines;
      const cells = record.map((cell) => decoded(cell, row));
      if (columns === undefined) columns = readOrderColumns(cells, names);
      else if (info.records > maxFileRows + 1)
        throw tooLarge(`has more than ${maxFileRows} orders`);
      // Spreadsheets append rows of nothing but separators.
      else if (cells.some((cell) => cell.trim() !== '') && !isFurtherItem(columns, cells, order)) {
        order = readOrderRow(columns, cells, row, usualCurrency);
        yield order;
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error;
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>) {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxFileBytes) throw tooLarge(`is larger than ${maxFileBytes / 1024 / 1024} MiB`);
    yield chunk;
  }
}

function tooLarge(what: string): ServiceError {
  const message = `The file ${what}. Upload it in parts.`;
  return new ServiceError('PAYLOAD_TOO_LARGE', message);
}

/** The start of a file, at least to the end of its header, without the byte order mark. */
async function readHead(bytes: AsyncGenerator<Uint8Array>) {
  const chunks: Buffer[] = [];
  let size = 0;
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    const chunk = Buffer.from(next.value);
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxRowBytes || newline.test(chunk.toString('latin1'))) break;
  }
  const head = Buffer.concat(chunks);
  if (head.length === 0) throw orderFileError(1, 'the file is empty.');
  // UTF-16 has a byte order mark or zero bytes; so do binary files.
  const isUtf16 = ['fffe', 'feff'].includes(head.subarray(0, 2).toString('hex'));
  if (isUtf16 || headerOf(head).includes('\0'))
    throw orderFileError(1, `the text is not UTF-8. ${saveAsUtf8}`);
  const hasMark = head.subarray(0, 3).toString('hex') === 'efbbbf';
  return { head: hasMark ? head.subarray(3) : head, rest: bytes };
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
