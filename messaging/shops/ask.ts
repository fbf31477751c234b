import { setTimeout as delay } from 'node:timers/promises';
import {
  type Fields,
  listIn,
  MalformedDelivery,
  type Platform,
  parseDelivery,
} from '../../domain/connections.ts';
import { AskError, type AskedShop, type AskShop, type Slice } from '../../domain/shop-repair.ts';
import { stripeEventTypes } from '../../domain/stripe.ts';
import { isLocal } from '../webhooks/addresses.ts';
import type { Get, GotAnswer } from './get.ts';

/** How platforms say what was bought and refunded when they are asked. */

const pageSize = 100;
/** Of a day, so that a run ends. */
const defaultMaxPages = 100;
const shopifyVersion = '2026-10';
/** What the translation reads, and nothing else about customers. */
const shopifyFields = [
  ...['id', 'test', 'currency', 'email', 'contact_email', 'phone', 'customer', 'financial_status'],
  ...['cancelled_at', 'created_at', 'processed_at', 'taxes_included', 'total_price'],
  ...['total_price_set', 'line_items', 'shipping_lines', 'refunds', 'billing_address'],
];
const wooCommerceFields = [
  ...['id', 'status', 'currency', 'total', 'shipping_total', 'shipping_tax', 'billing', 'refunds'],
  ...['date_created_gmt', 'date_modified_gmt', 'date_paid_gmt', 'line_items', 'fee_lines'],
];

/** A platform that asks us to slow down is asked again after what it says, at most so long and so often. */
const longestWaitMs = 30_000;
const maxWaits = 3;

interface AskDeps {
  get: Get;
  maxPages?: number;
  /** Of a platform, instead of its own; for tests. */
  originOf?: (shop: AskedShop) => string;
  sleep?: (ms: number) => Promise<unknown>;
}

/** Where a platform is asked: nowhere but at its own address, whatever its answers say. */
export function shopOriginOf({ platform, shop }: Pick<AskedShop, 'platform' | 'shop'>): string {
  if (platform === 'STRIPE') return 'https://api.stripe.com';
  const url = new URL(`https://${shop}`);
  // Only TEST may lead to this machine, where there are no certificates.
  return `${platform === 'WOOCOMMERCE' && isLocal(url) ? 'http' : 'https'}://${shop}`;
}

