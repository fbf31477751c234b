import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';

/** One column of a table that is written as CSV. */
export interface CsvColumn<Row> {
  header: string;
  of(row: Row): string | number | null;
}

/** A cell that begins as a formula does, in ASCII or full width, also behind blanks and quotes. */
const isFormula = /^(?:[\t\r]|["\s]*[=+\-@＝＋－＠])/;
/** What would begin as a formula, were the character before it taken for the end of a cell. */
const hiddenFormula = /([,;\t\r\n]["\s]*)(?=[=+\-@＝＋－＠])/g;

/**
 * A text that no spreadsheet takes for a formula: what begins as one gets an apostrophe before it. So
 * does what stands behind a comma, a semicolon, a tab or a line break within it, since a spreadsheet
 * set to another separator than ours begins a cell there, quotes or none.
 */
export function spreadsheetText(text: string): string {
  const shown = text.replace(hiddenFormula, "$1'");
  return isFormula.test(shown) ? `'${shown}` : shown;
}

/**
 * Rows as CSV, a row at a time and no faster than they are read: comma, every text in quotes, lines that
 * end as RFC 4180 says. It begins with a byte order mark: without one Excel reads UTF-8 as the local
 * code page, and breaks every name that is not English; other readers skip it.
 * @returns bytes; it fails as the rows do
 */
export function csvOf<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): Readable {
  const cells = async function* () {
    yield columns.map(({ header }) => header);
    for await (const row of rows) {
      yield columns.map(({ of }) => {
        const value = of(row);
        return typeof value === 'string' ? spreadsheetText(value) : value;
      });
    }
  };
  const text = stringify({ bom: true, quoted_string: true, record_delimiter: '\r\n' });
  // Its callback is asked for; whoever reads is told of a failure by the stream itself.
  return pipeline(Readable.from(cells()), text, () => undefined);
}
