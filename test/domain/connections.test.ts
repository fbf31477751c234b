import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import {
  type Earns,
  MalformedDelivery,
  parseDelivery,
  refundOf,
  type ShopPurchase,
  type ShopRefund,
  type Translation,
  usualEarns,
} from '../../domain/connections.ts';
import { currencyOfCountry, digitsOf } from '../../domain/currencies.ts';
import type { Mode } from '../../domain/mode.ts';
import { amountText, minorOf, parseAmount, subtotalShareOf } from '../../domain/shop-amounts.ts';
import { translateShopify } from '../../domain/shopify.ts';
import { translateStripe } from '../../domain/stripe.ts';
import { translateWooCommerce } from '../../domain/woocommerce.ts';
import {
  shopifyAdjustment,
  shopifyLine,
  shopifyOrder,
  shopifyRefund,
  shopifyRefundLine,
  stripeCharge,
  stripeEvent,
  stripeRefund,
  stripeSession,
  wooLine,
  wooOrder,
} from '../helpers/shop-payloads.ts';

interface Settings {
  earns?: Partial<Earns>;
  mode?: Mode;
}
type Translate = (body: unknown, settings?: Settings) => Translation;

const read = (body: unknown) => parseDelivery(JSON.stringify(body));
const usual = ({ earns, mode = 'LIVE' }: Settings = {}) => ({
  earns: { ...usualEarns, ...earns },
  mode,
});
const shopify =
  (topic: string): Translate =>
  (body, settings) =>
    translateShopify(topic, read(body), usual(settings));
const paid = shopify('orders/paid');
const cancelled = shopify('orders/cancelled');
const refunded = shopify('refunds/create');
const woo: Translate = (body, settings) =>
  translateWooCommerce('order.updated', read(body), usual(settings).earns);
const stripe: Translate = (body, settings) =>
  translateStripe(read(body), usual({ mode: 'TEST', ...settings }));
const session = (change = {}) => stripeEvent('checkout.session.completed', stripeSession(change));

/** What a translation says, in short: `purchase 4990 USD`, `refund 8001 1000`, `cancelled`, or the reason. */
function said(translation: Translation, subtotalCents = 4_990): string {
  if (translation.kind === 'NOTHING') return translation.reason;
  const { purchase, refunds, cancelled: ended, failed } = translation;
  const order = typeof purchase === 'string' || purchase === null ? null : purchase;
  const before: ShopPurchase = order ?? bought(subtotalCents);
  const parts = [
    ...(typeof purchase === 'string' ? [purchase] : []),
    ...(order ? [`purchase ${order.order.subtotalCents} ${order.order.currency}`] : []),
    ...refunds.map((refund) => `refund ${refund.externalRefundId} ${taken(refund, before)}`),
    ...(ended ? ['cancelled'] : []),
    ...(failed ? [`failed ${failed.externalRefundId} ${failed.amount}`] : []),
  ];
  return parts.join(', ');
}

const bought = (subtotalCents: number): ShopPurchase => ({
  customer: { email: 'jo@example.com' },
  order: { subtotalCents, currency: 'USD' },
  terms: {
    platform: 'SHOPIFY',
    earns: usualEarns,
    taxIncluded: false,
    total: '54.90',
    steps: [],
  },
});

const taken = (refund: ShopRefund, { order, terms }: ShopPurchase) =>
  refundOf(refund, terms, order).amountCents;

const yen = { currency: 'JPY', line_items: [shopifyLine('4990', { currency: 'JPY' })] };
const dinar = { currency: 'KWD', line_items: [shopifyLine('4.990', { currency: 'KWD' })] };
const withVat = { taxes_included: true, line_items: [shopifyLine('59.50', { tax: '9.50' })] };
const addedTax = { line_items: [shopifyLine('49.90', { tax: '4.99' })] };
const tip = shopifyLine('3.00', { id: 2, title: 'Tip', tip_payment_gateway: null });
const giftCard = shopifyLine('25.00', { id: 2, gift_card: true });
const nobody = { email: '', contact_email: null, customer: null };
const line = shopifyRefundLine;

