import { isCurrency } from './currencies.ts';
import { isEmail, maxEmailChars } from './email.ts';
import { maxSubtotalCents } from './points.ts';
import { type Amount, amountText, minorOf, parseAmount, subtotalShareOf } from './shop-amounts.ts';

/** Connections: a shop's platform reports purchases and refunds by its own webhooks (docs/integrate/shopify.md). */

export const platforms = ['SHOPIFY', 'WOOCOMMERCE', 'STRIPE'] as const;
export type Platform = (typeof platforms)[number];

/** What earns points besides goods after discounts. */
export const earningParts = ['tax', 'shipping', 'tips', 'giftCards'] as const;
export type Earns = Record<(typeof earningParts)[number], boolean>;

/** Goods after discounts alone. */
export const usualEarns: Earns = { tax: false, shipping: false, tips: false, giftCards: false };

/** The most connections of a partner, in both modes together. */
export const maxConnections = 20;

/** The most active secrets of a connection, so that one can be rotated without an outage. */
export const maxConnectionSecrets = 2;

/**
 * The shop of a connection as it is compared: the domain of a Shopify shop, the address of a WooCommerce shop without
 * its scheme, null for Stripe.
 * @param text as somebody typed or pasted it
 * @returns undefined if it is none
 */
export function shopIn(platform: Platform, text: string): string | null | undefined {
  if (platform === 'STRIPE') return null;
  const typed = text.trim();
  if (platform === 'WOOCOMMERCE') {
    return shopOfAddress(/^https?:\/\//i.test(typed) ? typed : `https://${typed}`);
  }
  const domain = typed
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');
  return /^[a-z0-9][a-z0-9-]{0,60}\.myshopify\.com$/.test(domain) ? domain : undefined;
}

/** A shop's address without its scheme and without a slash at its end; undefined for what is no address. */
export function shopOfAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || !/[.:]|localhost/.test(url.host)) return undefined;
  return (url.host + url.pathname).replace(/\/+$/, '');
}

const secretPatterns: Readonly<Record<Platform, RegExp>> = {
  SHOPIFY: /^[\x21-\x7e]{16,255}$/,
  WOOCOMMERCE: /^[\x20-\x7e]{16,255}$/,
  STRIPE: /^whsec_[\w+/=-]{16,240}$/,
};

/** Whether a text can be the signing secret of a platform; without the blanks around it, which come from pasting. */
export const isShopSecret = (platform: Platform, text: string): boolean =>
  secretPatterns[platform].test(text);

/** Why a delivery is of no concern. It is answered as received, and not sent again. */
export const noConcerns = {
  PING: 'The platform tried the address.',
  OTHER_TOPIC: 'The topic of this delivery does not concern points.',
  OTHER_STATUS: 'The order is not paid, or not yet.',
  OTHER_MODE: 'The payment was made in the other mode of the platform.',
  TEST_ORDER: 'It is a test order, and this connection counts LIVE purchases.',
  NOT_A_PAYMENT: 'It is not about a payment of an order.',
  NO_CONTACT: 'The order names no email address and no phone number that identifies a customer.',
  ZERO_TOTAL: 'Nothing in the order earns points.',
  BEYOND_LIMIT: 'The amount is larger than an order can be.',
  UNKNOWN_CURRENCY: 'The currency is not in ISO 4217.',
  NO_MONEY_BACK: 'No money was paid back for what earns points.',
  CANCELLED_BEFORE: 'The order was cancelled before it was counted.',
  NOTHING_LEFT: 'Everything that earned points in this order was refunded before.',
  TOO_MANY_REFUNDS: 'The order has had 100 refunds, and no more are accepted.',
  NOT_MATCHED: 'The refund waits for its order, which has not been counted.',
  REFUND_FAILED: 'The refund failed at the platform after it was counted: an operator decides.',
  PAUSED: 'The connection is paused.',
} as const;
export type NoConcern = keyof typeof noConcerns;

/** A line of the arithmetic from the platform's own numbers to a subtotal. */
export const stepNames = [
  'GOODS',
  'DISCOUNTS',
  'GIFT_CARDS',
  'TIPS',
  'TAX_INCLUDED',
  'TAX',
  'SHIPPING',
  'PAID',
  'REFUNDED_GOODS',
  'ADJUSTMENT',
] as const;
export interface SubtotalStep {
  name: (typeof stepNames)[number];
  /** A signed decimal; the steps add up to what is rounded to the subtotal. */
  amount: string;
}

/** How an order's subtotal was computed. It is kept with the purchase, and its refunds are computed by it. */
export interface SubtotalTerms {
  platform: Platform;
  earns: Earns;
  /** Whether the prices of the shop include tax. */
  taxIncluded: boolean;
  /** What the customer paid in all, a decimal. */
  total: string;
  steps: SubtotalStep[];
}

