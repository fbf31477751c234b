import test from 'ava';
import fc from 'fast-check';
import { repairConnection } from '../../connect/repair.ts';
import { reportDelivery } from '../../connect/report.ts';
import { type Platform, parseDelivery, usualEarns } from '../../domain/connections.ts';
import { askAgainAt, type RepairRun, readKeyIn, slicesOf } from '../../domain/shop-repair.ts';
import { translateShopify } from '../../domain/shopify.ts';
import { translateStripe } from '../../domain/stripe.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { translateWooCommerce } from '../../domain/woocommerce.ts';
import { termsOfPartner } from '../../events/partner-terms.ts';
import { createAskShop, shopOriginOf } from '../../messaging/shops/ask.ts';
import { createGet } from '../../messaging/shops/get.ts';
import {
  createConnection,
  endConnection,
  removeConnectionReadKey,
  setConnectionReadKey,
  updateConnection,
} from '../../operations/connections.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { operate } from '../helpers/operate.ts';
import { shopDomain } from '../helpers/shop.ts';
import {
  shopifyLine,
  shopifyOrder,
  shopifyRefund,
  shopifyRefundLine,
  stripeEvent,
  stripeRefund,
  stripeSession,
  wooOrder,
} from '../helpers/shop-payloads.ts';
import {
  type Platform as Played,
  shopifyToken,
  startPlatform,
  stripeKey,
  wooKey,
  wooSecret,
} from '../helpers/shop-platform.ts';
import { openWorkplace, type Workplace } from '../operations/helpers/workplace.ts';

let workplace: Workplace;
test.before(async () => {
  workplace = await openWorkplace();
});
test.after.always(() => workplace?.close());

type Json = Record<string, unknown>;
type Delivery = readonly [topic: string, body: Json];

const keyOf = (platform: Platform) => ({
  readSecret: { SHOPIFY: shopifyToken, WOOCOMMERCE: wooKey, STRIPE: stripeKey }[platform],
  consumerSecret: platform === 'WOOCOMMERCE' ? wooSecret : '',
});
const signing = (platform: Platform) =>
  platform === 'STRIPE' ? 'whsec_made_up_signing_secret' : 'made-up-signing-secret';

/** A time some days ago, without milliseconds, which platforms do not write. */
const ago = (days: number): Date =>
  new Date(Math.floor((Date.now() - days * dayMs) / 1_000) * 1_000);
const iso = (days: number): string => ago(days).toISOString();
const seconds = (days: number): number => ago(days).getTime() / 1_000;

