import test, { type ExecutionContext } from 'ava';
import {
  addConnectionSecret,
  endConnection,
  removeConnectionSecret,
  updateConnection,
} from '../../operations/connections.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';
import { connectShop, type Shop } from '../helpers/shop.ts';
import {
  base64Hmac,
  shopifyOrder,
  shopifyRefund,
  shopifyRefundLine,
  stripeEvent,
  stripeRefund,
  stripeSession,
  wooOrder,
} from '../helpers/shop-payloads.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

async function connected(platform: Shop['platform'], overrides: PartnerOverrides = {}) {
  const partner = await service.partner(overrides);
  return { partner, shop: await connectShop(service, partner, platform) };
}

const eventsOf = ({ partnerId }: PartnerBackend) =>
  service.models.orderEvents.find({ partnerId }).sort({ type: 1, externalRefundId: 1 });

const logOf = async ({ partnerId }: PartnerBackend) => {
  await service.flushed();
  return await service.models.requestLog.find({ partnerId }).sort({ _id: 1 });
};

const connectionOf = ({ connectionId }: Shop) =>
  service.models.connections.findOne({ _id: connectionId }).orFail();

const said = (
  t: ExecutionContext,
  reply: { status: number; text: string; isRepeated?: boolean },
  result: string,
) => {
  t.is(reply.status, 200, reply.text);
  const said = JSON.parse(reply.text).result;
  const isRecordedBefore = reply.isRepeated && result === 'ACCEPTED' && said === 'REPLAYED';
  if (!isRecordedBefore) t.is(said, result, reply.text);
};

test('Shopify: a paid order is a purchase like a signed one, and its repeats are one', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  said(t, await shop.send('orders/paid', shopifyOrder()), 'ACCEPTED');
  said(t, await shop.send('orders/paid', shopifyOrder()), 'REPLAYED');
  const changed = shopifyOrder({ note: 'sent under another webhook, with other bytes' });
  const atOnce = await Promise.all(
    Array.from({ length: 5 }, () => shop.send('orders/paid', changed)),
  );
  for (const reply of atOnce) said(t, reply, 'REPLAYED');
  const [event, ...others] = await eventsOf(partner);
  t.deepEqual(others, []);
  t.like(event, {
    type: 'PURCHASE',
    externalOrderId: '5001',
    mode: 'TEST',
    integrationId: partner.integrationId,
    credentialId: shop.connectionId,
  });
  t.is(event?.purchase?.arithmetic.subtotalCents, 4_990);
  t.is(event?.occurredAt?.toISOString(), '2026-03-24T14:05:00.000Z');
  const log = await logOf(partner);
  t.deepEqual(log.map(({ code }) => code).toSorted(), ['ACCEPTED', ...Array(6).fill('REPLAYED')]);
});

test('Shopify: a refund in part, the rest by the cancellation', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  await shop.send('orders/paid', shopifyOrder());
  const refund = shopifyRefund('10.00', [shopifyRefundLine('10.00')]);
  said(t, await shop.send('refunds/create', refund), 'ACCEPTED');
  said(t, await shop.send('refunds/create', refund), 'REPLAYED');
  const order = shopifyOrder({ cancelled_at: '2026-03-26T10:00:00Z', refunds: [refund] });
  said(t, await shop.send('orders/cancelled', order), 'ACCEPTED');
  const refunds = (await eventsOf(partner)).slice(1);
  t.deepEqual(
    refunds.map(({ externalRefundId, amountCents }) => [externalRefundId, amountCents]),
    [
      ['8001', 1_000],
      ['cancelled:5001', 3_990],
    ],
  );
});

test('a refund waits for its order, which then comes with it', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  const refund = shopifyRefund('10.00', [shopifyRefundLine('10.00')]);
  const early = await shop.send('refunds/create', refund);
  said(t, early, 'IGNORED');
  t.regex(early.body.reason, /waits for its order/);
  const bought = await shop.send('orders/paid', shopifyOrder());
  t.is(bought.body.eventIds.length, 2, bought.text);
  const [, refunded] = await eventsOf(partner);
  t.like(refunded, { type: 'REFUND', externalRefundId: '8001', amountCents: 1_000 });
  t.is(await service.models.waitingRefunds.countDocuments({ partnerId: partner.partnerId }), 0);
  const log = await logOf(partner);
  t.deepEqual(log.map(({ type, code }) => `${type} ${code}`).toSorted(), [
    'PURCHASE ACCEPTED',
    'REFUND ACCEPTED',
    'REFUND IGNORED',
  ]);
});