const cases: [title: string, translation: () => Translation, said: string][] = [
  ['Shopify: a plain order', () => paid(shopifyOrder()), 'purchase 4990 USD'],
  [
    'Shopify: a discount',
    () => paid(shopifyOrder({ line_items: [shopifyLine('49.90', { discount: '9.98' })] })),
    'purchase 3992 USD',
  ],
  ['Shopify: prices with tax', () => paid(shopifyOrder(withVat)), 'purchase 5000 USD'],
  [
    'Shopify: prices with tax, which earns',
    () => paid(shopifyOrder(withVat), { earns: { tax: true } }),
    'purchase 5950 USD',
  ],
  ['Shopify: tax on top', () => paid(shopifyOrder(addedTax)), 'purchase 4990 USD'],
  [
    'Shopify: tax on top, which earns',
    () => paid(shopifyOrder(addedTax), { earns: { tax: true } }),
    'purchase 5489 USD',
  ],
  [
    'Shopify: shipping, which earns',
    () => paid(shopifyOrder(), { earns: { shipping: true } }),
    'purchase 5490 USD',
  ],
  [
    'Shopify: a tip',
    () => paid(shopifyOrder({ line_items: [shopifyLine('49.90'), tip] })),
    'purchase 4990 USD',
  ],
  [
    'Shopify: a tip, which earns',
    () =>
      paid(shopifyOrder({ line_items: [shopifyLine('49.90'), tip] }), { earns: { tips: true } }),
    'purchase 5290 USD',
  ],
  [
    'Shopify: a gift card is money, and no goods',
    () => paid(shopifyOrder({ line_items: [shopifyLine('49.90'), giftCard] })),
    'purchase 4990 USD',
  ],
  [
    'Shopify: a gift card alone',
    () => paid(shopifyOrder({ line_items: [giftCard] })),
    'ZERO_TOTAL',
  ],
  ['Shopify: yen', () => paid(shopifyOrder(yen)), 'purchase 4990 JPY'],
  ['Shopify: dinars', () => paid(shopifyOrder(dinar)), 'purchase 4990 KWD'],
  [
    'Shopify: the shop’s currency, not the customer’s',
    () =>
      paid(
        shopifyOrder({
          line_items: [
            {
              ...shopifyLine('45.10'),
              price: '45.10',
              price_set: {
                shop_money: { amount: '49.90', currency_code: 'USD' },
                presentment_money: { amount: '45.10', currency_code: 'EUR' },
              },
            },
          ],
        }),
      ),
    'purchase 4990 USD',
  ],
  ['Shopify: a guest', () => paid(shopifyOrder({ customer: null })), 'purchase 4990 USD'],
  [
    'Shopify: a phone number alone',
    () => paid(shopifyOrder({ ...nobody, phone: '+15555550123' })),
    'purchase 4990 USD',
  ],
  ['Shopify: no contact', () => paid(shopifyOrder(nobody)), 'NO_CONTACT'],
  [
    'Shopify: an address that is none',
    () => paid(shopifyOrder({ ...nobody, email: 'guest@' })),
    'NO_CONTACT',
  ],
  [
    'Shopify: edited before it was paid',
    () =>
      paid(
        shopifyOrder({ line_items: [shopifyLine('49.90', { quantity: 3, current_quantity: 1 })] }),
      ),
    'purchase 4990 USD',
  ],
  [
    'Shopify: a draft order, once it is paid',
    () => paid(shopifyOrder({ source_name: 'shopify_draft_order' })),
    'purchase 4990 USD',
  ],
  [
    'Shopify: not paid, whatever the topic',
    () => paid(shopifyOrder({ financial_status: 'pending' })),
    'OTHER_STATUS',
  ],
  [
    'Shopify: cancelled before it was counted',
    () => cancelled(shopifyOrder({ cancelled_at: '2026-03-24T12:00:00Z' })),
    'CANCELLED_BEFORE, cancelled',
  ],
  [
    'Shopify: cancelled, with its refund',
    () =>
      cancelled(
        shopifyOrder({
          cancelled_at: '2026-03-24T12:00:00Z',
          refunds: [shopifyRefund('54.90', [line('49.90')])],
        }),
      ),
    'CANCELLED_BEFORE, refund 8001 4990, cancelled',
  ],
  ['Shopify: a test order in LIVE', () => paid(shopifyOrder({ test: true })), 'TEST_ORDER'],
  [
    'Shopify: a test order in TEST',
    () => paid(shopifyOrder({ test: true }), { mode: 'TEST' }),
    'purchase 4990 USD',
  ],
  ['Shopify: nothing to pay', () => paid(shopifyOrder({ line_items: [] })), 'ZERO_TOTAL'],
  [
    'Shopify: more than an order can be',
    () => paid(shopifyOrder({ line_items: [shopifyLine('9999999.00')] })),
    'BEYOND_LIMIT',
  ],
  [
    'Shopify: a refund by lines, without its tax',
    () => refunded(shopifyRefund('11.00', [line('10.00', { tax: '1.00' })])),
    'refund 8001 1000',
  ],
  [
    'Shopify: a refund of shipping alone',
    () =>
      refunded(
        shopifyRefund('5.00', [], {
          order_adjustments: [shopifyAdjustment('-5.00', 'shipping_refund')],
        }),
      ),
    'refund 8001 0',
  ],
  [
    'Shopify: a refund of an amount, without lines',
    () =>
      refunded(shopifyRefund('10.98', [], { order_adjustments: [shopifyAdjustment('-10.98')] })),
    'refund 8001 998',
  ],
  [
    'Shopify: a refund of lines, of which the shop keeps a fee',
    () =>
      refunded(
        shopifyRefund('8.00', [line('10.00')], {
          order_adjustments: [shopifyAdjustment('2.00', 'refund_discrepancy')],
        }),
      ),
    'refund 8001 800',
  ],
  [
    'Shopify: goods back in stock, and no money',
    () => refunded(shopifyRefund(null, [line('10.00')])),
    'NO_MONEY_BACK',
  ],
  [
    'Shopify: a refund of a gift card',
    () => refunded(shopifyRefund('25.00', [line('25.00', { gift_card: true })])),
    'refund 8001 0',
  ],
  [
    'Shopify: an order as it is later, with its refund',
    () =>
      paid(
        shopifyOrder({
          financial_status: 'partially_refunded',
          line_items: [shopifyLine('10.00', { quantity: 3, current_quantity: 2 })],
          refunds: [shopifyRefund('10.00', [line('10.00')])],
        }),
      ),
    'purchase 3000 USD, refund 8001 1000',
  ],
  ['Shopify: another topic', () => shopify('orders/create')(shopifyOrder()), 'OTHER_TOPIC'],
  ['WooCommerce: a plain order', () => woo(wooOrder()), 'purchase 4990 USD'],
  ['WooCommerce: completed', () => woo(wooOrder({ status: 'completed' })), 'purchase 4990 USD'],
  [
    'WooCommerce: a coupon',
    () => woo(wooOrder({ line_items: [wooLine('49.90', { total: '44.91' })] })),
    'purchase 4491 USD',
  ],
  [
    'WooCommerce: tax, shipping and a fee, which earn',
    () =>
      woo(
        wooOrder({
          line_items: [wooLine('49.90', { tax: '4.99' })],
          shipping_tax: '0.50',
          fee_lines: [{ id: 3, total: '2.00', total_tax: '0.20' }],
        }),
        { earns: { tax: true, shipping: true, tips: true } },
      ),
    'purchase 6259 USD',
  ],
  [
    'WooCommerce: a negative fee lowers what earns',
    () => woo(wooOrder({ fee_lines: [{ id: 3, total: '-10.00', total_tax: '0.00' }] })),
    'purchase 3990 USD',
  ],
  [
    'WooCommerce: yen',
    () => woo(wooOrder({ currency: 'JPY', line_items: [wooLine('4990')] })),
    'purchase 4990 JPY',
  ],
  [
    'WooCommerce: dinars',
    () => woo(wooOrder({ currency: 'KWD', line_items: [wooLine('4.990')] })),
    'purchase 4990 KWD',
  ],
  [
    'WooCommerce: lines with more decimals are rounded once',
    () =>
      woo(wooOrder({ line_items: [wooLine('16.5283'), wooLine('16.5283'), wooLine('0.0034')] })),
    'purchase 3306 USD',
  ],
  ['WooCommerce: on hold', () => woo(wooOrder({ status: 'on-hold' })), 'OTHER_STATUS'],
  [
    'WooCommerce: a guest without an address',
    () => woo(wooOrder({ billing: { email: '', phone: '' } })),
    'NO_CONTACT',
  ],
  [
    'WooCommerce: a phone number alone',
    () => woo(wooOrder({ billing: { email: '', phone: '+15555550123' } })),
    'purchase 4990 USD',
  ],
  [
    'WooCommerce: several refunds, newest first',
    () =>
      woo(
        wooOrder({
          refunds: [
            { id: 735, reason: '', total: '-43.92' },
            { id: 733, reason: '', total: '-10.98' },
          ],
        }),
      ),
    'purchase 4990 USD, refund 733 998, refund 735 3992',
  ],
  [
    'WooCommerce: refunded as a whole',
    () => woo(wooOrder({ status: 'refunded', refunds: [{ id: 733, total: '-54.90' }] })),
    'purchase 4990 USD, refund 733 4990, cancelled',
  ],
  [
    'WooCommerce: cancelled',
    () => woo(wooOrder({ status: 'cancelled' })),
    'CANCELLED_BEFORE, cancelled',
  ],
  [
    'WooCommerce: another topic',
    () => translateWooCommerce('product.updated', read({ id: 1 }), usualEarns),
    'OTHER_TOPIC',
  ],
  ['Stripe: a plain payment', () => stripe(session()), 'purchase 4990 USD'],
  [
    'Stripe: a discount and tax on top',
    () =>
      stripe(
        session({
          amount_total: 5_490,
          total_details: { amount_discount: 500, amount_shipping: 500, amount_tax: 500 },
        }),
      ),
    'purchase 4490 USD',
  ],
  [
    'Stripe: tax and shipping, which earn',
    () =>
      stripe(
        session({ total_details: { amount_discount: 0, amount_shipping: 500, amount_tax: 490 } }),
        { earns: { tax: true, shipping: true } },
      ),
    'purchase 5490 USD',
  ],
  ['Stripe: yen have no decimals', () => stripe(session({ currency: 'jpy' })), 'purchase 4990 JPY'],
  [
    'Stripe: krónur are sent with two that are always zero',
    () =>
      stripe(
        session({
          currency: 'isk',
          amount_total: 500_000,
          total_details: {},
          shipping_cost: null,
        }),
      ),
    'purchase 5000 ISK',
  ],
  [
    'Stripe: ariary are sent without any',
    () =>
      stripe(
        session({ currency: 'mga', amount_total: 5_000, total_details: {}, shipping_cost: null }),
      ),
    'purchase 500000 MGA',
  ],
  ['Stripe: dinars have three', () => stripe(session({ currency: 'kwd' })), 'purchase 4990 KWD'],
  ['Stripe: not paid yet', () => stripe(session({ payment_status: 'unpaid' })), 'OTHER_STATUS'],
  [
    'Stripe: paid later',
    () => stripe(stripeEvent('checkout.session.async_payment_succeeded', stripeSession())),
    'purchase 4990 USD',
  ],
  [
    'Stripe: nothing to pay',
    () => stripe(session({ payment_status: 'no_payment_required' })),
    'ZERO_TOTAL',
  ],
  [
    'Stripe: a subscription',
    () => stripe(session({ mode: 'subscription', payment_intent: null })),
    'NOT_A_PAYMENT',
  ],
  ['Stripe: the other mode', () => stripe(session(), { mode: 'LIVE' }), 'OTHER_MODE'],
  ['Stripe: a part is refunded', () => stripe(stripeRefund(0, 1_098)), 'refund ch_3Made:1098 998'],
  [
    'Stripe: another part, and so all',
    () => stripe(stripeRefund(1_098, 5_490)),
    'refund ch_3Made:5490 3992',
  ],
  [
    'Stripe: a refund that failed',
    () =>
      stripe(
        stripeEvent('refund.updated', {
          id: 're_1',
          payment_intent: 'pi_3Made',
          amount: 1_098,
          currency: 'usd',
          status: 'failed',
        }),
      ),
    'failed re_1 10.98',
  ],
  [
    'Stripe: a refund that is well',
    () =>
      stripe(
        stripeEvent('refund.updated', {
          id: 're_1',
          payment_intent: 'pi_3Made',
          amount: 1_098,
          currency: 'usd',
          status: 'succeeded',
        }),
      ),
    'OTHER_STATUS',
  ],
  ['Stripe: another type', () => stripe(stripeEvent('customer.created', {})), 'OTHER_TOPIC'],
];

