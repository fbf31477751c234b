import { createHmac } from 'node:crypto';

/** What shops' platforms send, in the shapes that they document, with made-up data. */

type Json = Record<string, unknown>;

const money = (amount: string, currency: string) => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount, currency_code: currency },
});

/** A line of a Shopify order. */
export const shopifyLine = (
  price: string,
  {
    id = 1,
    quantity = 1,
    discount,
    tax,
    currency = 'USD',
    ...rest
  }: Json & {
    id?: number;
    quantity?: number;
    discount?: string;
    tax?: string;
    currency?: string;
  } = {},
) => ({
  id,
  title: 'Teapot',
  quantity,
  current_quantity: quantity,
  gift_card: false,
  price,
  price_set: money(price, currency),
  discount_allocations:
    discount === undefined ? [] : [{ amount: discount, amount_set: money(discount, currency) }],
  tax_lines:
    tax === undefined ? [] : [{ title: 'VAT', price: tax, price_set: money(tax, currency) }],
  ...rest,
});

/** A paid Shopify order of one teapot for 49.90, with shipping of 5.00. */
export const shopifyOrder = (change: Json = {}) => ({
  id: 5_001,
  admin_graphql_api_id: 'gid://shopify/Order/5001',
  name: '#1001',
  test: false,
  currency: 'USD',
  email: 'jo@example.com',
  contact_email: 'jo@example.com',
  phone: null,
  customer: { id: 7, email: 'jo@example.com', phone: null },
  financial_status: 'paid',
  cancelled_at: null,
  created_at: '2026-03-24T10:05:00-04:00',
  processed_at: '2026-03-24T10:05:00-04:00',
  taxes_included: false,
  subtotal_price: '49.90',
  total_price: '54.90',
  total_tip_received: '0.00',
  line_items: [shopifyLine('49.90')],
  shipping_lines: [
    {
      id: 3,
      price: '5.00',
      price_set: money('5.00', 'USD'),
      discount_allocations: [],
      tax_lines: [],
    },
  ],
  refunds: [],
  ...change,
});

/** A line of a Shopify refund, of one piece. */
export const shopifyRefundLine = (
  subtotal: string,
  {
    lineId = 1,
    quantity = 1,
    tax = '0.00',
    currency = 'USD',
    ...line
  }: Json & {
    lineId?: number;
    quantity?: number;
    tax?: string;
    currency?: string;
  } = {},
) => ({
  id: 900 + lineId,
  line_item_id: lineId,
  quantity,
  restock_type: 'return',
  subtotal: Number(subtotal),
  subtotal_set: money(subtotal, currency),
  total_tax: Number(tax),
  total_tax_set: money(tax, currency),
  line_item: { id: lineId, gift_card: false, ...line },
});

/** A Shopify refund of an order's lines. @param paid what was paid back; null for nothing */
export const shopifyRefund = (
  paid: string | null,
  lines: ReturnType<typeof shopifyRefundLine>[],
  change: Json = {},
) => ({
  id: 8_001,
  order_id: 5_001,
  created_at: '2026-03-25T09:00:00-04:00',
  processed_at: '2026-03-25T09:00:00-04:00',
  note: 'Broken',
  refund_line_items: lines,
  order_adjustments: [],
  transactions:
    paid === null
      ? []
      : [{ id: 1, kind: 'refund', status: 'success', amount: paid, currency: 'USD', test: false }],
  ...change,
});

export const shopifyAdjustment = (amount: string, kind?: string) => ({
  id: 1,
  amount,
  amount_set: money(amount, 'USD'),
  tax_amount: '0.00',
  ...(kind !== undefined && { kind }),
});

/** A line of a WooCommerce order: its price before and after discounts, without tax. */
export const wooLine = (subtotal: string, { total = subtotal, tax = '0.00' } = {}) => ({
  id: 1,
  name: 'Teapot',
  quantity: 1,
  subtotal,
  subtotal_tax: tax,
  total,
  total_tax: tax,
});

/** A paid WooCommerce order of one teapot for 49.90, with shipping of 5.00. */
export const wooOrder = (change: Json = {}) => ({
  id: 731,
  parent_id: 0,
  number: '731',
  status: 'processing',
  currency: 'USD',
  prices_include_tax: false,
  date_created_gmt: '2026-03-24T14:05:00',
  date_modified_gmt: '2026-03-24T14:05:02',
  date_paid_gmt: '2026-03-24T14:05:02',
  discount_total: '0.00',
  shipping_total: '5.00',
  shipping_tax: '0.00',
  total: '54.90',
  total_tax: '0.00',
  billing: { first_name: 'Jo', email: 'jo@example.com', phone: '' },
  line_items: [wooLine('49.90')],
  shipping_lines: [{ id: 2, total: '5.00', total_tax: '0.00' }],
  fee_lines: [],
  coupon_lines: [],
  refunds: [],
  ...change,
});

/** A Stripe event. */
export const stripeEvent = (type: string, object: Json, change: Json = {}) => ({
  id: 'evt_1Made',
  object: 'event',
  api_version: '2026-07-29.dahlia',
  created: 1_774_361_102,
  livemode: false,
  type,
  data: { object },
  ...change,
});

/** A paid Checkout session of 54.90, 5.00 of it for shipping. */
export const stripeSession = (change: Json = {}) => ({
  id: 'cs_test_a1',
  object: 'checkout.session',
  mode: 'payment',
  status: 'complete',
  payment_status: 'paid',
  payment_intent: 'pi_3Made',
  currency: 'usd',
  amount_subtotal: 4_990,
  amount_total: 5_490,
  total_details: { amount_discount: 0, amount_shipping: 500, amount_tax: 0 },
  shipping_cost: { amount_subtotal: 500, amount_tax: 0, amount_total: 500 },
  customer_details: { email: 'jo@example.com', phone: null, name: 'Jo' },
  customer_email: null,
  livemode: false,
  ...change,
});

/** A charge of which so much has been refunded. */
export const stripeCharge = (refunded: number, change: Json = {}) => ({
  id: 'ch_3Made',
  object: 'charge',
  payment_intent: 'pi_3Made',
  currency: 'usd',
  amount: 5_490,
  amount_captured: 5_490,
  amount_refunded: refunded,
  refunded: refunded === 5_490,
  ...change,
});

/** `charge.refunded`, between two amounts. */
export const stripeRefund = (from: number, to: number, change: Json = {}) =>
  stripeEvent(
    'charge.refunded',
    {},
    {
      data: {
        object: stripeCharge(to, change),
        previous_attributes: { amount_refunded: from },
      },
    },
  );

/** The signature that Shopify and WooCommerce document. */
export const base64Hmac = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('base64');