test('a purchase after its cancellation is not made', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  const cancelled = shopifyOrder({ cancelled_at: '2026-03-24T15:00:00Z' });
  said(t, await shop.send('orders/cancelled', cancelled), 'IGNORED');
  said(t, await shop.send('orders/paid', shopifyOrder()), 'IGNORED');
  t.deepEqual(await eventsOf(partner), []);
});

test('WooCommerce: an order with its refunds comes at once, and each refund once', async (t) => {
  const { partner, shop } = await connected('WOOCOMMERCE');
  said(t, await shop.send('order.updated', wooOrder()), 'ACCEPTED');
  const refunds = [{ id: 735, reason: '', total: '-10.98' }];
  said(t, await shop.send('order.updated', wooOrder({ refunds })), 'ACCEPTED');
  said(t, await shop.send('order.updated', wooOrder({ refunds, status: 'completed' })), 'REPLAYED');
  const all = wooOrder({ status: 'refunded', refunds: [{ id: 736, total: '-43.92' }, ...refunds] });
  said(t, await shop.send('order.updated', all), 'ACCEPTED');
  t.deepEqual(
    (await eventsOf(partner)).slice(1).map((event) => [event.externalRefundId, event.amountCents]),
    [
      ['735', 998],
      ['736', 3_992],
    ],
  );
});

test('WooCommerce: a ping is answered, and counted nowhere', async (t) => {
  const { partner, shop } = await connected('WOOCOMMERCE');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  said(t, await shop.post('webhook_id=12', form), 'IGNORED');
  t.is((await shop.post('webhook_id=12&order=1', form)).status, 401);
  t.deepEqual(await eventsOf(partner), []);
});

test('Stripe: a payment, parts of it back, and a refund that failed', async (t) => {
  const { partner, shop } = await connected('STRIPE');
  const paid = stripeEvent('checkout.session.completed', stripeSession());
  said(t, await shop.send('', stripeRefund(1_098, 2_196)), 'IGNORED');
  said(t, await shop.send('', paid), 'ACCEPTED');
  said(t, await shop.send('', stripeRefund(0, 1_098)), 'ACCEPTED');
  t.deepEqual(
    (await eventsOf(partner)).map((event) => [event.externalRefundId, event.amountCents ?? null]),
    [
      [null, null],
      ['ch_3Made:1098', 998],
      ['ch_3Made:2196', 998],
    ],
  );
  const failed = { id: 're_1', payment_intent: 'pi_3Made', amount: 1_098, currency: 'usd' };
  const update = stripeEvent('refund.updated', { ...failed, status: 'failed' });
  said(t, await shop.send('', update), 'IGNORED');
  const { partnerId } = partner;
  const [purchase] = await eventsOf(partner);
  const { rewardId } = purchase ?? {};
  const { waitingRefunds } = service.models;
  t.like(await waitingRefunds.findOne({ partnerId }), {
    kind: 'FAILED',
    rewardId,
    settledAt: null,
  });
  await waitingRefunds.updateOne({ partnerId }, { settledAt: new Date() });
  said(t, await shop.send('', update), 'IGNORED');
  const [settled, ...others] = await waitingRefunds.find({ partnerId });
  t.truthy(settled?.settledAt, 'what an operator settled stays settled');
  t.deepEqual(others, []);
});