/** A partner's connection of ten days ago, with a key, and its platform. */
async function connected(
  platform: Platform,
  played: Played,
  { rule, maxBytes }: { rule?: null; maxBytes?: number } = {},
) {
  const { deps, models } = workplace;
  const partner = await workplace.partner(rule === null ? { rule } : {});
  const { partnerId, integrationId, mode } = partner;
  const made = await operate(deps, createConnection, {
    partnerId,
    integrationId,
    mode,
    platform,
    shop: platform === 'SHOPIFY' ? shopDomain : `http://${played.host}`,
    secret: signing(platform),
  });
  const { _id: connectionId } = made;
  const key = { partnerId, connectionId };
  await operate(deps, setConnectionReadKey, { ...key, ...keyOf(platform) });
  await models.connections.updateOne({ _id: connectionId }, { $set: { createdAt: ago(10) } });
  const repairing = {
    ...deps,
    hashes: createRequestHashes(deps.config.customerHashKey),
    askShop: createAskShop({
      get: createGet({ allowLoopback: true, ...(maxBytes && { maxBytes }) }),
      maxPages: 5,
      sleep: async () => undefined,
      // WooCommerce is asked where its connection says.
      ...(platform !== 'WOOCOMMERCE' && { originOf: () => played.origin }),
    }),
  };
  const read = () => models.connections.findOne({ _id: connectionId }).orFail();
  const settings = { earns: usualEarns, mode };
  const translate = {
    SHOPIFY: ([topic, body]: Delivery) => translateShopify(topic, parsed(body), settings),
    WOOCOMMERCE: ([topic, body]: Delivery) =>
      translateWooCommerce(topic, parsed(body), settings.earns),
    STRIPE: ([, body]: Delivery) => translateStripe(parsed(body), settings),
  };
  return {
    partnerId,
    key,
    deps,
    read,
    async repair(): Promise<RepairRun> {
      const run = await repairConnection(repairing, await read());
      if (run === null) throw new Error('the shop was not asked');
      return run;
    },
    async deliver(delivery: Delivery): Promise<void> {
      const terms = await termsOfPartner(deps, made);
      const from = { ...terms, connectionId, platform, earns: usualEarns, mayBuy: true };
      const arrival = {
        requestId: newId('request'),
        receivedAt: new Date(),
        request: { method: 'POST', path: '/connect/:connectionId', status: 200 },
      };
      await reportDelivery(repairing, from, arrival, translate[platform](delivery));
    },
    async reported(): Promise<string[]> {
      const events = await models.orderEvents.find({ partnerId });
      return events
        .map(({ externalOrderId, externalRefundId, amountCents, purchase }) => {
          const cents = purchase?.arithmetic.subtotalCents ?? amountCents ?? 0;
          return `${externalOrderId} ${externalRefundId ?? 'purchase'} ${cents}`;
        })
        .toSorted();
    },
    waiting: () => models.waitingRefunds.countDocuments({ partnerId }),
  };
}

const parsed = (body: Json) => parseDelivery(JSON.stringify(body));

/** A platform for one test. */
async function played(t: { teardown(end: () => Promise<void>): void }): Promise<Played> {
  const platform = await startPlatform();
  t.teardown(() => platform.stop());
  return platform;
}

const lines = [shopifyLine('30.00', { id: 1 }), shopifyLine('20.00', { id: 2 })];
const shopifyTimes = { created_at: iso(2), processed_at: iso(2), updated_at: iso(2) };
const order = (id: number, change: Json = {}) =>
  shopifyOrder({ id, total_price: '55.00', line_items: lines, ...shopifyTimes, ...change });
const refundOf = (id: number, orderId: number, lineId: number, amount: string) =>
  shopifyRefund(amount, [shopifyRefundLine(amount, { lineId })], {
    id,
    order_id: orderId,
    created_at: iso(1),
    processed_at: iso(1),
  });
const returned = (ids: number[]) =>
  lines.map((line) => (ids.includes(line.id) ? { ...line, current_quantity: 0 } : line));

interface World {
  deliveries: readonly Delivery[];
  /** What the platform has at the end. */
  atTheEnd: readonly Json[];
  events: readonly string[];
}

const wooTimes = { date_created_gmt: iso(2).slice(0, 19), date_paid_gmt: iso(2).slice(0, 19) };
const woo = (id: number, change: Json = {}) =>
  wooOrder({ id, ...wooTimes, date_modified_gmt: iso(1).slice(0, 19), ...change });
const paidBack = [
  { id: 735, total: '-10.98' },
  { id: 736, total: '-43.92' },
];
const ended = woo(732, { status: 'refunded', refunds: paidBack });
const session = (nth: number) =>
  stripeEvent(
    'checkout.session.completed',
    stripeSession({ payment_intent: `pi_${nth}`, id: `cs_test_${nth}` }),
    { id: `evt_paid${nth}`, created: seconds(2) },
  );
const back = (from: number, to: number) => ({
  ...stripeRefund(from, to, { payment_intent: 'pi_2', id: 'ch_2' }),
  id: `evt_back${to}`,
  created: seconds(1),
});

