import { createRequire } from 'node:module';
import test from 'ava';
import fc from 'fast-check';

/** The plug-in is CommonJS, which is not checked with the service's modules: what is used of it is declared here. */
interface OrderStates {
  stateOf(
    order: Order,
    digits: number,
  ): { earningCents: number; isPaid: boolean; pointsBackCents: number };
  reportOf(
    order: Order,
    how: { digits: number; when: 'CAPTURED' | 'PLACED'; known: Known | null },
  ): { kind: string; amountCents?: number };
  reasonAgainst(order: Order, digits: number, when: 'CAPTURED' | 'PLACED'): string | null;
  wholeMinorUnits(amount: unknown, digits: number): number;
}

interface Known {
  subtotalCents: number;
  refunds: { amountCents: number }[];
}

type Order = Record<string, unknown>;

const { stateOf, reportOf, reasonAgainst, wholeMinorUnits }: OrderStates = createRequire(
  import.meta.url,
)('../../../clients/medusa/src/order-state.ts');

/** Orders as a Medusa 2.21 has them: shirts of 49.90 with 10 % tax, and 5.50 for shipping with its tax. */
const price = 49.9;
const shipping = 5.5;

interface Bought {
  shirts?: number;
  /** What was taken off the goods, without tax. */
  discount?: number;
  captured?: number;
  refunded?: number;
  /** Points that paid. */
  points?: number;
  /** A gift card or store credit that paid. */
  credit?: number;
  /** What Medusa took off the total because it was refunded without a return, or because somebody gave it. */
  lowered?: number;
  giftcards?: number;
  status?: string;
}

function orderOf({
  shirts = 1,
  discount = 0,
  captured = 0,
  refunded = 0,
  points = 0,
  credit = 0,
  lowered = 0,
  giftcards = 0,
  status = 'pending',
}: Bought = {}): Order {
  const ofCart = [
    ...(points
      ? [{ id: 'p', amount: points, reference: 'partner_events', reference_id: 'r' }]
      : []),
    ...(credit ? [{ id: 'c', amount: credit, reference: 'store-credit', reference_id: 's' }] : []),
  ];
  const goods = { subtotal: shirts * price, discount_subtotal: discount };
  const costs = (shirts * price - discount) * 1.1 + shipping + giftcards;
  return {
    id: 'order_1',
    status,
    email: 'a@b.co',
    created_at: '2026-01-01T00:00:00Z',
    currency_code: 'usd',
    items: [
      goods,
      ...(giftcards ? [{ subtotal: giftcards, discount_subtotal: 0, is_giftcard: true }] : []),
    ],
    total: costs - points - credit - lowered,
    credit_lines: [...ofCart, ...(lowered ? [{ id: 'l', amount: lowered, reference: null }] : [])],
    cart: { credit_lines: ofCart },
    payment_collections: [
      {
        payments: [
          {
            amount: captured,
            captures: captured ? [{ amount: captured }] : [],
            refunds: refunded ? [{ amount: refunded }] : [],
          },
          { amount: 999, canceled_at: '2026-01-01T00:00:00Z', captures: [{ amount: 999 }] },
        ],
      },
    ],
  };
}

const once = 60.39;
const twice = 115.28;

