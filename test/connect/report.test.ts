import test from 'ava';
import fc from 'fast-check';
import { type Outcome, reportDelivery } from '../../connect/report.ts';
import { parseDelivery, usualEarns } from '../../domain/connections.ts';
import { translateShopify } from '../../domain/shopify.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import {
  shopifyLine,
  shopifyOrder,
  shopifyRefund,
  shopifyRefundLine,
} from '../helpers/shop-payloads.ts';
import { openWorkplace, type Workplace } from '../operations/helpers/workplace.ts';

let workplace: Workplace;
test.before(async () => {
  workplace = await openWorkplace();
});
test.after.always(() => workplace?.close());

/** A partner whose connection gets deliveries. */
async function connected() {
  const { deps, models, partner } = workplace;
  const { partnerId, integrationId, mode } = await partner();
  const rules = await findActiveRules(models, partnerId, mode);
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const from = {
    connectionId: newId('connection'),
    partnerId,
    integrationId,
    mode,
    platform: 'SHOPIFY' as const,
    earns: usualEarns,
    mayBuy: true,
    rules,
    country: 'US',
    delivery: 'SERVICE' as const,
    timeZone: 'UTC',
    hasRefundPolicy: false,
  };
  const settings = { earns: usualEarns, mode };
  return {
    async deliver([topic, body]: Delivery): Promise<Outcome[]> {
      const arrival = {
        requestId: newId('request'),
        receivedAt: new Date(),
        request: { method: 'POST', path: '/connect/:connectionId', status: 200 },
      };
      const said = translateShopify(topic, parseDelivery(JSON.stringify(body)), settings);
      return await reportDelivery({ ...deps, hashes }, from, arrival, said);
    },
    /** What was reported, without when: of each order its subtotal, and its refunds. */
    async reported() {
      const events = await models.orderEvents.find({ partnerId }).sort({ externalOrderId: 1 });
      return events
        .map((event) => {
          const { externalOrderId, externalRefundId, amountCents, purchase } = event;
          const cents = purchase?.arithmetic.subtotalCents ?? amountCents ?? 0;
          return `${externalOrderId} ${externalRefundId ?? 'purchase'} ${cents}`;
        })
        .toSorted();
    },
    waiting: () => models.waitingRefunds.countDocuments({ partnerId }),
  };
}

type Delivery = readonly [topic: string, body: Record<string, unknown>];

const lines = [shopifyLine('30.00', { id: 1 }), shopifyLine('20.00', { id: 2 })];
const order = (id: number) => shopifyOrder({ id, total_price: '55.00', line_items: lines });
const refundOf = (id: number, order_id: number, lineId: number, amount: string) =>
  shopifyRefund(amount, [shopifyRefundLine(amount, { lineId })], { id, order_id });

const deliveries: readonly Delivery[] = [
  ['orders/paid', order(1)],
  ['orders/paid', order(2)],
  ['refunds/create', refundOf(21, 2, 1, '30.00')],
  ['orders/paid', order(3)],
  ['refunds/create', refundOf(31, 3, 1, '30.00')],
  ['refunds/create', refundOf(32, 3, 2, '20.00')],
];

/** The orders as the shop has them at the end, as a nightly repair reads them. */
const atTheEnd: readonly Delivery[] = [
  ['orders/paid', order(1)],
  [
    'orders/paid',
    {
      ...order(2),
      financial_status: 'partially_refunded',
      line_items: [shopifyLine('30.00', { id: 1, current_quantity: 0 }), lines[1]],
      refunds: [refundOf(21, 2, 1, '30.00')],
    },
  ],
  [
    'orders/paid',
    {
      ...order(3),
      financial_status: 'refunded',
      line_items: lines.map((one) => ({ ...one, current_quantity: 0 })),
      refunds: [refundOf(31, 3, 1, '30.00'), refundOf(32, 3, 2, '20.00')],
    },
  ],
];

const expected = [
  '1 purchase 5000',
  '2 21 3000',
  '2 purchase 5000',
  '3 31 3000',
  '3 32 2000',
  '3 purchase 5000',
];

test('any order of deliveries, with repeats and at once, reports the same', async (t) => {
  const places = fc.shuffledSubarray([...deliveries.keys()], { minLength: deliveries.length });
  const repeats = fc.array(fc.nat({ max: deliveries.length - 1 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(places, repeats, fc.boolean(), async (order, again, isAtOnce) => {
      const { deliver, reported, waiting } = await connected();
      const sent = [...order, ...again].map((place) => deliveries[place] as Delivery);
      if (isAtOnce) await Promise.all(sent.map(deliver));
      else for (const one of sent) await deliver(one);
      t.deepEqual(await reported(), expected);
      t.is(await waiting(), 0);
    }),
    { numRuns: 15 },
  );
});

test('deliveries get lost, and the shop’s own orders bring what is missing', async (t) => {
  const some = fc.shuffledSubarray([...deliveries.keys()]);
  await fc.assert(
    fc.asyncProperty(some, async (order) => {
      const { deliver, reported, waiting } = await connected();
      for (const place of order) await deliver(deliveries[place] as Delivery);
      for (const one of atTheEnd) await deliver(one);
      t.deepEqual(await reported(), expected);
      t.is(await waiting(), 0);
    }),
    { numRuns: 15 },
  );
});

test('a cancelled order ends with nothing left, whatever comes first', async (t) => {
  const refund = refundOf(21, 1, 1, '30.00');
  const cancelled = {
    ...order(1),
    cancelled_at: '2026-03-26T10:00:00Z',
    refunds: [refund],
  };
  const all: Delivery[] = [
    ['orders/paid', order(1)],
    ['refunds/create', refund],
    ['orders/cancelled', cancelled],
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(all, { minLength: 3 }), async (sent) => {
      const { deliver, reported } = await connected();
      for (const one of sent) await deliver(one);
      const left = (await reported()).reduce((cents, line) => {
        const [, kind, amount] = line.split(' ');
        return cents + (kind === 'purchase' ? 1 : -1) * Number(amount);
      }, 0);
      t.is(left, 0);
    }),
    { numRuns: 12 },
  );
});
