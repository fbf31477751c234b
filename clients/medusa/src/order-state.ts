/** What an order says about itself, and what follows from it: nothing here asks an event or remembers an earlier state. */

/** The fields of an order that it is derived from, for Medusa's Query. */
export const orderFields = [
  'id',
  'status',
  'email',
  'created_at',
  'currency_code',
  'items.*',
  'items.detail.*',
  'items.subtotal',
  'items.discount_subtotal',
  // Without it, Medusa works out no totals, not those of the items either.
  'total',
  'credit_lines.*',
  'cart.credit_lines.*',
  'payment_collections.payments.amount',
  'payment_collections.payments.canceled_at',
  'payment_collections.payments.captures.amount',
  'payment_collections.payments.refunds.amount',
];

/** The reference of a cart's or an order's credit line that points paid; its `reference_id` is the redemption. */
export const creditLineReference = 'partner_events';

/** All amounts are in the currency's major unit, as Medusa has them. */
export interface Order extends Goods {
  id: string;
  status: string;
  email?: string | null;
  created_at: string | Date;
  currency_code: string;
  /** What is to be paid for all that is left, after the credit lines. */
  total: unknown;
  cart?: { credit_lines?: List<CreditLine> } | null;
  payment_collections?: List<{ payments?: List<Payment> }>;
}

export interface CreditLine {
  id: string;
  amount: unknown;
  reference?: string | null;
  reference_id?: string | null;
}

interface Payment {
  amount: unknown;
  canceled_at?: string | Date | null;
  captures?: List<{ amount: unknown }>;
  refunds?: List<{ amount: unknown }>;
}

type List<T> = (T | null)[] | null | undefined;

/** When an order earns: once its payment is captured, or already when it is placed. */
export type ReportWhen = 'CAPTURED' | 'PLACED';

/** What an order is worth as it is now, in minor units of its currency. */
export interface OrderState {
  /** Whether it is an order that stands: no draft, and not cancelled. */
  isPlaced: boolean;
  /** Whether all that it costs was captured; less than a minor unit may be missing. */
  isPaid: boolean;
  /**
   * What was paid for goods minus what came back for them: after discounts, without tax and shipping, without gift cards,
   * and without what points paid.
   */
  earningCents: number;
  /** What points pay that nothing is left for. */
  pointsBackCents: number;
}

/** @param amount as Medusa has it, in the currency's major unit */
export const minorUnits = (amount: unknown, digits: number): number =>
  Math.round(scaled(amount, digits));

/** The whole minor units of an amount: 3411 of 34.116425. */
export const wholeMinorUnits = (amount: unknown, digits: number): number =>
  Math.floor(scaled(amount, digits));

/** The lines that points paid. */
export const pointLines = (of: { credit_lines?: List<CreditLine> }): CreditLine[] =>
  present(of.credit_lines).filter(({ reference }) => reference === creditLineReference);

/** Goods of a cart or an order, and what points pay. */
export interface Goods {
  /** What is left of the goods: without what was returned. */
  items?: List<{ subtotal: unknown; discount_subtotal: unknown; is_giftcard?: boolean | null }>;
  credit_lines?: List<CreditLine>;
}

/** What is paid for goods, in minor units: after discounts, without tax, shipping, gift cards, and what points pay. */
export function paidForGoods(of: Goods, digits: number): number {
  const goods = present(of.items)
    .filter(({ is_giftcard }) => !is_giftcard)
    .reduce((sum, { subtotal, discount_subtotal }) => {
      return sum + scaled(subtotal, digits) - scaled(discount_subtotal, digits);
    }, 0);
  return Math.max(0, Math.round(goods - unitsOf(pointLines(of), digits)));
}

/**
 * Medusa takes what was returned off the items and off the total. What was refunded beyond that is a credit line that the
 * cart did not have: it is of goods, tax and shipping alike.
 * @param digits of the currency
 */
