import {
  amountIn,
  contactOf,
  currencyIn,
  type Earns,
  type Fields,
  idOf,
  listIn,
  MalformedDelivery,
  type NoConcern,
  objectIn,
  purchaseOf,
  type ShopPurchase,
  type ShopRefund,
  sum,
  type Translation,
  textOf,
  timeIn,
} from './connections.ts';
import type { Mode } from './mode.ts';
import { type Amount, amountText } from './shop-amounts.ts';

/** Shopify's webhooks `orders/paid`, `orders/cancelled` and `refunds/create`, and the orders of its Admin API. */

const orderTopics = ['orders/paid', 'orders/cancelled'];

/** @throws MalformedDelivery */
export function translateShopify(
  topic: string,
  body: Fields,
  settings: { earns: Earns; mode: Mode },
): Translation {
  if (orderTopics.includes(topic)) return translateShopifyOrder(body, settings);
  if (topic === 'refunds/create') return translateRefund(body, settings);
  return { kind: 'NOTHING', externalOrderId: null, reason: 'OTHER_TOPIC' };
}

const paidStatuses = ['paid', 'partially_refunded', 'refunded'];

/** An order as it is: its purchase once it was paid, its refunds, its cancellation. @throws MalformedDelivery */
export function translateShopifyOrder(
  order: Fields,
  { earns, mode }: { earns: Earns; mode: Mode },
): Translation {
  const externalOrderId = idOf(order, 'id');
  if (order.test === true && mode === 'LIVE') {
    return { kind: 'NOTHING', externalOrderId, reason: 'TEST_ORDER' };
  }
  const cancelledAt = timeIn(order, 'cancelled_at');
  const isPaid = paidStatuses.includes(textOf(order, 'financial_status') ?? '');
  const paidBack = listIn(order, 'refunds').filter((refund) => isMoneyBack(refund));
  if (cancelledAt !== undefined) {
    return {
      kind: 'ORDER',
      externalOrderId,
      purchase: 'CANCELLED_BEFORE',
      refunds: paidBack.flatMap(refundIn),
      cancelled: { occurredAt: cancelledAt },
      failed: null,
    };
  }
  if (!isPaid) return { kind: 'NOTHING', externalOrderId, reason: 'OTHER_STATUS' };
  return {
    kind: 'ORDER',
    externalOrderId,
    purchase: purchaseIn(order, paidBack, earns),
    refunds: paidBack.flatMap(refundIn),
    cancelled: null,
    failed: null,
  };
}

function purchaseIn(
  order: Fields,
  paidBack: readonly Fields[],
  earns: Earns,
): ShopPurchase | NoConcern {
  const returned = new Map<string, bigint>();
  for (const line of paidBack.flatMap((refund) => listIn(refund, 'refund_line_items'))) {
    const id = idOf(line, 'line_item_id');
    returned.set(id, (returned.get(id) ?? 0n) + countIn(line, 'quantity'));
  }
  const taxIncluded = order.taxes_included === true;
  const lines = listIn(order, 'line_items').map((line) => lineOf(line, returned));
  const of = (kind: LineKind) => lines.filter((line) => line.kind === kind);
  const all = (of: readonly Line[], name: 'price' | 'discount' | 'tax') =>
    sum(of.map((line) => line[name]));
  /** A kind of line after its discounts, as it earns. */
  const whole = (kind: LineKind): Amount => {
    const [price, discount, tax] = [
      all(of(kind), 'price'),
      all(of(kind), 'discount'),
      all(of(kind), 'tax'),
    ];
    return price - discount + (taxIncluded ? (earns.tax ? 0n : -tax) : earns.tax ? tax : 0n);
  };
  const tax = all(of('GOODS'), 'tax');
  const shipping = listIn(order, 'shipping_lines');
  const shippingTax = sum(shipping.flatMap((line) => listIn(line, 'tax_lines')).map(priceOf));
  const shippingPrice = sum(
    shipping.map(
      (line) => priceOf(line) - sum(listIn(line, 'discount_allocations').map(allocated)),
    ),
  );
  const shippingEarns =
    shippingPrice + (taxIncluded ? (earns.tax ? 0n : -shippingTax) : earns.tax ? shippingTax : 0n);
  const customer = objectIn(order, 'customer');
  const email = [textOf(order, 'email'), textOf(order, 'contact_email'), textOf(customer, 'email')];
  const ownPhones = [textOf(order, 'phone'), textOf(customer, 'phone')];
  const billed = textOf(objectIn(order, 'billing_address'), 'phone');
  const hasEmail = email.some((one) => one !== undefined);
  const currency = currencyIn(order);
  return purchaseOf({
    customer: contactOf(email, hasEmail ? ownPhones : [...ownPhones, billed]),
    currency,
    occurredAt: timeIn(order, 'processed_at') ?? timeIn(order, 'created_at'),
    terms: { platform: 'SHOPIFY', earns, taxIncluded },
    total: moneyIn(order, 'total_price', currency),
    steps: [
      { name: 'GOODS', amount: all(of('GOODS'), 'price') },
      { name: 'DISCOUNTS', amount: -all(of('GOODS'), 'discount') },
      ...(taxIncluded && !earns.tax ? [{ name: 'TAX_INCLUDED' as const, amount: -tax }] : []),
      ...(!taxIncluded && earns.tax ? [{ name: 'TAX' as const, amount: tax }] : []),
      ...(earns.giftCards ? [{ name: 'GIFT_CARDS' as const, amount: whole('GIFT_CARD') }] : []),
      ...(earns.tips ? [{ name: 'TIPS' as const, amount: whole('TIP') }] : []),
      ...(earns.shipping ? [{ name: 'SHIPPING' as const, amount: shippingEarns }] : []),
    ],
  });
}

