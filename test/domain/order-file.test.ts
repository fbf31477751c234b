import test from 'ava';
import { type OrderRow, readOrderColumns, readOrderRow } from '../../domain/order-file.ts';

const refused = (message: RegExp) => ({ code: 'VALIDATION_FAILED', message });

test('columns are known whatever their order, case and separators, and others are passed over', (t) => {
  const columns = readOrderColumns(['Customer', 'SUBTOTAL', 'external_order-id', ' Occurred At ']);
  t.deepEqual(Object.fromEntries(columns), { subtotal: 1, externalOrderId: 2, occurredAt: 3 });
});

const headers: [header: string[], message: RegExp][] = [
  [['subtotal'], /^Row 1: there is no column externalOrderId\. The columns are "subtotal"\.$/],
  [['externalOrderId'], /^Row 1: there must be a column subtotal .* or subtotalCents/],
  [['externalOrderId', 'subtotal', 'subtotalCents'], /one of them\.$/],
  [['externalOrderId', 'subtotal', 'Sub_Total'], /^Row 1: the column subtotal appears twice\.$/],
];

for (const [header, message] of headers) {
  test(`a header of ${header.join(', ')} is refused`, (t) => {
    t.throws(() => readOrderColumns(header), refused(message));
  });
}

const columns = readOrderColumns([
  'externalOrderId',
  'subtotal',
  'currency',
  'occurredAt',
  'refunded',
]);
const cents = readOrderColumns(['externalOrderId', 'subtotalCents']);

const rows: [cells: string[], expected: Partial<OrderRow>][] = [
  [
    [' A1 ', '49.90', 'usd', '', ''],
    { externalOrderId: 'A1', subtotalCents: 4_990, currency: 'USD' },
  ],
  [['A1', '49,9', '', '', ''], { subtotalCents: 4_990, currency: null }],
  [['A', '1', '', '', 'true'], { externalOrderId: 'A', refunded: true }],
  [['a'.repeat(160), '1', '', '', 'refunded'], { refunded: true }],
  [['A1', '1', '', '', 'False'], { refunded: false }],
  [['A1', '1', '', '', '0'], { refunded: false }],
  [['A1', '0', '', '', 'no'], { subtotalCents: 0, refunded: false }],
  [['A1', '1000000.00', '', '', 'YES'], { subtotalCents: 100_000_000, refunded: true }],
  [['=1+1', '1', '', '', '1'], { externalOrderId: '=1+1', refunded: true }],
  [
    ['A1', '1', '', '2026-01-31T09:30:00+01:00', ''],
    { occurredAt: '2026-01-31T08:30:00.000Z', refunded: null },
  ],
];

for (const [cells, expected] of rows) {
  test(`the row ${cells.join(' | ')} is read`, (t) => {
    t.like(readOrderRow(columns, cells, 7), { row: 7, ...expected });
  });
}

test('whole cents are read as they are', (t) => {
  t.like(readOrderRow(cents, ['A1', '4990'], 2), { subtotalCents: 4_990, currency: null });
});

const faults: [cells: string[], message: RegExp][] = [
  [
    ['', '1', '', '', ''],
    /^Row 7: externalOrderId must be 1 to 160 printable characters, not ""\.$/,
  ],
  [['x'.repeat(161), '1', '', '', ''], /not "x{40}…"\.$/],
  [['a\u0007', '1', '', '', ''], /externalOrderId/],
  [['A1', '', '', '', ''], /^Row 7: subtotal must be an amount such as 49\.90.*, not ""\.$/],
  [['A1', '1,234', '', '', ''], /subtotal/],
  [['A1', '1.234,50', '', '', ''], /subtotal/],
  [['A1', '-1', '', '', ''], /subtotal/],
  [['A1', '1e3', '', '', ''], /subtotal/],
  [['A1', '$5', '', '', ''], /subtotal/],
  [['A1', '1000000.01', '', '', ''], /subtotal/],
  [['A1', '1', 'dollars', '', ''], /currency must be three letters/],
  [['A1', '1', '', '2026-01-31', ''], /occurredAt must be ISO 8601 with a timezone offset/],
  [['A1', '1', '', '2026-02-30T00:00:00Z', ''], /occurredAt/],
  [['A1', '1', '', '2026-01-31T00:00:00+99:00', ''], /occurredAt/],
  [['A1', '1', '', '', 'perhaps'], /refunded must be true or false/],
  [['A1', '1', '', '', '__proto__'], /refunded/],
];

for (const [cells, message] of faults) {
  test(`the row ${cells.join(' | ').slice(0, 60)} is refused, with its number`, (t) => {
    t.throws(() => readOrderRow(columns, cells, 7), refused(message));
  });
}

test('cents with a point are refused', (t) => {
  t.throws(
    () => readOrderRow(cents, ['A1', '49.90'], 2),
    refused(/^Row 2: subtotalCents must be whole/),
  );
});

test('of a cell that is refused, so much is shown and no more', (t) => {
  const [whole, longer] = ['x'.repeat(40), 'x'.repeat(41)];
  const read = (text: string) => () => readOrderRow(columns, ['A1', text, '', '', ''], 2);
  t.throws(read(whole), refused(new RegExp(`"${whole}"`)));
  t.throws(read(longer), refused(new RegExp(`"${whole}…"`)));
});