/** Creates what asks shops for their orders. */
export function createAskShop({
  get,
  maxPages = defaultMaxPages,
  originOf: ownOriginOf = shopOriginOf,
  sleep = delay,
}: AskDeps): AskShop {
  const asking: Readonly<Record<Platform, AskShop>> = {
    SHOPIFY: askShopify,
    WOOCOMMERCE: askWooCommerce,
    STRIPE: askStripe,
  };
  return (shop, slice) => asking[shop.platform](shop, slice);

  /** Its further pages are in the header Link, of which only the cursor is taken. */
  async function* askShopify(shop: AskedShop, { from, to }: Slice): AsyncGenerator<Fields[]> {
    const headers = { 'x-shopify-access-token': shop.readKey };
    const fields = shopifyFields.join(',');
    const first = {
      status: 'any',
      updated_at_min: from.toISOString(),
      updated_at_max: to.toISOString(),
    };
    let query: Record<string, string> = first;
    for (let page = 1; ; page++) {
      const { headers: received, text } = await asked(
        shop,
        `/admin/api/${shopifyVersion}/orders.json`,
        { ...query, fields, limit: String(pageSize) },
        headers,
      );
      yield listOf(text);
      const cursor = nextPageIn(String(received.link ?? ''));
      if (cursor === undefined) return;
      if (page === maxPages) throw new AskError('TOO_MANY_ORDERS');
      query = { page_info: cursor };
    }
  }

  async function* askWooCommerce(shop: AskedShop, { from, to }: Slice): AsyncGenerator<Fields[]> {
    const authorization = `Basic ${Buffer.from(shop.readKey).toString('base64')}`;
    for (let page = 1; ; page++) {
      const { headers, text } = await asked(
        shop,
        '/wp-json/wc/v3/orders',
        {
          modified_after: wordPressTime(from, -1),
          modified_before: wordPressTime(to, 1),
          dates_are_gmt: 'true',
          orderby: 'id',
          order: 'asc',
          per_page: String(pageSize),
          page: String(page),
          _fields: wooCommerceFields.join(','),
        },
        { authorization },
      );
      yield listOf(`{"orders":${text}}`);
      const pages = Number(headers['x-wp-totalpages'] ?? 0);
      if (!(page < pages)) return;
      if (page === maxPages) throw new AskError('TOO_MANY_ORDERS');
    }
  }

  /** By its own library, over our own requests. It is loaded with the first account that is asked. */
  async function* askStripe(shop: AskedShop, { from, to }: Slice): AsyncGenerator<Fields[]> {
    const { default: Stripe } = await import('stripe');
    const origin = new URL(ownOriginOf(shop));
    let failure: AskError | undefined;
    const client = new Stripe(shop.readKey, {
      host: origin.hostname,
      ...(origin.port !== '' && { port: origin.port }),
      protocol: origin.protocol === 'http:' ? 'http' : 'https',
      maxNetworkRetries: 2,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(async (input, init) => {
        const headers = Object.fromEntries(new Headers(init?.headers).entries());
        try {
          const answer = await get({ url: String(input), mode: shop.mode }, headers);
          const { 'retry-after': retryAfter } = answer.headers;
          return new Response(answer.text, {
            status: answer.status,
            headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
          });
        } catch (error) {
          if (error instanceof AskError) failure = error;
          throw error;
        }
      }),
    });
    const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
    let after: string | undefined;
    for (let page = 1; ; page++) {
      const list = await client.events
        .list({
          types: [...stripeEventTypes],
          created: { gte: seconds(from), lt: seconds(to) + 1 },
          limit: pageSize,
          ...(after !== undefined && { starting_after: after }),
        })
        .catch((error: unknown) => {
          if (failure) throw failure;
          if (!(error instanceof Stripe.errors.StripeError)) throw error;
          throw problemOf(error.statusCode ?? null);
        });
      yield listOf(JSON.stringify({ orders: list.data }));
      after = list.data.at(-1)?.id;
      if (!list.has_more || after === undefined) return;
      if (page === maxPages) throw new AskError('TOO_MANY_ORDERS');
    }
  }

  async function asked(
    shop: AskedShop,
    path: string,
    query: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<GotAnswer> {
    const url = `${ownOriginOf(shop)}${path}?${new URLSearchParams(query)}`;
    for (let waits = 0; ; waits++) {
      const answer = await get({ url, mode: shop.mode }, headers);
      if (answer.status === 200) return answer;
      if (answer.status !== 429 || waits === maxWaits) throw problemOf(answer.status);
      await sleep(waitOf(answer.headers['retry-after']));
    }
  }
}

/**
 * In UTC and without saying so: WordPress moves a time that has an offset into the time zone of its site, whatever it is
 * compared with. The ends are excluded, so they are moved by a second.
 */
const wordPressTime = (at: Date, seconds: number): string =>
  new Date(at.getTime() + seconds * 1_000).toISOString().slice(0, 19);

/** Seconds, which Shopify writes with a decimal. */
function waitOf(header: string | undefined): number {
  const ms = Number(header ?? 2) * 1_000;
  return Number.isFinite(ms) ? Math.min(longestWaitMs, Math.max(500, ms)) : longestWaitMs;
}

function problemOf(status: number | null): AskError {
  if (status === 401 || status === 403) return new AskError('KEY_REFUSED', status);
  if (status === 404) return new AskError('NOT_FOUND', status);
  if (status === 429) return new AskError('TOO_MANY_REQUESTS', status);
  return new AskError('NO_ANSWER', status);
}

/** @throws AskError NOT_UNDERSTOOD */
function listOf(text: string): Fields[] {
  try {
    return listIn(parseDelivery(text), 'orders');
  } catch (error) {
    if (error instanceof MalformedDelivery) throw new AskError('NOT_UNDERSTOOD', 200);
    throw error;
  }
}

const maxCursorChars = 2_000;

/** The cursor of the next page in a header Link; undefined on the last. */
function nextPageIn(link: string): string | undefined {
  const next = link.split(',').find((one) => /;\s*rel="?next"?/.test(one));
  const [, address = ''] = /<([^>]*)>/.exec(next ?? '') ?? [];
  const cursor = URL.parse(address)?.searchParams.get('page_info') ?? undefined;
  return cursor !== undefined && cursor.length <= maxCursorChars ? cursor : undefined;
}
