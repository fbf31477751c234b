import {
  contactOf,
  currencyIn,
  type Earns,
  type Fields,
  idOf,
  MalformedDelivery,
  objectIn,
  purchaseOf,
  type Translation,
  textOf,
} from './connections.ts';
import { digitsOf } from './currencies.ts';
import type { Mode } from './mode.ts';
import { type Amount, amountOfUnits, amountText } from './shop-amounts.ts';

/** Stripe's events about payments of a Checkout session or a payment link, and their refunds. */

const paymentTypes = ['checkout.session.completed', 'checkout.session.async_payment_succeeded'];
const failureTypes = ['refund.failed', 'refund.updated', 'charge.refund.updated'];
/** All that concern points. */
export const stripeEventTypes = [...paymentTypes, ...failureTypes, 'charge.refunded'] as const;

/** @throws MalformedDelivery */
export function translateStripe(
  event: Fields,
  { earns, mode }: { earns: Earns; mode: Mode },
): Translation {
  const type = textOf(event, 'type') ?? '';
  if (!stripeEventTypes.includes(type)) return nothing('OTHER_TOPIC');
  if ((event.livemode === true) !== (mode === 'LIVE')) return nothing('OTHER_MODE');
  const data = objectIn(event, 'data');
  const subject = objectIn(data, 'object');
  const externalOrderId = textOf(subject, 'payment_intent');
  if (externalOrderId === undefined) return nothing('NOT_A_PAYMENT');
  idOf(subject, 'payment_intent');
  const at = timeIn(event);
  if (paymentTypes.includes(type)) return paymentIn(subject, externalOrderId, { earns, at });
  if (type === 'charge.refunded') {
    return refundIn(subject, objectIn(data, 'previous_attributes'), externalOrderId, at);
  }
  return failureIn(subject, externalOrderId);
}

const nothing = (reason: 'OTHER_TOPIC' | 'OTHER_MODE' | 'NOT_A_PAYMENT'): Translation => ({
  kind: 'NOTHING',
  externalOrderId: null,
  reason,
});

function paymentIn(
  session: Fields,
  externalOrderId: string,
  { earns, at }: { earns: Earns; at: string },
): Translation {
  const status = textOf(session, 'payment_status');
  if (status === 'no_payment_required') {
    return { kind: 'NOTHING', externalOrderId, reason: 'ZERO_TOTAL' };
  }
  if (status !== 'paid') return { kind: 'NOTHING', externalOrderId, reason: 'OTHER_STATUS' };
  const currency = currencyIn(session);
  const money = (fields: Fields, name: string) => amountIn(fields, name, currency);
  const total = money(session, 'amount_total');
  const details = objectIn(session, 'total_details');
  const shipping = objectIn(session, 'shipping_cost');
  const shippingTax = money(shipping, 'amount_tax');
  const isShippingKnown = textOf(shipping, 'amount_total') !== undefined;
  // With its tax, as it is part of what was paid.
  const shippingTotal = isShippingKnown
    ? money(shipping, 'amount_total')
    : money(details, 'amount_shipping');
  const tax = money(details, 'amount_tax') - shippingTax;
  const paidShipping = earns.shipping ? (earns.tax ? 0n : -shippingTax) : -shippingTotal;
  const customer = objectIn(session, 'customer_details');
  const emails = [textOf(customer, 'email'), textOf(session, 'customer_email')];
  return {
    kind: 'ORDER',
    externalOrderId,
    purchase: purchaseOf({
      customer: contactOf(emails, [textOf(customer, 'phone')]),
      currency,
      occurredAt: at,
      terms: { platform: 'STRIPE', earns, taxIncluded: true },
      total,
      steps: [
        { name: 'PAID', amount: total },
        { name: 'TAX_INCLUDED', amount: earns.tax ? 0n : -tax },
        { name: 'SHIPPING', amount: paidShipping },
      ],
    }),
    refunds: [],
    cancelled: null,
    failed: null,
  };
}

/** A charge says how much of it has been refunded, and how much had been before: a point of what was paid. */
function refundIn(
  charge: Fields,
  before: Fields,
  externalOrderId: string,
  occurredAt: string,
): Translation {
  const currency = currencyIn(charge);
  const to = amountIn(charge, 'amount_refunded', currency);
  if (textOf(before, 'amount_refunded') === undefined) {
    throw new MalformedDelivery('data.previous_attributes.amount_refunded is missing.');
  }
  const from = amountIn(before, 'amount_refunded', currency);
  if (to <= from) return { kind: 'NOTHING', externalOrderId, reason: 'NO_MONEY_BACK' };
  const [start, end] = [amountText(from, currency), amountText(to, currency)];
  return {
    kind: 'ORDER',
    externalOrderId,
    purchase: null,
    refunds: [
      {
        externalRefundId: `${idOf(charge, 'id')}:${textOf(charge, 'amount_refunded')}`,
        currency,
        refunded: { kind: 'SHARE', from: start, to: end },
        occurredAt,
      },
    ],
    cancelled: null,
    failed: null,
  };
}

function failureIn(refund: Fields, externalOrderId: string): Translation {
  const status = textOf(refund, 'status') ?? '';
  if (status !== 'failed' && status !== 'canceled') {
    return { kind: 'NOTHING', externalOrderId, reason: 'OTHER_STATUS' };
  }
  const currency = currencyIn(refund);
  const amount = amountText(amountIn(refund, 'amount', currency), currency);
  return {
    kind: 'ORDER',
    externalOrderId,
    purchase: null,
    refunds: [],
    cancelled: null,
    failed: { externalRefundId: idOf(refund, 'id'), amount, currency },
  };
}

/**
 * The decimals of Stripe's amounts: those of ISO 4217, but ariary without any, and krónur and shillings with two that
 * are always zero.
 */
const ownDigits: Readonly<Record<string, number>> = { MGA: 0, ISK: 2, UGX: 2 };

function amountIn(fields: Fields, name: string, currency: string): Amount {
  const text = textOf(fields, name) ?? '0';
  if (!/^-?\d{1,15}$/.test(text)) throw new MalformedDelivery(`${name} is not an amount.`);
  return amountOfUnits(BigInt(text), ownDigits[currency] ?? digitsOf(currency));
}

function timeIn(event: Fields): string {
  const created = Number(textOf(event, 'created'));
  const isTime = Number.isSafeInteger(created) && created > 0 && created < 32_503_680_000;
  if (!isTime) throw new MalformedDelivery('created is not a time.');
  return new Date(created * 1_000).toISOString();
}