test('what is of no concern is accepted, and the log says why', async (t) => {
  const { partner, shop } = await connected('SHOPIFY', { mode: 'LIVE' });
  const nobody = { email: null, contact_email: null, customer: null };
  for (const order of [
    shopifyOrder({ test: true }),
    shopifyOrder(nobody),
    shopifyOrder({ ...nobody, phone: '0' }),
    shopifyOrder({ line_items: [] }),
    shopifyOrder({ financial_status: 'pending' }),
  ]) {
    said(t, await shop.send('orders/paid', order), 'IGNORED');
  }
  t.deepEqual(await eventsOf(partner), []);
  t.deepEqual(
    (await logOf(partner)).map(({ code, refusal }) => [
      code,
      refusal?.split(' ').slice(0, 4).join(' '),
    ]),
    [
      ['IGNORED', 'It is a test'],
      ['IGNORED', 'The order names no'],
      ['IGNORED', 'The order names no'],
      ['IGNORED', 'Nothing in the order'],
      ['IGNORED', 'The order is not'],
    ],
  );
});

test('what should come again is refused: without a rule, in another currency, malformed', async (t) => {
  const { shop } = await connected('SHOPIFY', { rule: null });
  const refused = await shop.send('orders/paid', shopifyOrder());
  t.is(refused.status, 422);
  t.is(refused.body.error.code, 'NO_ACTIVE_EARNING_RULE');
  const malformed = await shop.send('orders/paid', shopifyOrder({ id: null }));
  t.is(malformed.status, 400);
  t.is((await shop.send('orders/paid', '{"id":')).status, 400);
  const { seen } = await eventually(async () => {
    const found = await connectionOf(shop);
    return found.seen.refused === 3 && found;
  }, 'the refused deliveries are counted');
  t.regex(seen.lastRefused?.why ?? '', /JSON/);
});

test('a suspended partner’s purchases wait, and its refunds do not', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  await shop.send('orders/paid', shopifyOrder());
  await service.models.partners.updateOne({ _id: partner.partnerId }, { status: 'SUSPENDED' });
  await eventually(async () => {
    const { status } = await shop.send('orders/paid', shopifyOrder({ id: 5_002, test: true }));
    return status === 403;
  }, 'the suspension is known');
  const refund = shopifyRefund('10.00', [shopifyRefundLine('10.00')]);
  said(t, await shop.send('refunds/create', refund), 'ACCEPTED');
});

test('a wrong signature, none, an old one and another shop’s are not admitted', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  const { shop: stripe } = await connected('STRIPE');
  const other = await connectShop(service, partner, 'SHOPIFY');
  await service.models.connections.updateOne(
    { _id: other.connectionId },
    { $set: { secrets: [] } },
  );
  const order = shopifyOrder();
  const refusedWith = async (reply: ReturnType<Shop['send']>, code: string, why: RegExp) => {
    const { status, body, text } = await reply;
    t.is(status, 401, text);
    t.is(body.error.code, code);
    t.regex(body.error.message, why);
  };
  const signature = 'x-shopify-hmac-sha256';
  await refusedWith(
    shop.send('orders/paid', order, { [signature]: '' }),
    'AUTHENTICATION_MISSING',
    /missing/,
  );
  await refusedWith(
    shop.send('orders/paid', order, { [signature]: 'ab12' }),
    'INVALID_SIGNATURE',
    /not 32 bytes in base64/,
  );
  await refusedWith(
    shop.send('orders/paid', order, {}, { secret: 'another-signing-secret' }),
    'INVALID_SIGNATURE',
    /No secret of this connection fits/,
  );
  const spaced = JSON.stringify(order, null, 2);
  const ofCompact = base64Hmac(shop.secret, JSON.stringify(order));
  await refusedWith(
    shop.send('orders/paid', spaced, { [signature]: ofCompact }),
    'INVALID_SIGNATURE',
    /changed on its way/,
  );
  await refusedWith(
    shop.send('orders/paid', order, { 'x-shopify-shop-domain': 'cups.myshopify.com' }),
    'INVALID_SIGNATURE',
    /another shop/,
  );
  await refusedWith(
    other.send('orders/paid', order),
    'INVALID_SIGNATURE',
    /another of your connections/,
  );
  const old = { nowMs: Date.now() - 600_000 };
  const paid = stripeEvent('checkout.session.completed', stripeSession());
  await refusedWith(stripe.send('', paid, {}, old), 'TIMESTAMP_OUT_OF_RANGE', /five minutes/);
  t.deepEqual(await eventsOf(partner), []);
  const { seen } = await eventually(async () => {
    const found = await connectionOf(shop);
    return found.seen.refused === 5 && found;
  }, 'the refused deliveries are counted');
  t.is(seen.firstProvenAt, undefined);
  t.regex(seen.lastRefused?.why ?? '', /another shop/);
});