for (const [title, translation, expected] of cases) {
  test(title, (t) => t.is(said(translation()), expected));
}

const malformed: [string, () => unknown][] = [
  ['no JSON', () => parseDelivery('{"id":')],
  ['a list', () => parseDelivery('[]')],
  ['an order without an id', () => paid(shopifyOrder({ id: null }))],
  ['an id that is none', () => paid(shopifyOrder({ id: '<script>' }))],
  ['lines that are no list', () => paid(shopifyOrder({ line_items: {} }))],
  ['a price that is none', () => woo(wooOrder({ line_items: [wooLine('1e3')] }))],
  ['a price that is an object', () => woo(wooOrder({ total: {} }))],
  ['a time that is none', () => woo(wooOrder({ date_paid_gmt: 'yesterday' }))],
  ['a Stripe amount with decimals', () => stripe(session({ amount_total: 54.9 }))],
  [
    'a Stripe refund that does not say what was refunded before',
    () => stripe(stripeEvent('charge.refunded', stripeCharge(100))),
  ],
];

for (const [title, translate] of malformed) {
  test(`${title} is malformed`, (t) => {
    t.throws(translate, { instanceOf: MalformedDelivery });
  });
}

test('ids beyond the safe integers are read digit by digit', (t) => {
  const text = JSON.stringify(shopifyOrder()).replace('"id":5001', '"id":820982911946154508');
  const translation = translateShopify('orders/paid', parseDelivery(text), usual());
  t.is(translation.externalOrderId, '820982911946154508');
});

