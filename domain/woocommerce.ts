import {
  amountIn,
  contactOf,
  currencyIn,
  type Earns,
  type Fields,
  idOf,
  listIn,
  MalformedDelivery,
  objectIn,
  purchaseOf,
  type ShopRefund,
  sum,
  type Translation,
  textOf,
  timeIn,
} from './connections.ts';
import { type Amount, amountText } from './shop-amounts.ts';

/** WooCommerce's webhooks about orders, and the orders of its REST API, which have the same shape. */

const orderTopics = ['order.created', 'order.updated', 'order.restored'];
const paidStatuses = ['processing', 'completed', 'refunded'];

/** @throws MalformedDelivery */
export function translateWooCommerce(topic: string, body: Fields, earns: Earns): Translation {
  return orderTopics.includes(topic)
    ? translateWooCommerceOrder(body, earns)
    : { kind: 'NOTHING', externalOrderId: null, reason: 'OTHER_TOPIC' };
}

/** An order as it is: its purchase once it was paid, its refunds, its cancellation. @throws MalformedDelivery */
export function translateWooCommerceOrder(order: Fields, earns: Earns): Translation {
  const externalOrderId = idOf(order, 'id');
  const status = textOf(order, 'status') ?? '';
  const isPaid = paidStatuses.includes(status);
  const isCancelled = status === 'cancelled';
  if (!isPaid && !isCancelled) return { kind: 'NOTHING', externalOrderId, reason: 'OTHER_STATUS' };
  const changedAt = timeIn(order, 'date_modified_gmt');
  const ends = isCancelled || status === 'refunded';
  return {
    kind: 'ORDER',
    externalOrderId,
    purchase: isPaid ? purchaseIn(order, earns) : 'CANCELLED_BEFORE',
    refunds: refundsIn(order, ends ? changedAt : undefined),
    cancelled: ends ? { ...(changedAt !== undefined && { occurredAt: changedAt }) } : null,
    failed: null,
  };
}

function purchaseIn(order: Fields, earns: Earns) {
  const lines = listIn(order, 'line_items');
  const fees = listIn(order, 'fee_lines');
  const all = (items: readonly Fields[], name: string) =>
    sum(items.map((item) => amountIn(item, name)));
  const isDiscount = (fee: Fields) => amountIn(fee, 'total') < 0n;
  const [before, after] = [all(lines, 'subtotal'), all(lines, 'total')];
  const lowered = fees.filter(isDiscount);
  const tips = fees.filter((fee) => !isDiscount(fee));
  const withTax = (items: readonly Fields[]) =>
    all(items, 'total') + (earns.tax ? all(items, 'total_tax') : 0n);
  const tax = all(lines, 'total_tax') + all(lowered, 'total_tax');
  const billing = objectIn(order, 'billing');
  const shipping =
    amountIn(order, 'shipping_total') + (earns.tax ? amountIn(order, 'shipping_tax') : 0n);
  return purchaseOf({
    customer: contactOf([textOf(billing, 'email')], [textOf(billing, 'phone')]),
    currency: currencyIn(order),
    occurredAt: timeIn(order, 'date_paid_gmt') ?? timeIn(order, 'date_created_gmt'),
    // Its lines never include tax, whatever its prices do.
    terms: { platform: 'WOOCOMMERCE', earns, taxIncluded: false },
    total: amountIn(order, 'total'),
    steps: [
      { name: 'GOODS', amount: before },
      { name: 'DISCOUNTS', amount: after - before + all(lowered, 'total') },
      ...(earns.tax ? [{ name: 'TAX' as const, amount: tax }] : []),
      ...(earns.tips ? [{ name: 'TIPS' as const, amount: withTax(tips) }] : []),
      ...(earns.shipping ? [{ name: 'SHIPPING' as const, amount: shipping }] : []),
    ],
  });
}

/** The refunds in the order in which they were made: a shop's orders and refunds are numbered in one row. */
function refundsIn(order: Fields, endedAt: string | undefined): ShopRefund[] {
  const currency = currencyIn(order);
  const made = listIn(order, 'refunds')
    .map((refund) => ({ id: numberedId(refund), amount: sizeOf(amountIn(refund, 'total')) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  let refunded = 0n;
  return made.flatMap(({ id, amount }): ShopRefund[] => {
    const from = refunded;
    refunded += amount;
    if (amount === 0n) return [];
    const [start, end] = [amountText(from, currency), amountText(refunded, currency)];
    return [
      {
        externalRefundId: String(id),
        currency,
        refunded: { kind: 'SHARE', from: start, to: end },
        ...(endedAt !== undefined && { occurredAt: endedAt }),
      },
    ];
  });
}

const sizeOf = (amount: Amount): Amount => (amount < 0n ? -amount : amount);

function numberedId(refund: Fields): bigint {
  const id = idOf(refund, 'id');
  if (/^\d+$/.test(id)) return BigInt(id);
  throw new MalformedDelivery('The id of a refund is not a number.');
}
