import test from 'ava';
import {
  differencesOf,
  isFurtherItem,
  missingRefundOf,
  type OrderColumnNames,
  type OrderColumns,
  type OrderRow,
  type Repair,
  type ReportedOrder,
  readOrderColumns,
  readOrderRow,
} from '../../domain/orders.ts';

const reported: ReportedOrder = {
  eventId: 'evt_1',
  externalOrderId: 'A1',
  subtotalCents: 4_990,
  currency: 'USD',
  occurredAt: '2026-03-01T12:00:00.500Z',
  refundedCents: null,
};

const listed: OrderRow = {
  row: 2,
  externalOrderId: 'A1',
  subtotalCents: 4_990,
  currency: 'USD',
  occurredAt: '2026-03-01T12:00:00.000Z',
  refunded: false,
  refundedCents: null,
};

const cases: [title: string, row: Partial<OrderRow>, report: Partial<ReportedOrder>, string[]][] = [
  ['the same', {}, {}, []],
  ['fields missing in the file', { currency: null, occurredAt: null, refunded: null }, {}, []],
  ['fields missing in the report', {}, { occurredAt: null }, []],
  [
    'another subtotal',
    { subtotalCents: 4_500 },
    {},
    ['subtotal: 45.00 in the file, 49.90 reported'],
  ],
  ['another currency', { currency: 'EUR' }, {}, ['currency: EUR in the file, USD reported']],
  [
    'another time',
    { occurredAt: '2026-03-01T12:00:01.000Z' },
    {},
    ['occurredAt: 2026-03-01T12:00:01Z in the file, 2026-03-01T12:00:00Z reported'],
  ],
  [
    'an unreported refund',
    { refunded: true },
    {},
    ['refund: refunded in the file, not refunded reported'],
  ],
  ['the refund of a part', { refunded: null, refundedCents: 1_200 }, { refundedCents: 1_200 }, []],
  ['no refund, in cents', { refundedCents: 0 }, {}, []],
  [
    'a refund of an order of nothing',
    { subtotalCents: 0, refunded: true },
    { subtotalCents: 0, refundedCents: 0 },
    [],
  ],
  [
    'a whole refund of which a part was reported',
    { refunded: true, refundedCents: 4_990 },
    { refundedCents: 1_200 },
    [
      'refund: refunded in the file, partly refunded reported',
      'amount refunded: 49.90 in the file, 12.00 reported',
    ],
  ],
  [
    'a part that was not reported',
    { refunded: null, refundedCents: 1_200 },
    {},
    ['amount refunded: 12.00 in the file, 0.00 reported'],
  ],
  [
    'a part that is not in the file',
    {},
    { refundedCents: 1_200 },
    ['refund: not refunded in the file, partly refunded reported'],
  ],
  [
    'a refund missing in the file, and another subtotal',
    { subtotalCents: 1 },
    { refundedCents: 4_990 },
    [
      'subtotal: 0.01 in the file, 49.90 reported',
      'refund: not refunded in the file, refunded reported',
    ],
  ],
];

for (const [title, row, report, differences] of cases) {
  test(`compared: ${title}`, (t) => {
    t.deepEqual(differencesOf({ ...listed, ...row }, { ...reported, ...report }), differences);
  });
}

const repairs: [string, Partial<OrderRow>, Partial<ReportedOrder>, Repair | null][] = [
  [
    'all of an order',
    { refunded: true },
    {},
    { report: 'REFUND', body: { externalOrderId: 'A1' }, add: [] },
  ],
  [
    'the rest of an order',
    { refunded: null, refundedCents: 4_990 },
    { refundedCents: 1_200 },
    { report: 'REFUND', body: { externalOrderId: 'A1' }, add: [] },
  ],
  [
    'a part of an order, which needs an id',
    { refunded: null, refundedCents: 1_500 },
    { refundedCents: 1_200 },
    {
      report: 'REFUND',
      body: { externalOrderId: 'A1', amountCents: 300 },
      add: ['externalRefundId'],
    },
  ],
  [
    'less than was reported',
    { refunded: null, refundedCents: 1_000 },
    { refundedCents: 1_200 },
    null,
  ],
  ['more than the order', { refunded: null, refundedCents: 5_000 }, {}, null],
  ['what was reported', { refunded: true }, { refundedCents: 4_990 }, null],
];

for (const [title, row, report, repair] of repairs) {
  test(`the refund to send for ${title}`, (t) => {
    t.deepEqual(missingRefundOf({ ...listed, ...row }, { ...reported, ...report }), repair);
  });
}