test('the arithmetic is shown from the platform’s own numbers', (t) => {
  const order = shopifyOrder({ line_items: [shopifyLine('49.90', { discount: '9.98' })] });
  const { purchase } = paid(order, { earns: { shipping: true } }) as { purchase: ShopPurchase };
  t.deepEqual(purchase.terms.steps, [
    { name: 'GOODS', amount: '49.90' },
    { name: 'DISCOUNTS', amount: '-9.98' },
    { name: 'SHIPPING', amount: '5.00' },
  ]);
});

const currency = fc.constantFrom('USD', 'JPY', 'KWD', currencyOfCountry('DE') ?? 'EUR');
const cents = fc.integer({ min: 0, max: 5_000_000 });
/** Minor units as a shop writes them. */
const written = (units: number, code: string) =>
  amountText(BigInt(units) * 10n ** BigInt(10 - digitsOf(code)), code);

test('an amount that a shop writes is read as the minor units that it was', (t) => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), currency, (units, code) => {
      const small = units % 10 ** 12;
      t.is(minorOf(parseAmount(written(small, code)) ?? 0n, code), small);
    }),
  );
});

test('whatever an order consists of, its steps add up to its subtotal', (t) => {
  const items = fc.array(fc.tuple(cents, fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 5,
  });
  const parts = fc.record({ tax: fc.boolean(), shipping: fc.boolean(), tips: fc.boolean() });
  fc.assert(
    fc.property(items, parts, fc.boolean(), currency, (lines, earns, taxes_included, code) => {
      const line_items = lines.map(([price, quantity], id) =>
        shopifyLine(written(price, code), { id, quantity, currency: code, tax: '0.01' }),
      );
      const order = shopifyOrder({ currency: code, taxes_included, line_items });
      const translation = paid(order, { earns });
      if (translation.kind !== 'ORDER') return t.fail();
      const { purchase } = translation;
      if (typeof purchase === 'string' || purchase === null) return t.is(purchase, 'ZERO_TOTAL');
      const total = purchase.terms.steps.reduce(
        (all, { amount }) => all + (parseAmount(amount) ?? 0n),
        0n,
      );
      t.is(minorOf(total, code), purchase.order.subtotalCents);
    }),
  );
});

