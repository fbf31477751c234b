import { isUtf8 } from 'node:buffer';
import type { ServiceError } from '../domain/errors.ts';
import {
  allErrorsOf,
  columnNames,
  type FileRow,
  maxRowErrors,
  type OrderColumns,
  orderFileError,
  readOrderRow,
} from '../domain/orders.ts';
import { repeatedName } from '../platform/json-names.ts';
import { fileTooLarge, maxFileRows } from './parse-order-file.ts';

const columns = columnNames.map((name, index) => [name, { index, called: name }] as const);

/**
 * Reads a list of orders and refunds from JSON lines: an object a line, in the shape of the request
 * that reports it or flat; other fields are ignored.
 * @param bytes UTF-8, with or without a byte order mark
 * @param usualCurrency of amounts in lines that name none
 * @throws ServiceError VALIDATION_FAILED naming every wrong line, up to some, after the right ones;
 *   PAYLOAD_TOO_LARGE
 */
export async function* parseOrderLines(
  bytes: Uint8Array,
  usualCurrency: string,
): AsyncGenerator<FileRow> {
  if (!isUtf8(bytes)) throw orderFileError(1, 'the text is not UTF-8.');
  const text = new TextDecoder().decode(bytes);
  const errors: ServiceError[] = [];
  let rows = 0;
  for (const [index, line] of text.split(/\r\n|\n/).entries()) {
    if (line.trim() === '') continue;
    rows += 1;
    if (rows > maxFileRows) throw fileTooLarge(`has more than ${maxFileRows} orders`);
    try {
      const row = readLine(line, index + 1, usualCurrency);
      if (errors.length === 0) yield row;
    } catch (error) {
      errors.push(error as ServiceError);
      if (errors.length === maxRowErrors) break;
    }
  }
  if (errors.length > 0) throw allErrorsOf(errors);
}

/** @throws ServiceError VALIDATION_FAILED */
function readLine(line: string, row: number, usualCurrency: string): FileRow {
  const fields = fieldsOf(line);
  if (fields === undefined) throw orderFileError(row, 'it is not a JSON object.');
  const repeated = repeatedName(line);
  if (repeated !== undefined) throw orderFileError(row, `it gives the name ${repeated} twice.`);
  const cells = columnNames.map((name) => {
    const value = fields[name] ?? '';
    if (typeof value === 'object')
      throw orderFileError(row, `${name} must be a text, a number, true or false.`);
    // Rounded by the time that it is read.
    if (name.startsWith('external') && typeof value === 'number' && !Number.isSafeInteger(value))
      throw orderFileError(
        row,
        `${name} is a number that is not read exactly: write it in quotes.`,
      );
    return String(value);
  });
  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const given: OrderColumns = new Map(
    columns.filter(([name]) => isGiven(name) || (name === 'subtotalCents' && !isGiven('subtotal'))),
  );
  return readOrderRow(given, cells, row, usualCurrency);
}

function fieldsOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const order: unknown = 'order' in value ? value.order : undefined;
    return { ...(typeof order === 'object' ? order : {}), ...value };
  } catch {
    return undefined;
  }
}