const refused = (message: RegExp) => ({ code: 'VALIDATION_FAILED', message });

test('columns are recognized in any order, case and with any separators, and others are ignored', (t) => {
  const columns = readOrderColumns(['Customer', 'SUBTOTAL', 'external_order-id', ' Occurred At ']);
  t.deepEqual(indexes(columns), { externalOrderId: 2, subtotal: 1, occurredAt: 3 });
});

const indexes = (columns: OrderColumns) =>
  Object.fromEntries([...columns].map(([name, { index }]) => [name, index]));

test('a shop’s own column names replace ours, and the other columns keep theirs', (t) => {
  const header = ['Name', 'Email', 'Subtotal', 'Total', 'Currency', 'Created at'];
  const names = { externalOrderId: ' name', subtotal: 'Total', occurredAt: 'Created at' };
  const columns = readOrderColumns(header, names);
  t.deepEqual(indexes(columns), { externalOrderId: 0, subtotal: 3, currency: 4, occurredAt: 5 });
  t.throws(
    () => readOrderRow(columns, ['A1', '', '1', 'much', '', ''], 2, 'USD'),
    refused(/^Row 2: Total must be an amount/),
  );
});

test('a column in cents has its own name', (t) => {
  const header = ['Order', 'Subtotal', 'Total (ct)'];
  const columns = readOrderColumns(header, {
    externalOrderId: 'Order',
    subtotalCents: 'Total (ct)',
  });
  t.like(readOrderRow(columns, ['A1', '1.00', '4990'], 2, 'USD'), { subtotalCents: 4_990 });
});

const missing: [header: string[], names: OrderColumnNames, message: RegExp][] = [
  [
    ['Order', 'Subtotal'],
    { externalOrderId: 'Order No' },
    /^Row 1: there is no column Order No\. The columns are "Order, Subtotal"\.$/,
  ],
  [['Order', 'Subtotal'], { externalOrderId: 'Order', currency: 'Money' }, /no column Money/],
  [
    ['Order', 'Total', 'TOTAL'],
    { externalOrderId: 'Order', subtotal: 'Total' },
    /Total appears twice/,
  ],
];

for (const [header, names, message] of missing) {
  test(`in ${header.join(', ')}, ${Object.values(names).join(' and ')} is refused under its own name`, (t) => {
    t.throws(() => readOrderColumns(header, names), refused(message));
  });
}

test('a row that repeats its order without an amount is another item of it', (t) => {
  const before = readOrderRow(cents, ['A1', '4990'], 2, 'USD');
  t.true(isFurtherItem(cents, ['A1', ' '], before));
  t.false(isFurtherItem(cents, ['A1', '4990'], before), 'a row with an amount repeats the order');
  t.false(isFurtherItem(cents, ['A2', ''], before), 'a row without an amount names another order');
  t.false(isFurtherItem(cents, ['', ''], undefined), 'the first row has no order before it');
});

const headers: [header: string[], message: RegExp][] = [
  [['subtotal'], /^Row 1: there is no column externalOrderId\. The columns are "subtotal"\.$/],
  [['externalOrderId'], /^Row 1: there must be a column subtotal .* or subtotalCents/],
  [
    ['Order', 'Subtotal', 'Sub_Total'],
    /^Row 1: the column subtotal appears twice; there is no column externalOrderId\. /,
  ],
  [['externalOrderId', 'subtotal', 'subtotalCents'], /but not both\. The columns are/],
  [
    ['externalOrderId', 'subtotal', 'Sub_Total'],
    /^Row 1: the column subtotal appears twice\. The columns are [^.]*\.$/,
  ],
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
    [' A1 ', ' 49.90 ', 'usd', '', ''],
    { externalOrderId: ' A1 ', subtotalCents: 4_990, currency: 'USD' },
  ],
  [['A1', '49,9', '', '', ''], { subtotalCents: 4_990, currency: null }],
  [['A1', '49.9000'], { subtotalCents: 4_990, currency: null, occurredAt: null, refunded: null }],
  [['A1', '4990.00', 'JPY'], { subtotalCents: 4_990 }],
  [['A1', '4.990', 'KWD'], { subtotalCents: 4_990 }],
  [['A1', '4.990000', 'KWD'], { subtotalCents: 4_990 }],
  [['A1', '1', '', '', 'perhaps'], { refunded: null, unknownStatus: 'perhaps' }],
  [['A1', '1', '', '', '__proto__'], { refunded: null, unknownStatus: '__proto__' }],
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
  [
    ['A1', '1', '', '2026-01-31 09:30:00 +0100', 'paid'],
    { occurredAt: '2026-01-31T08:30:00.000Z', refunded: false },
  ],
  [
    ['A1', '1', '', '2026-01-31 09:30:00Z', 'partially_refunded'],
    { occurredAt: '2026-01-31T09:30:00.000Z', refunded: null },
  ],
];