test('the parts of what was paid add up to the subtotal, and none is negative', (t) => {
  fc.assert(
    fc.property(
      cents,
      fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1 }),
      (subtotal, parts) => {
        const total = BigInt(parts.reduce((all, one) => all + one, 0));
        let from = 0n;
        let all = 0;
        for (const part of parts) {
          const to = from + BigInt(part);
          const share = subtotalShareOf(subtotal, { from, to, total });
          t.true(share >= 0);
          all += share;
          from = to;
        }
        t.is(all, subtotal);
      },
    ),
  );
});

/** What a real shop of WooCommerce 8.2 sent, with made-up data: the webhook `order.updated` of each state, in order. */
const recorded: unknown[] = JSON.parse(
  readFileSync(new URL('../helpers/woocommerce-orders.json', import.meta.url), 'utf8'),
);
const recordedAs: readonly [state: string, says: string][] = [
  ['paid, with shipping', 'purchase 4990 USD'],
  ['completed, discounted, with a fee and a negative one', 'purchase 3010 USD'],
  ['on hold', 'OTHER_STATUS'],
  ['without a contact', 'NO_CONTACT'],
  ['in yen, at a price with decimals', 'purchase 50 JPY'],
  ['refunded in part', 'purchase 4990 USD, refund 18 998'],
  [
    'refunded, which adds a refund of nothing',
    'purchase 4990 USD, refund 18 998, refund 19 3992, cancelled',
  ],
  ['cancelled after its payment', 'CANCELLED_BEFORE, cancelled'],
];
test('what a real WooCommerce sent is understood', (t) => {
  t.is(recorded.length, recordedAs.length);
  for (const [place, [state, says]] of recordedAs.entries()) {
    t.is(said(woo(recorded[place])), says, state);
  }
});