const worlds: Readonly<Record<Platform, World>> = {
  SHOPIFY: {
    deliveries: [
      ['orders/paid', order(1)],
      ['orders/paid', order(2)],
      ['refunds/create', refundOf(21, 2, 1, '30.00')],
      ['refunds/create', refundOf(22, 2, 2, '20.00')],
    ],
    atTheEnd: [
      order(1),
      order(2, {
        financial_status: 'refunded',
        line_items: returned([1, 2]),
        refunds: [refundOf(21, 2, 1, '30.00'), refundOf(22, 2, 2, '20.00')],
      }),
    ],
    events: ['1 purchase 5000', '2 21 3000', '2 22 2000', '2 purchase 5000'],
  },
  WOOCOMMERCE: {
    deliveries: [
      ['order.updated', woo(731)],
      ['order.updated', woo(732)],
      ['order.updated', woo(732, { refunds: paidBack.slice(0, 1) })],
      ['order.updated', ended],
    ],
    atTheEnd: [woo(731), ended],
    events: ['731 purchase 4990', '732 735 998', '732 736 3992', '732 purchase 4990'],
  },
  STRIPE: {
    deliveries: [
      ['', session(1)],
      ['', session(2)],
      ['', back(0, 1_098)],
      ['', back(1_098, 2_196)],
    ],
    atTheEnd: [session(1), session(2), back(0, 1_098), back(1_098, 2_196)],
    events: [
      'pi_1 purchase 4990',
      'pi_2 ch_2:1098 998',
      'pi_2 ch_2:2196 998',
      'pi_2 purchase 4990',
    ],
  },
};

const play: Readonly<Record<Platform, 'shopify' | 'wooCommerce' | 'stripe'>> = {
  SHOPIFY: 'shopify',
  WOOCOMMERCE: 'wooCommerce',
  STRIPE: 'stripe',
};

