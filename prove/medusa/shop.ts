import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProcess } from '../../dev/managed-process.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { startBalancer } from '../support/network.ts';
import type { Processes } from '../support/processes.ts';
import { eventually } from './eventually.ts';

const run = promisify(execFile);
const graceMs = 20_000;
const password = 'correct horse battery';

// Medusa's answers, as far as they are used.
interface Cart {
  id: string;
  total: number;
  items: { id: string }[];
}
export interface Order {
  id: string;
  total: number;
  item_subtotal: number;
  credit_line_total: number;
  status: string;
  items: { id: string; quantity: number }[];
}
interface Payment {
  id: string;
  amount: number;
}

/** A signed-in customer of the shop. */
export interface ShopCustomer {
  email: string;
  token: string;
}

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** What an HTTP answer other than 2xx becomes. */
export class ShopError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The shop's two processes, behind a load balancer. */
const both = ['shop 1', 'shop 2'] as const;
type ShopProcess = (typeof both)[number];

interface Places {
  folder: string;
  /** Medusa's command. */
  medusa: string;
  databaseUrl: string;
  redisUrl: string;
  env: NodeJS.ProcessEnv;
}

/** The test shop: a Medusa with the plug-in, migrated, with an administrator and goods to sell. */
export async function startShop(
  processes: Processes,
  { folder, medusa, databaseUrl, redisUrl, env: inherited }: Places,
) {
  const freePort = () =>
    choosePort({ variable: 'SHOP_PORT', what: 'the shop', preferredPort: 0 }, {}, () => undefined);
  const ports = [await freePort(), await freePort()];
  const cwd = join(folder, 'shop');
  const url = `http://127.0.0.1:${await startBalancer(ports)}`;
  const sealingKey = randomBytes(32).toString('base64');
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    NODE_ENV: 'production',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SHOP_URL: url,
    SHOP_SECRET: randomBytes(16).toString('hex'),
    PARTNER_EVENTS_SEALING_KEY: sealingKey,
  };
  const command = (...args: string[]) =>
    run(process.execPath, [medusa, ...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  await command('db:migrate');
  const admin = { email: 'admin@shop.example', password };
  await command('user', '--email', admin.email, '--password', password);
  let starts = 0;
  const logFiles: string[] = [];
  for (const [nth, port] of ports.entries()) {
    processes.add(both[nth] as string, {
      start: () => {
        const logFile = join(folder, `shop-${starts++}.log`);
        logFiles.push(logFile);
        const args = [medusa, 'start', '--port', String(port), '--host', '127.0.0.1'];
        return startProcess({ command: process.execPath, args, env, cwd, graceMs, logFile });
      },
      readyUrl: `http://127.0.0.1:${port}/health`,
    });
  }
  // The first start of all writes Medusa's defaults.
  for (const one of both) await processes.start([one]);

  async function ask<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
    const response = await fetch(url + path, {
      method,
      // The next request goes to the other process.
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new ShopError(
      response.status,
      `${method} ${path}: ${response.status} ${text.slice(0, 300)}`,
    );
  }
  const { token: adminToken } = await ask<{ token: string }>('POST', '/auth/user/emailpass', admin);
  const asAdmin = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(method, `/admin${path}`, body, { authorization: `Bearer ${adminToken}` });
  const goods = await stock(asAdmin);
  const publishable = { 'x-publishable-api-key': goods.key };
  const asCustomer = <T>(
    customer: ShopCustomer | null,
    method: string,
    path: string,
    body?: unknown,
  ) =>
    ask<T>(method, `/store${path}`, body, {
      ...publishable,
      ...(customer && { authorization: `Bearer ${customer.token}` }),
    });

  /** What the shop mailed. */
  async function notified<T>(
    what: string,
    isIt: (one: { template: string; data: Record<string, unknown> }) => boolean,
  ): Promise<T> {
    return await eventually(what, async () => {
      const { notifications } = await asAdmin<{
        notifications: { template: string; data: Record<string, unknown> }[];
      }>('GET', '/notifications?limit=100&order=-created_at&fields=template,data');
      return notifications.find(isIt)?.data as T;
    });
  }

  return {
    url,
    admin,
    sealingKey,
    /** Changed before a start. */
    env,
    asAdmin,
    asCustomer,
    goods,

    kill: (names: readonly ShopProcess[] = both) => processes.kill(names),
    start: (names: readonly ShopProcess[] = both) => processes.start(names),
    stop: (names: readonly ShopProcess[] = both) => processes.stop(names),

    /** Builds the admin, and starts the shop with it. */
    async openAdmin(): Promise<void> {
      await processes.stop(both);
      env.SHOP_ADMIN = 'on';
      await command('build', '--admin-only');
      await mkdir(join(cwd, 'public'));
      await rename(join(cwd, '.medusa/admin'), join(cwd, 'public/admin'));
      await processes.start(both);
    },

    /** All that it has logged. */
    logs: async () =>
      (await Promise.all(logFiles.map((file) => readFile(file, 'utf8')))).join('\n'),

    async newCustomer(): Promise<ShopCustomer> {
      const email = `${randomUUID().slice(0, 8)}@customers.example`;
      const identity = { email, password };
      const registered = await ask<{ token: string }>(
        'POST',
        '/auth/customer/emailpass/register',
        identity,
      );
      await asCustomer({ email, token: registered.token }, 'POST', '/customers', { email });
      const { token } = await ask<{ token: string }>('POST', '/auth/customer/emailpass', identity);
      return { email, token };
    },

    /** The customer enters the code that the shop mailed. */
    async confirmEmail({ email, token }: ShopCustomer): Promise<void> {
      const bearer = { authorization: `Bearer ${token}` };
      const about = { entity_id: email, entity_type: 'email', code_provider: 'token' };
      await ask('POST', '/auth/verification/request', about, bearer);
      const { code } = await notified<{ code: string }>(
        'the code is mailed',
        ({ template, data }) => template === 'confirm-email' && data.email === email,
      );
      await ask('POST', '/auth/verification/confirm', { code, code_provider: 'token' }, bearer);
    },

    /** A cart with a shipping method unless it is left out. */
    async fill(
      customer: ShopCustomer | null,
      { quantity = 1, isShipped = true, currency = 'usd' as keyof typeof goods.regions } = {},
    ): Promise<Cart> {
      const { id: region_id, country } = goods.regions[currency];
      const address = {
        first_name: 'A',
        last_name: 'B',
        address_1: 'Street 1',
        city: 'City',
        postal_code: '12345',
        country_code: country,
      };
      const email = customer?.email ?? `${randomUUID().slice(0, 8)}@guests.example`;
      const { cart } = await asCustomer<{ cart: Cart }>(customer, 'POST', '/carts', {
        region_id,
        email,
        shipping_address: address,
        items: [{ variant_id: goods.variantId, quantity }],
      });
      if (isShipped) await this.ship(customer, cart.id, currency);
      return await this.cart(customer, cart.id);
    },

    async ship(
      customer: ShopCustomer | null,
      cartId: string,
      currency: keyof typeof goods.regions = 'usd',
    ): Promise<void> {
      const { optionId } = goods.regions[currency];
      await asCustomer(customer, 'POST', `/carts/${cartId}/shipping-methods`, {
        option_id: optionId,
      });
    },

    async cart(customer: ShopCustomer | null, id: string): Promise<Cart> {
      return (await asCustomer<{ cart: Cart }>(customer, 'GET', `/carts/${id}`)).cart;
    },

    /** Whether tax is among the prices in dollars. */
    async includeTax(is_tax_inclusive: boolean): Promise<void> {
      const about = { attribute: 'currency_code', value: 'usd' };
      const { price_preferences } = await asAdmin<{ price_preferences: { id: string }[] }>(
        'GET',
        `/price-preferences?${new URLSearchParams(about)}`,
      );
      const [own] = price_preferences;
      if (own) await asAdmin('POST', `/price-preferences/${own.id}`, { is_tax_inclusive });
      else await asAdmin('POST', '/price-preferences', { ...about, is_tax_inclusive });
    },

    /** Pays and places the order. @throws ShopError if it is not placed */
    async place(
      customer: ShopCustomer | null,
      cart: Cart,
      provider_id = 'pp_system_default',
    ): Promise<Order> {
      if ((await this.cart(customer, cart.id)).total > 0) {
        const { payment_collection } = await asCustomer<{ payment_collection: { id: string } }>(
          customer,
          'POST',
          '/payment-collections',
          { cart_id: cart.id },
        );
        const sessions = `/payment-collections/${payment_collection.id}/payment-sessions`;
        await asCustomer(customer, 'POST', sessions, { provider_id });
      }
      const { order, error } = await asCustomer<{ order?: Order; error?: { message: string } }>(
        customer,
        'POST',
        `/carts/${cart.id}/complete`,
        {},
      );
      if (!order) throw new ShopError(200, error?.message ?? 'no order');
      return order;
    },

    async order(id: string): Promise<Order> {
      return (await asAdmin<{ order: Order }>('GET', `/orders/${id}`)).order;
    },

    /** The administrator captures the payment. @returns it */
    async capture(orderId: string): Promise<Payment> {
      const { order } = await asAdmin<{
        order: { payment_collections: { payments: Payment[] }[] };
      }>('GET', `/orders/${orderId}?fields=*payment_collections.payments`);
      const payment = order.payment_collections.flatMap(({ payments }) => payments)[0];
      if (!payment) throw new Error(`${orderId} has no payment`);
      await asAdmin('POST', `/payments/${payment.id}/capture`, {});
      return payment;
    },

    refund: (payment: Payment, amount: number) =>
      asAdmin('POST', `/payments/${payment.id}/refund`, { amount }),

    /** The administrator edits the order. */
    async edit(orderId: string, quantity: number): Promise<void> {
      const { items } = await this.order(orderId);
      await asAdmin('POST', '/order-edits', { order_id: orderId });
      const edit = `/order-edits/${orderId}`;
      await asAdmin('POST', `${edit}/items/item/${items[0]?.id}`, { quantity });
      await asAdmin('POST', `${edit}/confirm`, {});
    },

    /** What an edit has added is paid by a transfer. */
    async payRest(orderId: string): Promise<void> {
      const { order } = await asAdmin<{ order: { summary: { pending_difference: number } } }>(
        'GET',
        `/orders/${orderId}?fields=summary`,
      );
      const { payment_collection } = await asAdmin<{ payment_collection: { id: string } }>(
        'POST',
        '/payment-collections',
        { order_id: orderId, amount: order.summary.pending_difference },
      );
      await asAdmin('POST', `/payment-collections/${payment_collection.id}/mark-as-paid`, {
        order_id: orderId,
      });
    },

    /** The order is sent, and so many of its goods come back. */
    async giveBack(orderId: string, quantity: number): Promise<void> {
      const { items } = await this.order(orderId);
      const [item] = items;
      await asAdmin('POST', `/orders/${orderId}/fulfillments`, {
        items: [{ id: item?.id, quantity: item?.quantity }],
      });
      const { return: opened } = await asAdmin<{ return: { id: string } }>('POST', '/returns', {
        order_id: orderId,
      });
      const back = `/returns/${opened.id}`;
      const wanted = { items: [{ id: item?.id, quantity }] };
      await asAdmin('POST', `${back}/request-items`, wanted);
      await asAdmin('POST', `${back}/request`, {});
      await asAdmin('POST', `${back}/receive`, {});
      await asAdmin('POST', `${back}/receive-items`, wanted);
      await asAdmin('POST', `${back}/receive/confirm`, {});
    },

    async changeQuantity(customer: ShopCustomer | null, cartId: string, quantity: number) {
      const { items } = await this.cart(customer, cartId);
      const line = `/carts/${cartId}/line-items/${items[0]?.id}`;
      await asCustomer(customer, 'POST', line, { quantity });
    },

    async note(customer: ShopCustomer, cartId: string, metadata: object): Promise<void> {
      await asCustomer(customer, 'POST', `/carts/${cartId}`, { metadata });
    },

    cancel: (orderId: string) => asAdmin('POST', `/orders/${orderId}/cancel`, {}),

    /** The shop's subscriber was told that the reward is claimed. */
    async heardOf(rewardId: string): Promise<void> {
      await notified(
        'a subscriber is told of the claim',
        ({ template, data }) => template === 'claimed' && data.reward_id === rewardId,
      );
    },

    /** The link in the order's confirmation. */
    async claimUrlOf(orderId: string): Promise<string> {
      const { claim_url } = await notified<{ claim_url: string }>(
        'the order is confirmed with a link',
        ({ template, data }) =>
          template === 'order-confirmation' && data.order_id === orderId && data.claim_url !== null,
      );
      return claim_url;
    },
  };
}

/** Two regions, with taxes and shipping, so that a total is not the goods alone; a product. */
async function stock(ask: <T>(method: string, path: string, body?: unknown) => Promise<T>) {
  type Made<Name extends string> = { [name in Name]: { id: string } };
  const { sales_channels } = await ask<{ sales_channels: { id: string }[] }>(
    'GET',
    '/sales-channels',
  );
  const channel = sales_channels[0]?.id ?? '';
  const { stores } = await ask<{ stores: { id: string }[] }>('GET', '/stores');
  await ask('POST', `/stores/${stores[0]?.id}`, {
    supported_currencies: [
      { currency_code: 'usd', is_default: true },
      { currency_code: 'jpy', is_default: false },
    ],
    default_sales_channel_id: channel,
  });
  const { stock_location } = await ask<Made<'stock_location'>>('POST', '/stock-locations', {
    name: 'Warehouse',
  });
  const location = `/stock-locations/${stock_location.id}`;
  await ask('POST', `${location}/sales-channels`, { add: [channel] });
  await ask('POST', `${location}/fulfillment-providers`, { add: ['manual_manual'] });
  const located = await ask<{ stock_location: { fulfillment_sets: { id: string }[] } }>(
    'POST',
    `${location}/fulfillment-sets?fields=*fulfillment_sets`,
    { name: 'Delivery', type: 'shipping' },
  );
  const set = located.stock_location.fulfillment_sets[0]?.id;
  const profiles = await ask<{ shipping_profiles: { id: string }[] }>('GET', '/shipping-profiles');
  const profile =
    profiles.shipping_profiles[0]?.id ??
    (
      await ask<Made<'shipping_profile'>>('POST', '/shipping-profiles', {
        name: 'Default',
        type: 'default',
      })
    ).shipping_profile.id;

  const openRegion = async (currency: string, country: string, shipping: number) => {
    const { region } = await ask<Made<'region'>>('POST', '/regions', {
      name: country,
      currency_code: currency,
      countries: [country],
      payment_providers: ['pp_system_default', 'pp_declining_bank'],
    });
    await ask('POST', '/tax-regions', {
      country_code: country,
      provider_id: 'tp_system',
      default_tax_rate: { name: 'Tax', code: 'tax', rate: 10 },
    });
    const { fulfillment_set } = await ask<{
      fulfillment_set: { service_zones: { id: string; name: string }[] };
    }>('POST', `/fulfillment-sets/${set}/service-zones`, {
      name: country,
      geo_zones: [{ type: 'country', country_code: country }],
    });
    const zone = fulfillment_set.service_zones.find(({ name }) => name === country);
    const { shipping_option } = await ask<Made<'shipping_option'>>('POST', '/shipping-options', {
      name: `Standard ${country}`,
      service_zone_id: zone?.id,
      shipping_profile_id: profile,
      provider_id: 'manual_manual',
      price_type: 'flat',
      type: { label: 'Standard', description: 'Standard', code: 'standard' },
      prices: [{ currency_code: currency, amount: shipping }],
      rules: [],
    });
    return { id: region.id, country, optionId: shipping_option.id };
  };
  const regions = {
    usd: await openRegion('usd', 'us', 5),
    jpy: await openRegion('jpy', 'jp', 500),
  };
  const { product } = await ask<{ product: { variants: { id: string }[] } }>('POST', '/products', {
    title: 'Shirt',
    status: 'published',
    shipping_profile_id: profile,
    sales_channels: [{ id: channel }],
    options: [{ title: 'Size', values: ['M'] }],
    variants: [
      {
        title: 'M',
        manage_inventory: false,
        options: { Size: 'M' },
        prices: [
          { currency_code: 'usd', amount: 49.9 },
          { currency_code: 'jpy', amount: 4990 },
        ],
      },
    ],
  });
  await ask('POST', '/promotions', {
    code: 'TEN',
    type: 'standard',
    status: 'active',
    application_method: {
      type: 'percentage',
      target_type: 'items',
      allocation: 'across',
      value: 10,
      currency_code: 'usd',
    },
  });
  const { api_key } = await ask<{ api_key: { id: string; token: string } }>('POST', '/api-keys', {
    title: 'Storefront',
    type: 'publishable',
  });
  await ask('POST', `/api-keys/${api_key.id}/sales-channels`, { add: [channel] });
  return { key: api_key.token, variantId: product.variants[0]?.id, regions };
}