const earnings: [what: string, bought: Bought, earningCents: number, isPaid: boolean][] = [
  ['paid', { captured: once }, 4_990, true],
  ['not paid', {}, 4_990, false],
  ['paid in part', { captured: 40 }, 4_990, false],
  ['with a discount', { discount: 4.99, captured: 54.901 }, 4_491, true],
  ['edited up and not paid yet', { shirts: 2, captured: once }, 9_980, false],
  ['edited up and paid', { shirts: 2, captured: twice }, 9_980, true],
  [
    'edited up and paid, then partly refunded',
    { shirts: 2, captured: twice, refunded: 20, lowered: 20 },
    9_980 - Math.floor((9_980 * 2_000) / 11_528),
    true,
  ],
  ['edited down before it was captured', { shirts: 1, captured: once }, 4_990, true],
  ['edited down and not refunded yet', { shirts: 1, captured: twice }, 4_990, true],
  ['one of two returned', { captured: twice, refunded: 54.89 }, 4_990, true],
  ['exchanged for a dearer one, not paid yet', { shirts: 1.2, captured: once }, 5_988, false],
  ['all returned', { shirts: 0, captured: once, refunded: 54.89 }, 0, true],
  [
    'refunded in part',
    { captured: once, refunded: 20, lowered: 20 },
    4_990 - Math.floor((4_990 * 2_000) / 6_039),
    true,
  ],
  ['refunded in whole', { captured: once, refunded: once, lowered: once }, 0, true],
  [
    'refunded without a return, which came later',
    { captured: twice, refunded: 54.89, lowered: 54.89 },
    4_990,
    true,
  ],
  [
    'lowered by hand before it was captured',
    { captured: 40.39, lowered: 20 },
    4_990 - Math.floor((4_990 * 2_000) / 6_039),
    true,
  ],
  ['cancelled', { captured: once, refunded: once, lowered: once, status: 'canceled' }, 0, true],
  ['cancelled before it was paid', { status: 'canceled' }, 0, false],
  ['a draft', { captured: once, status: 'draft' }, 0, true],
  ['a gift card alone', { shirts: 0, giftcards: 50, captured: 55.5 }, 0, true],
  ['a gift card and a shirt', { giftcards: 50, captured: 110.39 }, 4_990, true],
  ['paid with a gift card', { credit: once }, 4_990, true],
  ['paid with points in part', { points: 4.99, captured: 55.4 }, 4_491, true],
  ['paid with points alone', { points: once }, 0, true],
  ['less than a cent is missing', { captured: 60.384 }, 4_990, true],
  ['a cent is missing', { captured: 60.38 }, 4_990, false],
  [
    'all but less than a cent refunded',
    { captured: once, refunded: 60.384, lowered: 60.384 },
    0,
    true,
  ],
];

for (const [what, bought, earningCents, isPaid] of earnings) {
  test(`an order that is ${what} earns on ${earningCents}`, (t) => {
    const state = stateOf(orderOf(bought), 2);
    t.is(state.earningCents, earningCents);
    t.is(state.isPaid, isPaid);
  });
}

const pointsBack: [what: string, bought: Bought, cents: number][] = [
  ['it stands', { points: 4.99, captured: 55.4 }, 0],
  ['its goods came back and its shipping costs more', { shirts: 0, points: 4.99 }, 0],
  ['its goods came back and its shipping costs less', { shirts: 0, points: once }, 5_489],
  ['one of two came back', { shirts: 1, points: twice }, 5_489],
  [
    'all of its money came back',
    { points: 4.99, captured: 55.4, refunded: 55.4, lowered: 55.4 },
    499,
  ],
  ['it was cancelled', { points: 4.99, status: 'canceled' }, 499],
  ['no points paid', { captured: once, status: 'canceled' }, 0],
];

for (const [what, bought, cents] of pointsBack) {
  test(`of an order of which ${what}, points of ${cents} are given back`, (t) => {
    t.is(stateOf(orderOf(bought), 2).pointsBackCents, cents);
  });
}

const known = (subtotalCents: number, ...refunds: number[]): Known => ({
  subtotalCents,
  refunds: refunds.map((amountCents) => ({ amountCents })),
});
const paid = orderOf({ captured: once });
const returned = orderOf({ captured: twice, refunded: 54.89 });

test('a purchase is reported once it is paid, or placed if the shop wants that', (t) => {
  const first = { digits: 2, known: null };
  const purchase = { kind: 'PURCHASE', subtotalCents: 4_990 };
  t.deepEqual(reportOf(paid, { ...first, when: 'CAPTURED' }), purchase);
  t.deepEqual(reportOf(orderOf(), { ...first, when: 'CAPTURED' }), { kind: 'NOTHING' });
  t.deepEqual(reportOf(orderOf(), { ...first, when: 'PLACED' }), purchase);
  for (const bought of [{ status: 'draft' }, { status: 'canceled' }, { points: once }]) {
    t.deepEqual(reportOf(orderOf(bought), { ...first, when: 'PLACED' }), { kind: 'NOTHING' });
  }
});

