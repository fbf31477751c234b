import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { formatCents } from '../domain/money.ts';

/** More would be too much for a spreadsheet; what is larger can be downloaded by day. */
export const maxCsvRows = 100_000;

/** A cell of a table. */
export type Cell = string | number | Decimal | null;

/** A number with its decimals, which is neither quoted nor escaped: with a minus it is no formula. */
export interface Decimal {
  decimal: string;
}

/** An amount in units of its currency, with its decimals: 4990 is 49.90 in EUR, 4990 in JPY. */
export const amountCell = (cents: number, currency: string): Decimal => ({
  decimal: formatCents(cents, currency),
});

/** The columns of a file by their headings; a time is written in ISO 8601. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell | Date | undefined>>;

/** A row as its cells. */
export const cellsOf = <Row>(columns: CsvColumns<Row>, row: Row): Cell[] =>
  Object.values(columns).map((of) => {
    const value = of(row) ?? null;
    return value instanceof Date ? value.toISOString() : value;
  });

/**
 * A cell that starts like a formula, in ASCII or full width, possibly after whitespace and quotes.
 */
const isFormula = /^(?:[\t\r]|["\s]*[=+\-@＝＋－＠])/;
/** A part that would start like a formula if the character before it ended a cell. */
const hiddenFormula = /([,;\t\r\n]["\s]*)(?=[=+\-@＝＋－＠])/g;

/**
 * Escapes text so that no spreadsheet interprets it as a formula, by an apostrophe before whatever
 * starts like one. That includes text after a comma, semicolon, tab or line break, since a
 * spreadsheet set to another separator starts a cell there, even within quotes.
 */
export function spreadsheetText(text: string): string {
  const shown = text.replace(hiddenFormula, "$1'");
  return isFormula.test(shown) ? `'${shown}` : shown;
}

/** The text that was escaped, as somebody pastes it back from a spreadsheet. */
export function pastedText(text: string): string {
  return text.replace(/(^|[,;\t\r\n]["\s]*)'(?=["\s]*[=+\-@＝＋－＠]|[\t\r])/g, '$1');
}

/**
 * Rows as a stream of CSV: separated by commas, all text quoted, lines ending as RFC 4180 requires.
 * It starts with a byte order mark: without one, Excel reads UTF-8 as the local code page and
 * breaks every name that is not English. Rows are read only as fast as the stream is.
 * @returns bytes; fails if reading the rows fails
 */
export function csvOf<Row>(
  columns: CsvColumns<Row>,
  rows: AsyncIterable<Row> | Iterable<Row>,
): Readable {
  const cells = async function* () {
    yield Object.keys(columns);
    for await (const row of rows) {
      yield cellsOf(columns, row).map((one) =>
        typeof one === 'string' ? spreadsheetText(one) : one,
      );
    }
  };
  const text = stringify({
    bom: true,
    quoted_string: true,
    record_delimiter: '\r\n',
    cast: { object: ({ decimal }) => String(decimal) },
  });
  // The callback is required; readers learn of a failure from the stream itself.
  return pipeline(Readable.from(cells()), text, () => undefined);
}