export interface ShopPurchase {
  customer: { email?: string; phone?: string };
  order: { subtotalCents: number; currency: string };
  /** ISO 8601, with an offset. */
  occurredAt?: string;
  terms: SubtotalTerms;
}

/** What came back by a refund. Amounts are decimals. */
export type Refunded =
  /** All that is left of the order. */
  | { kind: 'REST' }
  /** Of what was paid, the part between two points. */
  | { kind: 'SHARE'; from: string; to: string }
  /** By what it was paid back for. */
  | {
      kind: 'PARTS';
      goods: string;
      tax: string;
      giftCards: string;
      tips: string;
      shipping: string;
      /** For nothing in particular; negative if less came back than the parts say. */
      adjustment: string;
    };

export interface ShopRefund {
  externalRefundId: string;
  currency: string;
  refunded: Refunded;
  occurredAt?: string;
}

/** What a delivery says. */
export type Translation =
  | {
      kind: 'ORDER';
      externalOrderId: string;
      /** The purchase, or why there is none; null where the delivery is about a refund alone. */
      purchase: ShopPurchase | NoConcern | null;
      /** In the order of the platform. */
      refunds: ShopRefund[];
      /** The order is cancelled, so that what is left of it comes back. */
      cancelled: { occurredAt?: string } | null;
      /** A refund that the platform took back. */
      failed: { externalRefundId: string; amount: string; currency: string } | null;
    }
  | { kind: 'NOTHING'; externalOrderId: string | null; reason: NoConcern };

/** A delivery that was proven, and that does not say what its platform documents. */
export class MalformedDelivery extends Error {
  override name = 'MalformedDelivery';
}

/** @throws MalformedDelivery if it is no object of JSON; numbers are kept as the text that they were written as */
export function parseDelivery(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text, ((_name: string, one: unknown, { source }: { source?: string }) =>
      typeof one === 'number' ? source : one) as (name: string, one: unknown) => unknown);
  } catch {
    throw new MalformedDelivery('The body is not valid JSON.');
  }
  return asFields(value, 'The body');
}

export type Fields = Readonly<Record<string, unknown>>;

function asFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new MalformedDelivery(`${what} is not an object.`);
}

/** A text, or a number as it was written; undefined if it is absent, null or blank. @throws MalformedDelivery */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new MalformedDelivery(`${name} is not a text.`);
  return value.trim() === '' ? undefined : value;
}

const maxIdChars = 120;

/** @throws MalformedDelivery */
export function idOf(fields: Fields, name: string): string {
  const id = textOf(fields, name);
  if (id !== undefined && id.length <= maxIdChars && /^[\w./:-]+$/.test(id)) return id;
  throw new MalformedDelivery(`${name} is missing, or is no id.`);
}

/** An amount; zero if it is absent. @throws MalformedDelivery */
export function amountIn(fields: Fields, name: string): Amount {
  const text = textOf(fields, name);
  const amount = text === undefined ? 0n : parseAmount(text);
  if (amount !== undefined) return amount;
  throw new MalformedDelivery(`${name} is not an amount.`);
}

/** An object; empty if it is absent. @throws MalformedDelivery */
export const objectIn = (fields: Fields, name: string): Fields =>
  fields[name] === undefined || fields[name] === null ? {} : asFields(fields[name], name);

const maxItems = 5_000;

/** The objects of a list; none if it is absent. @throws MalformedDelivery */
export function listIn(fields: Fields, name: string): Fields[] {
  const list = fields[name] ?? [];
  if (!Array.isArray(list) || list.length > maxItems) {
    throw new MalformedDelivery(`${name} is not a list of at most ${maxItems}.`);
  }
  return list.map((item) => asFields(item, `An item of ${name}`));
}

export const sum = (amounts: readonly Amount[]): Amount =>
  amounts.reduce((total, amount) => total + amount, 0n);

/** @returns upper case @throws MalformedDelivery */
export function currencyIn(fields: Fields, name = 'currency'): string {
  const code = textOf(fields, name);
  if (code !== undefined) return code.toUpperCase();
  throw new MalformedDelivery(`${name} is missing.`);
}