for (const platform of ['SHOPIFY', 'WOOCOMMERCE', 'STRIPE'] as const) {
  const { deliveries, atTheEnd, events } = worlds[platform];

  test(`${platform}: what no delivery reported is found page by page, reported once, and shown`, async (t) => {
    const shop = await played(t);
    shop[play[platform]](() => atTheEnd, { pageSize: 1 });
    const { deliver, repair, reported, read } = await connected(platform, shop);
    await deliver(deliveries[0] as Delivery);
    const run = await repair();
    t.deepEqual(await reported(), events);
    t.like(run, { asked: atTheEnd.length, missing: 3, reported: 3, problem: null });
    t.deepEqual(run.findings.map(({ type, why }) => [type, why]).toSorted(), [
      ['PURCHASE', null],
      ['REFUND', null],
      ['REFUND', null],
    ]);
    const { repair: stored, askedUpTo, askAt, readKey } = await read();
    t.is(stored?.reported, 3);
    t.deepEqual(askedUpTo, run.startedAt);
    t.deepEqual(askAt, askAgainAt(run));
    t.false(JSON.stringify({ stored, readKey }).includes(keyOf(platform).readSecret));
    t.like(await repair(), { missing: 0, reported: 0, findings: [] });
    t.deepEqual(await reported(), events);
  });

  test(`${platform}: any order of deliveries, with repeats and losses, ends in the same events after the repair`, async (t) => {
    const shop = await played(t);
    shop[play[platform]](() => atTheEnd);
    const some = fc.shuffledSubarray([...deliveries.keys()]);
    const repeats = fc.array(fc.nat({ max: deliveries.length - 1 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(some, repeats, fc.nat(), async (before, again, place) => {
        const { deliver, repair, reported, waiting } = await connected(platform, shop);
        const sent = [...before, ...again].map((nth) => deliveries[nth] as Delivery);
        const early = place % (sent.length + 1);
        for (const one of sent.slice(0, early)) await deliver(one);
        await repair();
        for (const one of sent.slice(early)) await deliver(one);
        await repair();
        t.deepEqual(await reported(), events);
        t.is(await waiting(), 0);
      }),
      { numRuns: 8 },
    );
  });
}

test('orders of before the connection, and of its pause, are not counted', async (t) => {
  const shop = await played(t);
  const old = order(3, { processed_at: iso(12), created_at: iso(12), updated_at: iso(1) });
  shop.shopify(() => [old, order(4)]);
  const { key, deps, repair, reported, read } = await connected('SHOPIFY', shop);
  await operate(deps, updateConnection, { ...key, isPaused: true });
  t.is(await repairConnection({} as never, await read()), null);
  await operate(deps, updateConnection, { ...key, isPaused: false });
  t.like(await repair(), { missing: 0, problem: null });
  t.deepEqual(await reported(), []);
  await workplace.models.connections.updateOne({ _id: key.connectionId }, { resumedAt: null });
  await repair();
  t.deepEqual(await reported(), ['4 purchase 5000']);
});

test('what cannot be reported is named with the reason', async (t) => {
  const shop = await played(t);
  const unreadable = { ...order(6), id: null };
  shop.shopify(() => [order(5), unreadable]);
  const { repair } = await connected('SHOPIFY', shop, { rule: null });
  const { missing, reported, findings } = await repair();
  t.deepEqual([missing, reported], [2, 0]);
  t.regex(findings[0]?.why ?? '', /rule/);
  t.like(findings[1], { externalOrderId: null, why: 'id is missing, or is no id.' });
});

test('a shop is asked only at its own address, and in time for what the key is for', async (t) => {
  t.is(shopOriginOf({ platform: 'SHOPIFY', shop: shopDomain }), `https://${shopDomain}`);
  t.is(shopOriginOf({ platform: 'STRIPE', shop: null }), 'https://api.stripe.com');
  t.is(shopOriginOf({ platform: 'WOOCOMMERCE', shop: 'a.example/wp' }), 'https://a.example/wp');
  const shop = await played(t);
  shop.shopify(() => worlds.SHOPIFY.atTheEnd, { pageSize: 1 });
  const { repair } = await connected('SHOPIFY', shop);
  await repair();
  const further = shop.asked.filter(({ query }) => query.has('page_info'));
  t.is(further.length, 1, 'the cursor is taken from the link, and its host is not');
  const [first] = shop.asked;
  t.is(first?.query.get('status'), 'any');
  t.regex(first?.query.get('fields') ?? '', /line_items/);
  t.notRegex(first?.query.get('fields') ?? '', /shipping_address/);
});

type Problem = readonly [name: string, (shop: Played) => void, code: string, number | null];
const problems: readonly Problem[] = [
  ['refuses the key', (shop) => shop.shopify(() => [], { token: 'another' }), 'KEY_REFUSED', 401],
  ['has nothing there', () => undefined, 'NOT_FOUND', 404],
  ...([429, 500, 302] as const).map(
    (status) =>
      [
        `answers ${status}`,
        (shop: Played) =>
          shop.answerWith((response) => void response.writeHead(status, { location: '/' }).end()),
        status === 429 ? 'TOO_MANY_REQUESTS' : 'NO_ANSWER',
        status,
      ] as const satisfies Problem,
  ),
  [
    'answers no orders',
    (shop) => shop.answerWith((response) => void response.end('<html>')),
    'NOT_UNDERSTOOD',
    200,
  ],
  [
    'answers without an end',
    (shop) => shop.answerWith((response) => void response.end(`[${' '.repeat(200_000)}]`)),
    'TOO_LARGE',
    200,
  ],
  ['hangs up', (shop) => shop.answerWith((response) => void response.destroy()), 'NO_ANSWER', null],
  [
    'has more than fits in a day',
    (shop) =>
      shop.shopify(
        () =>
          Array.from({ length: 9 }, (_, id) => order(100 + id, { financial_status: 'pending' })),
        { pageSize: 1 },
      ),
    'TOO_MANY_ORDERS',
    null,
  ],
];
for (const [name, set, code, status] of problems) {
  test(`a shop that ${name}`, async (t) => {
    const shop = await played(t);
    set(shop);
    const { repair, read } = await connected('SHOPIFY', shop, { maxBytes: 100_000 });
    t.deepEqual((await repair()).problem, { code, status } as never);
    const { repair: stored, askAt, askedUpTo } = await read();
    t.deepEqual(stored?.problem, { code, status } as never);
    t.true((askAt?.getTime() ?? 0) > Date.now());
    t.true((askedUpTo?.getTime() ?? 0) < Date.now());
  });
}

test('Stripe’s refusal is known as one, and LIVE leads to no machine of ours', async (t) => {
  const shop = await played(t);
  shop.stripe(() => [], { key: 'rk_test_another' });
  const { repair } = await connected('STRIPE', shop);
  t.deepEqual((await repair()).problem, { code: 'KEY_REFUSED', status: 401 });
  const askShop = createAskShop({ get: createGet({ allowLoopback: true }) });
  for (const local of ['127.0.0.1:80', 'localhost', '10.0.0.1', '169.254.169.254']) {
    const asked = {
      platform: 'WOOCOMMERCE',
      shop: local,
      mode: 'LIVE',
      readKey: `${wooKey}:${wooSecret}`,
    } as const;
    const pages = askShop(asked, { from: ago(1), to: ago(0) });
    const read = async () => {
      for await (const page of pages) t.fail(String(page.length));
    };
    await t.throwsAsync(read, { message: 'ADDRESS_NOT_ALLOWED' }, local);
  }
});

test('a key is replaced, removed, and gone with its connection', async (t) => {
  const shop = await played(t);
  const { key, deps, read } = await connected('SHOPIFY', shop);
  const { readKey } = await read();
  await operate(deps, setConnectionReadKey, { ...key, ...keyOf('SHOPIFY') });
  t.not((await read()).readKey?.sealed, readKey?.sealed);
  await operate(deps, removeConnectionReadKey, key);
  t.like(await read(), { readKey: null, askAt: null });
  t.is(await repairConnection({} as never, await read()), null);
  await operate(deps, setConnectionReadKey, { ...key, ...keyOf('SHOPIFY') });
  await operate(deps, endConnection, key);
  t.like(await read(), { readKey: null, askAt: null });
});

test('a read key is one of its platform and mode', (t) => {
  const read = (platform: Platform, mode: 'TEST' | 'LIVE', key: string, secret = '') =>
    readKeyIn(platform, mode, { key, secret });
  t.is(read('SHOPIFY', 'LIVE', ` ${shopifyToken} `), shopifyToken);
  t.is(read('WOOCOMMERCE', 'LIVE', wooKey, `${wooSecret}\n`), `${wooKey}:${wooSecret}`);
  t.is(read('STRIPE', 'TEST', stripeKey), stripeKey);
  t.is(read('STRIPE', 'LIVE', stripeKey), undefined);
  t.is(read('STRIPE', 'TEST', 'sk_test_0123456789abcdef01234567'), undefined);
  t.is(read('WOOCOMMERCE', 'TEST', wooKey), undefined);
  t.is(read('SHOPIFY', 'TEST', 'whsec_made_up_signing_secret'), undefined);
});

test('the last days are asked for day by day, and no more than thirty', (t) => {
  const now = new Date('2026-06-30T12:00:00Z');
  const since = (days: number) => new Date(now.getTime() - days * dayMs);
  const daysOf = (countsFrom: Date, askedUpTo: Date | null) => {
    const slices = slicesOf({ countsFrom, askedUpTo }, now);
    for (const [place, { from, to }] of slices.entries()) {
      t.true(from < to);
      t.deepEqual(slices[place + 1]?.from ?? now, to);
    }
    return slices.length;
  };
  t.is(daysOf(since(2), null), 2);
  t.is(daysOf(since(90), null), 30);
  t.is(daysOf(since(90), since(1)), 4);
  t.is(daysOf(since(1.5), since(1)), 2);
  t.is(daysOf(now, null), 0);
});
