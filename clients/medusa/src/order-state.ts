/** What an order says about itself, and what follows from it: nothing here asks an event. */

/** The fields of an order that it is derived from, for Medusa's Query. */
export const orderFields = [
  'id',
  'status',
  'email',
  'created_at',
  'canceled_at',
  'currency_code',
  'items.*',
  'items.subtotal',
  'items.discount_subtotal',
  // Without it, Medusa works out no totals, not those of the items either.
  'total',
  'credit_lines.*',
  'payment_collections.payments.amount',
  'payment_collections.payments.canceled_at',
  'payment_collections.payments.refunds.*',
];

/** The reference of a cart's or an order's credit line that points paid; its `reference_id` is the redemption. */
export const creditLineReference = 'partner_events';

export interface Order {
  id: string;
  status: string;
  email?: string | null;
  created_at: string | Date;
  canceled_at?: string | Date | null;
  currency_code: string;
  items?: ({ subtotal: unknown; discount_subtotal: unknown } | null)[] | null;
  credit_lines?: (CreditLine | null)[] | null;
  payment_collections?: ({ payments?: (Payment | null)[] | null } | null)[] | null;
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
  refunds?: ({ id: string; amount: unknown; created_at: string | Date } | null)[] | null;
}

export interface RefundReport {
  externalRefundId: string;
  amountCents: number;
  occurredAt: string;
}

/** @param amount as Medusa has it, in the currency's major unit */
export const minorUnits = (amount: unknown, digits: number): number =>
  Math.round(Number(amount ?? 0) * 10 ** digits);

/** The lines that points paid. */
export const pointLines = (of: { credit_lines?: (CreditLine | null)[] | null }): CreditLine[] =>
  present(of.credit_lines).filter(({ reference }) => reference === creditLineReference);

/**
 * What a purchase reports: the goods after discounts, without tax and shipping, and without what points paid for.
 * @param digits of the currency
 */
export function purchaseOf(order: Order, digits: number) {
  const goods = present(order.items).reduce(
    (sum, { subtotal, discount_subtotal }) =>
      sum + minorUnits(subtotal, digits) - minorUnits(discount_subtotal, digits),
    0,
  );
  const points = pointLines(order).reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
  const paid = paymentsOf(order).reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
  return {
    order_id: order.id,
    email: order.email ?? '',
    currency: order.currency_code.toUpperCase(),
    subtotal_cents: Math.max(0, goods - points),
    paid_cents: paid,
    occurred_at: instant(order.created_at),
  };
}

/** Whether a purchase earns anything, and is one that the service takes. */
export const isReportable = (purchase: { email: string; subtotal_cents: number }): boolean =>
  purchase.email !== '' &&
  purchase.subtotal_cents > 0 &&
  purchase.subtotal_cents <= maxSubtotalCents;

/** The service's limit, in minor units: a large order in a currency of small ones may exceed it. */
const maxSubtotalCents = 100_000_000;

/** Why a purchase is not reported that should be; null if the service takes it. */
export const tooLarge = ({ subtotal_cents }: { subtotal_cents: number }): string | null =>
  subtotal_cents <= maxSubtotalCents
    ? null
    : `its subtotal is ${subtotal_cents} minor units, more than the 100,000,000 that the service takes`;

/**
 * All refunds of an order, oldest first. A shop refunds money, of tax and shipping as well: what is refunded of the goods
 * is as large a share of them. Each is the difference of two such shares, so that together they are never more than
 * the goods, and all of them if everything was refunded. Cancelling an order refunds what is left.
 */
export function refundsOf(
  order: Order,
  { subtotal_cents, paid_cents }: { subtotal_cents: number; paid_cents: number },
  digits: number,
): RefundReport[] {
  const refunds = paymentsOf(order)
    .flatMap((payment) => present(payment.refunds))
    .map(({ id, amount, created_at }) => ({ id, amount, at: instant(created_at) }))
    .sort((one, other) => compare(one.at, other.at) || compare(one.id, other.id));
  const reports: RefundReport[] = [];
  let refunded = 0;
  let reported = 0;
  const report = (externalRefundId: string, share: number, occurredAt: string) => {
    if (share > reported)
      reports.push({ externalRefundId, amountCents: share - reported, occurredAt });
    reported = Math.max(reported, share);
  };
  for (const { id, amount, at } of refunds) {
    refunded += minorUnits(amount, digits);
    report(id, shareOf(subtotal_cents, refunded, paid_cents), at);
  }
  if (isCanceled(order)) {
    report(`canceled:${order.id}`, subtotal_cents, instant(order.canceled_at ?? order.created_at));
  }
  return reports;
}

/** Whether the customer has got back all that was paid. */
export function isGivenBack(order: Order, paidCents: number, digits: number): boolean {
  const refunded = paymentsOf(order)
    .flatMap((payment) => present(payment.refunds))
    .reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
  return isCanceled(order) || (paidCents > 0 && refunded >= paidCents);
}

const isCanceled = ({ status }: Order) => status === 'canceled';

function shareOf(whole: number, part: number, of: number): number {
  if (of <= 0 || part >= of) return whole;
  return Number((BigInt(whole) * BigInt(part)) / BigInt(of));
}

const paymentsOf = (order: Order): Payment[] =>
  present(order.payment_collections)
    .flatMap(({ payments }) => present(payments))
    .filter(({ canceled_at }) => !canceled_at);

const present = <T>(list: (T | null)[] | null | undefined): T[] =>
  (list ?? []).filter((one) => one !== null);

const instant = (at: string | Date): string => new Date(at).toISOString();

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