type LineKind = 'GOODS' | 'GIFT_CARD' | 'TIP';
interface Line {
  kind: LineKind;
  price: Amount;
  discount: Amount;
  tax: Amount;
}

const kindOf = (line: Fields): LineKind =>
  line.gift_card === true ? 'GIFT_CARD' : 'tip_payment_gateway' in line ? 'TIP' : 'GOODS';

/**
 * A line as it was bought: what an edit took out before is not part of it, what came back later is.
 * @param returned the pieces of each line that money was paid back for
 */
function lineOf(line: Fields, returned: ReadonlyMap<string, bigint>): Line {
  const quantity = countIn(line, 'quantity');
  const current =
    textOf(line, 'current_quantity') === undefined
      ? quantity
      : countIn(line, 'current_quantity') + (returned.get(idOf(line, 'id')) ?? 0n);
  const bought = current < quantity ? current : quantity;
  const part = (amount: Amount): Amount => (quantity === 0n ? 0n : (amount * bought) / quantity);
  return {
    kind: kindOf(line),
    price: priceOf(line) * bought,
    discount: part(sum(listIn(line, 'discount_allocations').map(allocated))),
    tax: part(sum(listIn(line, 'tax_lines').map(priceOf))),
  };
}

function countIn(fields: Fields, name: string): bigint {
  const text = textOf(fields, name) ?? '0';
  if (/^\d{1,9}$/.test(text)) return BigInt(text);
  throw new MalformedDelivery(`${name} is not a quantity.`);
}

/** An amount in the shop's own currency, which the customer may not have seen. */
function moneyIn(fields: Fields, name: string, currency?: string): Amount {
  const money = objectIn(objectIn(fields, `${name}_set`), 'shop_money');
  const isOwn = currency === undefined || textOf(money, 'currency_code') === currency;
  return textOf(money, 'amount') !== undefined && isOwn
    ? amountIn(money, 'amount')
    : amountIn(fields, name);
}

const priceOf = (fields: Fields): Amount => moneyIn(fields, 'price');
const allocated = (fields: Fields): Amount => moneyIn(fields, 'amount');

const isSettled = (transaction: Fields): boolean =>
  textOf(transaction, 'kind') === 'refund' &&
  ['success', 'pending'].includes(textOf(transaction, 'status') ?? '');

/** Whether a refund paid money back. Others only put goods back into stock, or take a line out of an order. */
const isMoneyBack = (refund: Fields): boolean =>
  listIn(refund, 'transactions').some(
    (transaction) => isSettled(transaction) && amountIn(transaction, 'amount') > 0n,
  );

function translateRefund(refund: Fields, { mode }: { mode: Mode }): Translation {
  const externalOrderId = idOf(refund, 'order_id');
  const isTest = listIn(refund, 'transactions').some(({ test }) => test === true);
  if (isTest && mode === 'LIVE') return { kind: 'NOTHING', externalOrderId, reason: 'TEST_ORDER' };
  const refunds = isMoneyBack(refund) ? refundIn(refund) : [];
  if (refunds.length === 0) return { kind: 'NOTHING', externalOrderId, reason: 'NO_MONEY_BACK' };
  const rest = { purchase: null, cancelled: null, failed: null };
  return { kind: 'ORDER', externalOrderId, refunds, ...rest };
}

/** A refund by what was paid back for; none if it says nothing of the kind. */
function refundIn(refund: Fields): ShopRefund[] {
  const lines = listIn(refund, 'refund_line_items').map((line) => ({
    kind: kindOf(objectIn(line, 'line_item')),
    amount: moneyIn(line, 'subtotal'),
    tax: moneyIn(line, 'total_tax'),
  }));
  const all = (kind: LineKind, name: 'amount' | 'tax' = 'amount') =>
    sum(lines.flatMap((line) => (line.kind === kind ? [line[name]] : [])));
  const adjustments = listIn(refund, 'order_adjustments');
  const isShipping = (one: Fields) => textOf(one, 'kind') === 'shipping_refund';
  // They are written as changes of what the shop keeps.
  const back = (some: readonly Fields[]) => -sum(some.map((one) => moneyIn(one, 'amount')));
  const shippingLines = listIn(refund, 'refund_shipping_lines').map((line) =>
    moneyIn(line, 'subtotal_amount'),
  );
  const currency = currencyOfRefund(refund);
  const text = (amount: Amount) => amountText(amount, currency);
  const occurredAt = timeIn(refund, 'processed_at') ?? timeIn(refund, 'created_at');
  return [
    {
      externalRefundId: idOf(refund, 'id'),
      currency,
      refunded: {
        kind: 'PARTS',
        goods: text(all('GOODS')),
        tax: text(all('GOODS', 'tax')),
        giftCards: text(all('GIFT_CARD')),
        tips: text(all('TIP')),
        shipping: text(back(adjustments.filter(isShipping)) + sum(shippingLines)),
        adjustment: text(back(adjustments.filter((one) => !isShipping(one)))),
      },
      ...(occurredAt !== undefined && { occurredAt }),
    },
  ];
}

function currencyOfRefund(refund: Fields): string {
  const money = listIn(refund, 'refund_line_items')
    .map((line) => objectIn(objectIn(line, 'subtotal_set'), 'shop_money'))
    .find((one) => textOf(one, 'currency_code') !== undefined);
  if (money) return currencyIn(money, 'currency_code');
  const [transaction] = listIn(refund, 'transactions');
  return transaction ? currencyIn(transaction) : 'USD';
}
