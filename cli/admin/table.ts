import Table from 'cli-table3';
import { printable } from '../printable.ts';

const maxWidth = 120;
const minColumnWidth = 8;
/** One space on each side of a cell. */
const padding = 2;

export type Row = Record<string, unknown>;

/** A header and the name of the field in its column. */
export type Column = readonly [header: string, field: string];

/** A table of rows, whose cells are wrapped so that no line is longer than 120 characters. */
export function listTable(columns: readonly Column[], rows: readonly Row[]): string {
  const head = columns.map(([header]) => header);
  const cells = rows.map((row) => columns.map(([, field]) => cellText(row[field], 0)));
  const table = new Table({
    head,
    colWidths: columnWidths([head, ...cells]),
    wordWrap: true,
    wrapOnWordBoundary: false,
    style: { head: [], border: [] },
  });
  table.push(...cells);
  return `${table.toString()}\n`;
}

/** All fields of one record, one per line. Nothing is wrapped, so that ids can be copied. */
export function recordTable(row: Row): string {
  const names = Object.keys(row);
  const width = Math.max(0, ...names.map((name) => name.length)) + padding;
  const lines = names.map((name) => {
    const text = cellText(row[name], 2).replaceAll('\n', `\n${' '.repeat(width)}`);
    return name.padEnd(width) + text;
  });
  return `${lines.join('\n')}\n`;
}

/**
 * The natural width of each column; the widest is narrowed until all fit. Columns of ids are narrowed
 * last, so that ids can be copied.
 */
function columnWidths(rows: string[][]): number[] {
  const count = rows[0]?.length ?? 0;
  const columns = Array.from({ length: count }, (_, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    return { width: padding + Math.max(...cells.map(longestLine)), isId: containsIds(cells) };
  });
  const room = Math.max(maxWidth - (count + 1), count * minColumnWidth);
  while (columns.reduce((sum, { width }) => sum + width, 0) > room) {
    const texts = columns.filter(({ width, isId }) => !isId && width > minColumnWidth);
    const widest = (texts.length > 0 ? texts : columns).toSorted((a, b) => b.width - a.width)[0];
    if (widest) widest.width -= 1;
  }
  return columns.map(({ width }) => width);
}

/** Whether every cell below the header is an id. */
function containsIds(cells: string[]): boolean {
  return (
    cells.length > 1 && cells.slice(1).every((text) => /^[A-Za-z]{3}_[0-9A-Z]{26}$/.test(text))
  );
}

function longestLine(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

function cellText(value: unknown, indent: number): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return printable(value.join(', '));
  }
  if (typeof value === 'object') {
    return JSON.stringify(value, null, indent).split('\n').map(printable).join('\n');
  }
  return printable(String(value).replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z'));
}