test('what is left at the service follows the order down, and a growth is for people', (t) => {
  const report = (order: Order, of: Known) =>
    reportOf(order, { digits: 2, when: 'CAPTURED', known: of });
  const refund = (number: number, amountCents: number) => ({
    kind: 'REFUND',
    externalRefundId: `order_1:${number}`,
    amountCents,
  });
  t.deepEqual(report(paid, known(4_990)), { kind: 'NOTHING' });
  t.deepEqual(report(returned, known(9_980)), refund(1, 4_990));
  t.deepEqual(report(returned, known(9_980, 1_000)), refund(2, 3_990));
  t.deepEqual(report(returned, known(9_980, 1_000, 3_990)), { kind: 'NOTHING' });
  t.deepEqual(report(orderOf({ status: 'canceled' }), known(4_990, 990)), refund(2, 4_000));
  t.deepEqual(report(orderOf({ shirts: 2, captured: twice }), known(4_990)), {
    kind: 'GROWN',
    byCents: 4_990,
  });
  // Edited up after the report, and then a part refunded: no less than was reported.
  const edited = orderOf({ shirts: 2, captured: twice, refunded: 20, lowered: 20 });
  t.is(report(edited, known(4_990)).kind, 'GROWN');
});

test('the administrator is told why an order earns nothing', (t) => {
  const reason = (order: Order) => reasonAgainst(order, 2, 'CAPTURED');
  t.is(reason(paid), null);
  t.regex(reason(orderOf()) ?? '', /not captured/);
  t.is(reasonAgainst(orderOf(), 2, 'PLACED'), null);
  t.regex(reason(orderOf({ status: 'canceled' })) ?? '', /cancelled/);
  t.regex(reason(orderOf({ shirts: 0, giftcards: 50, captured: 55.5 })) ?? '', /gift cards/);
  t.regex(reason({ ...paid, email: null }) ?? '', /email address/);
  const large = orderOf({ shirts: 30_000, captured: 2_000_000 });
  t.regex(reason(large) ?? '', /more than the 100,000,000/);
});

test('a currency has its own minor units', (t) => {
  const yen = { ...paid, items: [{ subtotal: 4_990, discount_subtotal: 0 }], total: 5_489 };
  const captured = [{ payments: [{ amount: 5_489, captures: [{ amount: 5_489 }] }] }];
  t.is(stateOf({ ...yen, payment_collections: captured }, 0).earningCents, 4_990);
  t.is(stateOf({ ...yen, payment_collections: captured }, 3).earningCents, 4_990_000);
});

test('points pay whole minor units', (t) => {
  t.is(wholeMinorUnits(34.116425, 2), 3_411);
  t.is(wholeMinorUnits(34.12, 2), 3_412);
  // 1.15 * 100 is less than 115.
  t.is(wholeMinorUnits(1.15, 2), 115);
  t.is(wholeMinorUnits(4_990.9, 0), 4_990);
});

test('whatever is refunded in whichever order, no more is refunded than was bought, and all if all is', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 6 }),
      fc.boolean(),
      (shirts, refunds, isRestRefunded) => {
        const whole = Math.round((shirts * price * 1.1 + shipping) * 100);
        const made: number[] = [];
        let left = whole;
        for (const wanted of refunds) {
          made.push(Math.min(wanted, left));
          left -= Math.min(wanted, left);
        }
        if (isRestRefunded) made.push(left);
        const subtotal = Math.round(shirts * price * 100);
        const reported: number[] = [];
        let refunded = 0;
        for (const cents of made) {
          refunded += cents;
          const amount = refunded / 100;
          const order = orderOf({
            shirts,
            captured: whole / 100,
            refunded: amount,
            lowered: amount,
          });
          const report = reportOf(order, {
            digits: 2,
            when: 'CAPTURED',
            known: known(subtotal, ...reported),
          });
          t.not(report.kind, 'GROWN');
          if (report.amountCents !== undefined) reported.push(report.amountCents);
        }
        const sum = reported.reduce((total, one) => total + one, 0);
        t.true(sum <= subtotal);
        t.true(reported.every((one) => one >= 1));
        if (refunded === whole) t.is(sum, subtotal);
      },
    ),
  );
});
