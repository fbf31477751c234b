import type { Earns, Fields, Platform, Translation } from './connections.ts';
import type { Mode } from './mode.ts';
import { translateShopifyOrder } from './shopify.ts';
import { translateStripe } from './stripe.ts';
import { dayMs } from './utc-days.ts';
import { translateWooCommerceOrder } from './woocommerce.ts';

/** The daily repair: a shop's own orders say what its deliveries left out (docs/integrate/shopify.md, Lost deliveries). */

const keyPatterns: Readonly<Record<Exclude<Platform, 'STRIPE'>, RegExp>> = {
  SHOPIFY: /^shp[a-z]{2}_[\w-]{16,200}$/,
  WOOCOMMERCE: /^ck_\w{16,120}:cs_\w{16,120}$/,
};
const stripeKeys: Readonly<Record<Mode, RegExp>> = {
  TEST: /^rk_test_\w{16,240}$/,
  LIVE: /^rk_live_\w{16,240}$/,
};

/**
 * A key that reads a shop's orders, as it is stored.
 * @param key as pasted; of WooCommerce, the consumer key
 * @param secret of WooCommerce: the consumer secret
 * @returns undefined if it is none
 */
export function readKeyIn(
  platform: Platform,
  mode: Mode,
  { key, secret }: { key: string; secret: string },
): string | undefined {
  const text = platform === 'WOOCOMMERCE' ? `${key.trim()}:${secret.trim()}` : key.trim();
  const pattern = platform === 'STRIPE' ? stripeKeys[mode] : keyPatterns[platform];
  return pattern.test(text) ? text : undefined;
}

/** Why a shop could not be asked, or not for everything. */
export const askProblems = [
  'KEY_REFUSED',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'NO_ANSWER',
  'ADDRESS_NOT_ALLOWED',
  'TOO_LARGE',
  'NOT_UNDERSTOOD',
  'TOO_MANY_ORDERS',
  'OUT_OF_TIME',
  'NOT_LIVE',
] as const;
export type AskProblem = (typeof askProblems)[number];

export class AskError extends Error {
  override name = 'AskError';
  readonly problem: AskProblem;
  /** HTTP; null without an answer. */
  readonly status: number | null;

  constructor(problem: AskProblem, status: number | null = null) {
    super(problem);
    this.problem = problem;
    this.status = status;
  }
}

/** When something was changed; `to` is excluded. */
export interface Slice {
  from: Date;
  to: Date;
}

export interface AskedShop {
  platform: Platform;
  /** As a connection has it; null for Stripe. */
  shop: string | null;
  mode: Mode;
  readKey: string;
}

/**
 * Asks a shop for what was changed in a time, page by page: orders, or Stripe's events about payments.
 * @throws AskError
 */
export type AskShop = (shop: AskedShop, slice: Slice) => AsyncIterable<Fields[]>;

/** What one of the asked things says. @throws MalformedDelivery */
export function translateAsked(
  platform: Platform,
  fields: Fields,
  settings: { earns: Earns; mode: Mode },
): Translation {
  if (platform === 'SHOPIFY') return translateShopifyOrder(fields, settings);
  if (platform === 'WOOCOMMERCE') return translateWooCommerceOrder(fields, settings.earns);
  return translateStripe(fields, settings);
}

/** What was changed is asked for again for so long, as it may have shown late. */
const againMs = 3 * dayMs;
/** Stripe keeps its events for 30 days; older orders are for people. */
const longestMs = 30 * dayMs;

/**
 * The days to ask for, oldest first.
 * @param countsFrom before which the connection counts nothing
 * @param askedUpTo the end of what was asked for completely; null if nothing was
 */
export function slicesOf(
  { countsFrom, askedUpTo }: { countsFrom: Date; askedUpTo: Date | null },
  now: Date,
): Slice[] {
  const fromMs = Math.max(
    countsFrom.getTime(),
    now.getTime() - longestMs,
    askedUpTo === null ? 0 : askedUpTo.getTime() - againMs,
  );
  const slices: Slice[] = [];
  for (let ms = fromMs; ms < now.getTime(); ms += dayMs) {
    slices.push({ from: new Date(ms), to: new Date(Math.min(ms + dayMs, now.getTime())) });
  }
  return slices;
}

/** Something that no delivery had reported. */
export interface RepairFinding {
  type: 'PURCHASE' | 'REFUND';
  externalOrderId: string | null;
  /** Its event; null if it could not be reported. */
  eventId: string | null;
  /** Why it could not be reported. */
  why: string | null;
}

/** How many findings a run names; the others are only counted. */
export const maxFindings = 20;

/** A run of the repair. */
export interface RepairRun {
  startedAt: Date;
  endedAt: Date;
  /** From when on changes were asked for. */
  since: Date;
  /** Orders, or Stripe's events about payments. */
  asked: number;
  /** Purchases and refunds that no delivery had reported. */
  missing: number;
  /** How many of these were reported now. */
  reported: number;
  findings: RepairFinding[];
  problem: { code: AskProblem; status: number | null } | null;
}

/** When a connection is asked again: the next day, and sooner after what passes by itself. */
export function askAgainAt({ endedAt, problem }: RepairRun): Date {
  const isPassing = problem !== null && !lasting.includes(problem.code);
  return new Date(endedAt.getTime() + (isPassing ? dayMs / 8 : dayMs));
}

const lasting: readonly AskProblem[] = ['KEY_REFUSED', 'NOT_FOUND', 'TOO_MANY_ORDERS', 'NOT_LIVE'];