for (const [cells, expected] of rows) {
  test(`the row ${cells.join(' | ')} is accepted`, (t) => {
    t.like(readOrderRow(columns, cells, 7, 'USD'), { row: 7, ...expected });
  });
}

test('a row with a refund id is a refund, whose amount may be left out', (t) => {
  const of = readOrderColumns(['externalOrderId', 'subtotal', 'externalRefundId', 'amountCents']);
  const read = (cells: string[]) => readOrderRow(of, cells, 3, 'USD');
  const refund = { row: 3, externalOrderId: 'A1', externalRefundId: 'R1', occurredAt: null };
  t.deepEqual(read(['A1', '4.50', 'R1']), { ...refund, amountCents: 450 });
  t.deepEqual(read(['A1', '', 'R1', '99']), { ...refund, amountCents: 99 });
  t.deepEqual(read(['A1', '', 'R1']), { ...refund, amountCents: null });
  t.throws(() => read(['A1', '', '']), refused(/^Row 3: subtotal must be/));
  t.false(isFurtherItem(of, ['A1', '', 'R1'], listed));
  const refunded = readOrderColumns([
    'externalOrderId',
    'externalRefundId',
    'refundedAmount',
    'subtotal',
  ]);
  t.like(readOrderRow(refunded, ['A1', 'R1', '4500', '9000'], 3, 'JPY'), { amountCents: 4_500 });
});

test('whole cents are read unchanged', (t) => {
  t.like(readOrderRow(cents, ['A1', '4990'], 2, 'USD'), { subtotalCents: 4_990, currency: null });
});

const faults: [cells: string[], message: RegExp][] = [
  [
    ['', '1', '', '', ''],
    /^Row 7: externalOrderId must be 1 to 160 printable characters, not ""\.$/,
  ],
  [['x'.repeat(161), '1', '', '', ''], /not "x{40}…"\.$/],
  [['a\u0007', '1', '', '', ''], /externalOrderId/],
  [['A1', '', '', '', ''], /^Row 7: subtotal must be an amount in USD such as 49\.90.*, not ""\.$/],
  [['A1', '1.000', '', '', ''], /subtotal/],
  [['A1', '1.2345', '', '', ''], /subtotal/],
  [['', '$5', 'dollars'], /^Row 7: externalOrderId .*; currency .*; subtotal .*\.$/],
  [['A1', '4.9', 'JPY'], /subtotal must be an amount in JPY such as 4990/],
  [['A1', '4.9901', 'KWD'], /subtotal/],
  [['A1', '-1', '', '', ''], /subtotal/],
  [['A1', '1e3', '', '', ''], /subtotal/],
  [['A1', '$5', '', '', ''], /subtotal/],
  [['A1', '1000000.01', '', '', ''], /subtotal/],
  [['A1', '1', 'dollars', '', ''], /currency must be the three letters of a currency/],
  [['A1', '1', '', '2026-01-31', ''], /occurredAt must be ISO 8601 with a timezone offset/],
  [['A1', '1', '', '2026-02-30T00:00:00Z', ''], /occurredAt/],
  [['A1', '1', '', '2026-01-31T00:00:00+99:00', ''], /occurredAt/],
  [['A1', '1', '', '2026-01-31 09:30:00', ''], /with a timezone offset/],
];

for (const [cells, message] of faults) {
  test(`the row ${cells.join(' | ').slice(0, 60)} is refused with its number`, (t) => {
    t.throws(() => readOrderRow(columns, cells, 7, 'USD'), refused(message));
  });
}

test('cents with a decimal point are refused', (t) => {
  t.throws(
    () => readOrderRow(cents, ['A1', '49.90'], 2, 'USD'),
    refused(/^Row 2: subtotalCents must be whole/),
  );
});

test('a refused cell is quoted up to 40 characters', (t) => {
  const [whole, longer] = ['x'.repeat(40), 'x'.repeat(41)];
  const read = (text: string) => () => readOrderRow(columns, ['A1', text, '', '', ''], 2, 'USD');
  t.throws(read(whole), refused(new RegExp(`"${whole}"`)));
  t.throws(read(longer), refused(new RegExp(`"${whole}…"`)));
});