export function stateOf(order: Order, digits: number): OrderState {
  const units = (list: List<{ amount: unknown }>) => unitsOf(list, digits);
  const payments = present(order.payment_collections)
    .flatMap((collection) => present(collection.payments))
    .filter(({ canceled_at }) => !canceled_at);
  const refunded = units(payments.flatMap(({ refunds }) => present(refunds)));
  const kept = units(payments.flatMap(({ captures }) => present(captures))) - refunded;
  const lowered = Math.max(0, units(order.credit_lines) - units(order.cart?.credit_lines));
  const points = units(pointLines(order));
  const total = scaled(order.total, digits);
  const costs = total + lowered;
  // What is not paid yet is none of what came back.
  const back = Math.min(Math.max(0, costs - kept), Math.max(refunded, lowered));
  const isPlaced = order.status !== 'canceled' && order.status !== 'draft';
  const isAllBack = !isPlaced || (back > 0 && isCovered(costs, back));
  const paidGoods = paidForGoods(order, digits);
  return {
    isPlaced,
    isPaid: isCovered(total, kept),
    earningCents: isAllBack ? 0 : paidGoods - (back > 0 ? partOf(paidGoods, back / costs) : 0),
    pointsBackCents: whole(isAllBack ? points : Math.min(points, Math.max(0, -costs))),
  };
}

/** What the service has of an order. A refund that an operator dismissed is one of them: it is not reported again. */
export interface Known {
  subtotalCents: number;
  refunds: { amountCents: number }[];
}

/** What is to be reported about an order. */
export type Report =
  | { kind: 'NOTHING' }
  | { kind: 'PURCHASE'; subtotalCents: number }
  /** A later refund has another id, and the same one has the same amount whoever works it out. */
  | { kind: 'REFUND'; externalRefundId: string; amountCents: number }
  /** It earns more than the service can be told: a purchase is reported once. */
  | { kind: 'GROWN'; byCents: number };

/**
 * What makes the service know an order as it is now.
 * @param known null if it knows nothing of it
 */
export function reportOf(
  order: Order,
  { digits, when, known }: { digits: number; when: ReportWhen; known: Known | null },
): Report {
  const { earningCents, isPlaced, isPaid } = stateOf(order, digits);
  if (!known) {
    const isDue = isPlaced && (isPaid || when === 'PLACED') && earningCents > 0;
    return isDue ? { kind: 'PURCHASE', subtotalCents: earningCents } : { kind: 'NOTHING' };
  }
  const left = known.refunds.reduce(
    (sum, { amountCents }) => sum - amountCents,
    known.subtotalCents,
  );
  if (earningCents < left) {
    const externalRefundId = `${order.id}:${known.refunds.length + 1}`;
    return { kind: 'REFUND', externalRefundId, amountCents: left - earningCents };
  }
  return earningCents > left
    ? { kind: 'GROWN', byCents: earningCents - left }
    : { kind: 'NOTHING' };
}

/** Why an order is not reported that stands as it is; null if it is to be. */
export function reasonAgainst(order: Order, digits: number, when: ReportWhen): string | null {
  const { earningCents, isPlaced, isPaid } = stateOf(order, digits);
  if (!isPlaced) return 'It is no placed order, or was cancelled.';
  if (earningCents === 0)
    return 'Nothing was paid for goods: gift cards, and what points paid, earn nothing.';
  if (!isPaid && when === 'CAPTURED') return 'Its payment is not captured yet.';
  if (!order.email) return 'It has no email address.';
  return tooLarge(order, digits);
}

/** Why the service does not take an order; null if it does. */
export function tooLarge(order: Order, digits: number): string | null {
  const { earningCents } = stateOf(order, digits);
  if (earningCents <= maxSubtotalCents) return null;
  return `Its goods are ${earningCents} minor units, more than the 100,000,000 that the service takes.`;
}

/** The service's limit, in minor units: a large order in a currency of small ones may exceed it. */
const maxSubtotalCents = 100_000_000;

const unitsOf = (list: List<{ amount: unknown }>, digits: number): number =>
  present(list).reduce((sum, { amount }) => sum + scaled(amount, digits), 0);

/** Less than a minor unit can't be paid. */
const isCovered = (costs: number, by: number): boolean => costs - by < 1 - tolerance;

const partOf = (cents: number, part: number): number => whole(cents * Math.min(1, part));

/** Sums of decimals are off by less. */
const tolerance = 1e-6;
const whole = (units: number): number => Math.floor(units + tolerance);

/** In minor units, with a fraction. */
const scaled = (amount: unknown, digits: number): number =>
  Number((Number(amount ?? 0) * 10 ** digits).toFixed(6));

const present = <T>(list: List<T>): T[] => (list ?? []).filter((one) => one !== null);
