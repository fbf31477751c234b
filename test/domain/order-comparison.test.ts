import test from 'ava';
import { differencesOf, type OrderRow, type ReportedOrder } from '../../domain/orders.ts';

const reported: ReportedOrder = {
  eventId: 'evt_1',
  externalOrderId: 'A1',
  subtotalCents: 4_990,
  currency: 'USD',
  occurredAt: '2026-03-01T12:00:00.500Z',
  isRefunded: false,
};

const listed: OrderRow = {
  row: 2,
  externalOrderId: 'A1',
  subtotalCents: 4_990,
  currency: 'USD',
  occurredAt: '2026-03-01T12:00:00.000Z',
  refunded: false,
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
  [
    'a refund missing in the file, and another subtotal',
    { subtotalCents: 1 },
    { isRefunded: true },
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