/** ISO 8601 with an offset. @throws MalformedDelivery */
export function timeIn(fields: Fields, name: string): string | undefined {
  const text = textOf(fields, name);
  if (text === undefined) return undefined;
  // What WooCommerce writes is UTC, and does not say so.
  const withOffset = /[Zz]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`;
  const ms = Date.parse(withOffset);
  if (Number.isNaN(ms)) throw new MalformedDelivery(`${name} is not a time.`);
  return new Date(ms).toISOString();
}

/** Whom an order names; null if nobody. Addresses that no purchase may have are left out. */
export function contactOf(
  emails: readonly (string | undefined)[],
  phones: readonly (string | undefined)[],
): ShopPurchase['customer'] | null {
  const email = emails.find(
    (one) => one !== undefined && one.length <= maxEmailChars && isEmail(one),
  );
  const phone = phones.find((one) => one !== undefined && one.length <= 32 && one.isWellFormed());
  if (email === undefined && phone === undefined) return null;
  return { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) };
}

interface Counted {
  customer: ShopPurchase['customer'] | null;
  currency: string;
  occurredAt: string | undefined;
  terms: Omit<SubtotalTerms, 'steps' | 'total'>;
  total: Amount;
  steps: readonly { name: SubtotalStep['name']; amount: Amount }[];
}

/** A purchase whose steps are known, or why it does not count. */
export function purchaseOf({
  customer,
  currency,
  occurredAt,
  terms,
  total,
  steps,
}: Counted): ShopPurchase | NoConcern {
  if (!isCurrency(currency)) return 'UNKNOWN_CURRENCY';
  const subtotalCents = minorOf(sum(steps.map(({ amount }) => amount)), currency);
  if (subtotalCents === undefined || subtotalCents > maxSubtotalCents) return 'BEYOND_LIMIT';
  if (subtotalCents <= 0) return 'ZERO_TOTAL';
  if (customer === null) return 'NO_CONTACT';
  const shown = steps
    .filter(({ amount }, place) => amount !== 0n || place === 0)
    .map(({ name, amount }) => ({ name, amount: amountText(amount, currency) }));
  return {
    customer,
    order: { subtotalCents, currency },
    ...(occurredAt !== undefined && { occurredAt }),
    terms: { ...terms, total: amountText(total, currency), steps: shown },
  };
}

/** What a refund takes of an order's subtotal, and the arithmetic. */
export interface RefundOfSubtotal {
  /** Minor units, at least 0 and not limited by what is left; null for all that is left. */
  amountCents: number | null;
  steps: SubtotalStep[];
}

/**
 * What a refund takes, by the terms of its purchase.
 * @param purchase its currency, and its subtotal in minor units
 */
export function refundOf(
  { refunded, currency }: ShopRefund,
  terms: SubtotalTerms,
  purchase: { subtotalCents: number; currency: string },
): RefundOfSubtotal {
  const { subtotalCents } = purchase;
  if (refunded.kind === 'REST') return { amountCents: null, steps: [] };
  const total = exact(terms.total);
  if (refunded.kind === 'SHARE') {
    const [from, to] = [exact(refunded.from), exact(refunded.to)];
    const steps: SubtotalStep[] = [{ name: 'PAID', amount: amountText(to - from, currency) }];
    return { amountCents: subtotalShareOf(subtotalCents, { from, to, total }), steps };
  }
  const { earns, taxIncluded } = terms;
  const tax = exact(refunded.tax);
  const parts: { name: SubtotalStep['name']; amount: Amount }[] = [
    { name: 'REFUNDED_GOODS', amount: exact(refunded.goods) },
    ...(taxIncluded && !earns.tax ? [{ name: 'TAX_INCLUDED' as const, amount: -tax }] : []),
    ...(!taxIncluded && earns.tax ? [{ name: 'TAX' as const, amount: tax }] : []),
    ...(earns.giftCards
      ? [{ name: 'GIFT_CARDS' as const, amount: exact(refunded.giftCards) }]
      : []),
    ...(earns.tips ? [{ name: 'TIPS' as const, amount: exact(refunded.tips) }] : []),
    ...(earns.shipping ? [{ name: 'SHIPPING' as const, amount: exact(refunded.shipping) }] : []),
  ];
  const adjustment = exact(refunded.adjustment);
  const less = adjustment < 0n ? adjustment : 0n;
  const own = minorOf(sum([...parts.map(({ amount }) => amount), less]), purchase.currency) ?? 0;
  const more = subtotalShareOf(subtotalCents, { from: 0n, to: adjustment, total });
  const steps = [...parts, { name: 'ADJUSTMENT' as const, amount: adjustment }]
    .filter(({ amount }) => amount !== 0n)
    .map(({ name, amount }) => ({ name, amount: amountText(amount, currency) }));
  return { amountCents: Math.max(0, own) + more, steps };
}

function exact(text: string): Amount {
  const amount = parseAmount(text);
  if (amount === undefined) throw new Error(`${text} is not an amount`);
  return amount;
}