test('an unknown connection, another method and a huge body', async (t) => {
  const { shop } = await connected('SHOPIFY');
  const at = (id: string) => `${shop.baseUrl}/connect/${id}`;
  const guessed = shop.connectionId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  for (const id of ['con_none', guessed, 'key_1', '%00']) {
    t.is((await fetch(at(id), { method: 'POST', body: '{}' })).status, 404, id);
  }
  t.is((await fetch(at(shop.connectionId))).status, 405);
  const huge = await shop.send('orders/paid', { text: 'x'.repeat(2 * 1024 * 1024) });
  t.is(huge.status, 413);
  const many = shopifyOrder({ note: 'x'.repeat(200_000) });
  said(t, await shop.send('orders/paid', many), 'ACCEPTED');
});

test('a flood is bounded: of what is proven by the partner’s limit, of what is not in the log', async (t) => {
  const limited = { partner: { apiRateLimitPerMinute: 5 } };
  const { partner, shop } = await connected('SHOPIFY', limited);
  const orders = Array.from({ length: 20 }, (_, nth) => shopifyOrder({ id: 6_000 + nth }));
  const replies = await Promise.all(orders.map((order) => shop.send('orders/paid', order)));
  const accepted = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 429);
  t.is(accepted.length + refused.length, orders.length);
  t.true(refused.length > 0);
  for (const { headers } of refused) t.regex(headers.get('retry-after') ?? '', /^\d+$/);
  t.is((await eventsOf(partner)).length, accepted.length);
  const { partner: other, shop: forged } = await connected('STRIPE');
  const paid = stripeEvent('checkout.session.completed', stripeSession());
  const wrong = { secret: 'whsec_another_signing_secret' };
  for (let nth = 0; nth < 20; nth++) t.is((await forged.send('', paid, {}, wrong)).status, 401);
  const rows = await logOf(other);
  t.is(
    rows.reduce((sum, { count }) => sum + count, 0),
    20,
  );
  t.true(rows.length <= 3, 'they share a row of the minute');
});

test('neither secrets nor customers are in the log or beside the connection’s counts', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  await shop.send('orders/paid', shopifyOrder({ phone: '+14155550123' }));
  await shop.send('refunds/create', shopifyRefund('10.00', [shopifyRefundLine('10.00')]));
  await shop.send('orders/paid', shopifyOrder({ id: null }));
  await shop.send('orders/paid', shopifyOrder(), {}, { secret: 'another-signing-secret' });
  const { seen } = await eventually(async () => {
    const found = await connectionOf(shop);
    return found.seen.deliveries === 4 && found;
  }, 'the deliveries are counted');
  const { headers } = shop.signed('orders/paid', shopifyOrder());
  const { partnerId } = partner;
  const events = (await eventsOf(partner)).map(({ sealed: _sealed, ...rest }) => rest);
  const waiting = await service.models.waitingRefunds.find({ partnerId });
  const kept = JSON.stringify([await logOf(partner), seen, events, waiting]);
  for (const hidden of [
    shop.secret,
    'jo@example.com',
    '4155550123',
    headers['x-shopify-hmac-sha256'] ?? '',
  ]) {
    t.false(kept.includes(hidden), hidden);
  }
});

test('what was signed long ago adds nothing when it comes again', async (t) => {
  const { partner, shop } = await connected('WOOCOMMERCE');
  const refunds = [{ id: 735, reason: '', total: '-10.98' }];
  const early = shop.signed('order.updated', wooOrder());
  const late = shop.signed('order.updated', wooOrder({ refunds }));
  for (const { text, headers } of [early, late])
    said(t, await shop.post(text, headers), 'ACCEPTED');
  const idsOf = async () => (await eventsOf(partner)).map(({ _id }) => _id);
  const before = await idsOf();
  for (const { text, headers } of [late, early, early]) {
    said(t, await shop.post(text, headers), 'REPLAYED');
  }
  t.deepEqual(await idsOf(), before);
});

test('two secrets at a time, a pause, and an end', async (t) => {
  const { partner, shop } = await connected('WOOCOMMERCE');
  const { partnerId } = partner;
  const { connectionId } = shop;
  const key = { partnerId, connectionId };
  const deps = { models: service.models, sealer: service.sealer, now: Date.now };
  const secret = 'the-new-signing-secret';
  const { secrets } = await operate(deps, addConnectionSecret, { ...key, secret });
  await t.throwsAsync(operate(deps, addConnectionSecret, { ...key, secret }), {
    message: /has 2 secrets/,
  });
  said(t, await shop.send('order.updated', wooOrder()), 'ACCEPTED');
  await eventually(async () => {
    const { status } = await shop.send('order.updated', wooOrder(), {}, { secret });
    return status === 200;
  }, 'the new secret is known');
  const old = secrets[1]?.secretId ?? '';
  await operate(deps, removeConnectionSecret, { ...key, secretId: old });
  await t.throwsAsync(
    operate(deps, removeConnectionSecret, { ...key, secretId: secrets[0]?.secretId ?? '' }),
    { message: /has one secret/ },
  );
  await eventually(
    async () => (await shop.send('order.updated', wooOrder())).status === 401,
    'the old secret is refused',
  );
  shop.secret = secret;
  await operate(deps, updateConnection, { ...key, isPaused: true });
  await eventually(async () => {
    const { body } = await shop.send('order.updated', wooOrder());
    return body.reason === 'The connection is paused.';
  }, 'the connection is paused');
  await operate(deps, endConnection, key);
  await eventually(
    async () => (await shop.send('order.updated', wooOrder())).status === 404,
    'the connection has ended',
  );
  t.deepEqual((await connectionOf(shop)).secrets, []);
});

test('what earns is a setting, and the arithmetic stays with the purchase', async (t) => {
  const { partner, shop } = await connected('SHOPIFY');
  const { partnerId } = partner;
  const key = { partnerId, connectionId: shop.connectionId };
  const deps = { models: service.models, now: Date.now };
  const earns = { tax: false, shipping: true, tips: false, giftCards: false };
  await operate(deps, updateConnection, { ...key, earns });
  said(t, await shop.send('orders/paid', shopifyOrder()), 'ACCEPTED');
  const [purchase] = await eventsOf(partner);
  t.is(purchase?.purchase?.arithmetic.subtotalCents, 5_490);
  const opened = JSON.parse(service.sealer.open(purchase?.sealed ?? '', purchase?._id ?? ''));
  t.deepEqual(opened.metadata.connection.steps, [
    { name: 'GOODS', amount: '49.90' },
    { name: 'SHIPPING', amount: '5.00' },
  ]);
  const refund = shopifyRefund('5.00', [], {
    refund_shipping_lines: [{ id: 1, subtotal_amount_set: { shop_money: { amount: '5.00' } } }],
  });
  said(t, await shop.send('refunds/create', refund), 'ACCEPTED');
  t.is((await eventsOf(partner))[1]?.amountCents, 500);
});

test('what arrives fills the checklist and the counts', async (t) => {
  const { shop } = await connected('SHOPIFY');
  await shop.send('orders/paid', shopifyOrder());
  await shop.send('orders/paid', shopifyOrder());
  await shop.send('refunds/create', shopifyRefund('10.00', [shopifyRefundLine('10.00')]));
  await shop.send('orders/create', shopifyOrder());
  const { seen, secrets } = await eventually(async () => {
    const found = await connectionOf(shop);
    return found.seen.deliveries === 4 && found;
  }, 'the deliveries are counted');
  t.like(seen, { purchases: 1, refunds: 1, repeats: 1, ignored: 1, refused: 0 });
  t.truthy(seen.firstProvenAt);
  t.truthy(seen.firstPurchase?.eventId);
  t.truthy(seen.firstRefund?.eventId);
  t.truthy(secrets[0]?.lastUsedAt);
});
