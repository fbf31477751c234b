import { chromium } from 'playwright-core';
import { PartnerApiError, signWebhook } from '../../clients/typescript/index.ts';
import { findChromium } from '../../dev/browser.ts';
import { assertEqual } from '../../dev/demo/assertions.ts';
import { eventually } from './eventually.ts';
import type { Postgres } from './postgres.ts';
import type { Redis } from './redis.ts';
import type { Partner, Service } from './service.ts';
import { type Order, type Shop, type ShopCustomer, ShopError } from './shop.ts';

interface World {
  service: Service;
  shop: Shop;
  partner: Partner;
  postgres: Postgres;
  redis: Redis;
}

/** What is checked, in this order. Each returns what was seen, and throws if something is wrong. */
export const checks: Record<string, (world: World) => Promise<string>> = {
  'a wrong key is refused and the right one sealed': settingsAreSealed,
  'an order is reported once': anOrderIsReported,
  'claimed by the link in the confirmation': pointsAreClaimed,
  'a guest claims by the link of the order': guestClaims,
  'nobody sees another’s points': pointsArePrivate,
  'a cart and a product show what they would earn': earningsAreShown,
  'refunds of parts and then of the rest': partsAreRefunded,
  'a cancelled order is refunded': cancelledIsRefunded,
  'an order earns when its payment is captured': capturedEarns,
  'an order that was edited down earns what was captured': editedDownEarns,
  'an order that was edited up keeps what it has': editedUpKeeps,
  'one of two shirts is returned at its price': returnedAtItsPrice,
  'points pay and are back after a refund': pointsPay,
  'points pay for a whole cart with tax': pointsPayAll,
  'points come back for a part of what they paid': partGivesBack,
  'a cheaper cart pays with fewer points': cheaperPaysFewer,
  'points taken off a cart are back': pointsAreReleased,
  'a checkout that fails gives the points back': failureGivesBack,
  'a declined card leaves the points to another one': declinedHoldsAgain,
  'points that are no longer held do not pay': endedDoNotPay,
  'a check of the shop’s own comes before the points': ownChecksComeFirst,
  'points of a checkout cut off are back at night': abandonedGivesBack,
  'an order and its reward are queried together': rewardIsQueried,
  'webhooks are verified and say what happened to a reward': webhooksAreTaken,
  'a service that is down delays no order': outageDelays,
  'a service that is down is told to who pays with points': outageIsTold,
  'a service that never answers delays by seconds': silenceIsShort,
  'a process that is killed leaves its reports to the other': killedLosesNothing,
  'the nightly job repairs lost events': jobRepairs,
  'yen have no cents': yenAreWhole,
  'LIVE earns and pays and a refund goes to review': liveIsLive,
  'no secret in the shop’s log or its workflows': secretsStay,
  'the admin shows settings and points': adminShows,
  'it can be switched off and uninstalled': uninstalls,
  'the service’s own audit finds nothing': auditIsClean,
};

const [goods, shippingAndTax] = [4_990, 1_049];
const cents = (amount: number) => Math.round(amount * 100);

async function settingsAreSealed({ service, shop, partner, postgres }: World): Promise<string> {
  const right = settingsOf(service, partner);
  const { api_key, secret } = right;
  await refused(400, shop.asAdmin('POST', settingsPath, { ...right, secret: 'sk_test_wrong' }));
  await refused(400, shop.asAdmin('POST', settingsPath, { ...right, mode: 'LIVE' }));
  await refused(
    400,
    shop.asAdmin('POST', settingsPath, { ...right, api_url: 'ftp://rewards.example' }),
  );
  await refused(401, shop.asCustomer(null, 'GET', '/../admin/partner-events/settings'));
  await refused(
    400,
    shop.asAdmin('POST', settingsPath, { ...right, webhook_secret: 'sk_test_wrong' }),
  );
  const weak = await partner.keyWith(['events:write', 'events:read', 'customers:read']);
  const problem = await refused(400, shop.asAdmin('POST', settingsPath, { ...right, ...weak }));
  assertEqual('the scope is named', problem.includes('redemptions:write'), true);
  assertEqual('nothing is stored', await shop.asAdmin('GET', settingsPath), { settings: null });
  const { settings } = await shop.asAdmin<{ settings: object }>('POST', settingsPath, right);
  assertEqual('the answer has no secret', JSON.stringify(settings).includes(secret), false);
  const stored = postgres.query('select * from partner_events_setting');
  assertEqual('one row', stored.split('\n').length, 1);
  assertEqual('the row has the key', stored.includes(api_key), true);
  assertEqual('the row has no secret', stored.includes(secret), false);
  // Without the secret, the stored one stays.
  await shop.asAdmin('POST', settingsPath, { ...right, secret: undefined });
  return 'AES-256-GCM';
}

async function anOrderIsReported({ shop, partner }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const order = await shop.place(customer, await shop.fill(customer));
  assertEqual('the total', cents(order.total), goods + shippingAndTax);
  const reported = await reportOf(partner, order);
  assertEqual('the points, of the goods alone', reported.reward.points, 499);
  const guest = await shop.place(null, await shop.fill(null, { quantity: 2 }));
  assertEqual('a guest’s points', (await reportOf(partner, guest)).reward.points, 998);
  const reduced = await shop.fill(customer);
  await shop.asCustomer(customer, 'POST', `/carts/${reduced.id}/promotions`, {
    promo_codes: ['TEN'],
  });
  const cheaper = await shop.place(customer, reduced);
  assertEqual('without the discount', (await reportOf(partner, cheaper)).reward.points, 449);
  return `${order.total} with tax and shipping; reported 49.90`;
}

async function pointsAreClaimed({ service, shop, partner }: World): Promise<string> {
  const customer = await newBuyer(shop);
  const order = await shop.place(customer, await shop.fill(customer));
  await reportOf(partner, order);
  assertEqual('before the claim', await pointsOf(shop, customer), [0, 499]);
  const link = await shop.claimUrlOf(order.id);
  const shown = await pointsOfOrder(shop, customer, order);
  assertEqual('the link on the order’s page', shown.claim_url, link);
  await service.claim(link);
  assertEqual('after the claim', await pointsOf(shop, customer), [499, 0]);
  const { reward } = await shop.asAdmin<{ reward: object }>(
    'GET',
    `/partner-events/orders/${order.id}`,
  );
  assertEqual('the administrator sees no link', 'claimUrl' in reward, false);
  return '499 points';
}

async function guestClaims({ service, shop, partner }: World): Promise<string> {
  const order = await shop.place(null, await shop.fill(null));
  await reportOf(partner, order);
  const link = await shop.claimUrlOf(order.id);
  const shown = await pointsOfOrder(shop, null, order);
  assertEqual('the link on the page that thanks', shown.claim_url, link);
  await service.claim(link);
  await eventually('the reward is claimed', async () => {
    const { status, claim_url } = await pointsOfOrder(shop, null, order);
    return status === 'CLAIMED' && claim_url === undefined;
  });
  return '499 points';
}

async function pointsArePrivate({ shop }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const other = await newBuyer(shop);
  const order = await shop.place(customer, await shop.fill(customer));
  const cart = await shop.fill(customer);
  await refused(404, shop.asCustomer(null, 'GET', `/orders/${order.id}/points`));
  await refused(404, shop.asCustomer(other, 'GET', `/orders/${order.id}/points`));
  await refused(401, shop.asCustomer(null, 'GET', '/customers/me/points'));
  await refused(404, shop.asCustomer(other, 'POST', `/carts/${cart.id}/points`, {}));
  await refused(404, shop.asCustomer(other, 'DELETE', `/carts/${cart.id}/points`));
  // An address that was not confirmed may be somebody else's.
  await refused(403, shop.asCustomer(customer, 'GET', '/customers/me/points'));
  await refused(403, shop.asCustomer(customer, 'POST', `/carts/${cart.id}/points`, {}));
  return '7 requests refused';
}

async function earningsAreShown({ shop }: World): Promise<string> {
  const ofCart = async (id: string) => await toEarn(shop, `/carts/${id}/points`);
  const ofShirt = async (regionId: string) =>
    await toEarn(shop, `/product-variants/${shop.goods.variantId}/points?region_id=${regionId}`);
  const cart = await shop.fill(null, { quantity: 2 });
  assertEqual('two shirts', await ofCart(cart.id), 998);
  await shop.asCustomer(null, 'POST', `/carts/${cart.id}/promotions`, { promo_codes: ['TEN'] });
  assertEqual('after a discount', await ofCart(cart.id), 898);
  const { usd, jpy } = shop.goods.regions;
  assertEqual('one shirt', await ofShirt(usd.id), 499);
  assertEqual('in a currency without a rule', await ofShirt(jpy.id), null);
  await shop.includeTax(true);
  assertEqual('where tax is among the price', await ofShirt(usd.id), 453);
  await shop.includeTax(false);
  await refused(404, ofCart('cart_none'));
  await refused(404, ofShirt('reg_none'));
  return '998, 898 and 499 points; 453 with tax';
}

async function partsAreRefunded({ shop, partner }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const order = await shop.place(customer, await shop.fill(customer));
  await reportOf(partner, order);
  const payment = await shop.capture(order.id);
  await shop.refund(payment, 20);
  const share = Math.floor((goods * 2_000) / (goods + shippingAndTax));
  await reportOf(partner, order, [share]);
  await shop.refund(payment, payment.amount - 20);
  const { reward } = await reportOf(partner, order, [share, goods - share]);
  assertEqual('the reward', reward.status, 'CANCELLED');
  return `${share} and ${goods - share} of ${goods} cents`;
}

async function cancelledIsRefunded({ shop, partner }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const unpaid = await shop.place(customer, await shop.fill(customer));
  const paid = await shop.place(customer, await shop.fill(customer));
  for (const order of [unpaid, paid]) await reportOf(partner, order);
  await shop.capture(paid.id);
  for (const order of [unpaid, paid]) {
    await shop.cancel(order.id);
    const { reward } = await reportOf(partner, order, [goods]);
    assertEqual('the reward', reward.status, 'CANCELLED');
  }
  return 'one paid, one not';
}

async function whenCaptured<T>({ service, shop, partner }: World, work: () => Promise<T>) {
  await shop.asAdmin('POST', settingsPath, settingsOf(service, partner, 'CAPTURED'));
  try {
    return await work();
  } finally {
    await shop.asAdmin('POST', settingsPath, settingsOf(service, partner));
  }
}

async function capturedEarns(world: World): Promise<string> {
  const { shop, partner } = world;
  return await whenCaptured(world, async () => {
    const [unpaid, paid] = [
      await shop.place(null, await shop.fill(null)),
      await shop.place(null, await shop.fill(null)),
    ];
    await shop.asAdmin('POST', '/partner-events/comparisons');
    for (const order of [unpaid, paid]) await assertUnknown(partner, order);
    const { reason } = await shop.asAdmin<{ reason: string }>(
      'GET',
      `/partner-events/orders/${unpaid.id}`,
    );
    assertEqual('the reason', reason.includes('not captured'), true);
    await shop.capture(paid.id);
    assertEqual('the points', (await reportOf(partner, paid)).reward.points, 499);
    await shop.cancel(unpaid.id);
    await shop.asAdmin('POST', '/partner-events/comparisons');
    await assertUnknown(partner, unpaid);
    return 'one paid, one cancelled';
  });
}

/** Medusa cancels the payment that was authorized for more. */
async function editedDownEarns(world: World): Promise<string> {
  const { shop, partner } = world;
  return await whenCaptured(world, async () => {
    const order = await shop.place(null, await shop.fill(null, { quantity: 2 }));
    await shop.edit(order.id, 1);
    await assertUnknown(partner, order);
    await shop.payRest(order.id);
    const { subtotalCents } = await reportOf(partner, order);
    assertEqual('reported', subtotalCents, goods);
    return 'two became one';
  });
}

async function editedUpKeeps({ shop, partner }: World): Promise<string> {
  const order = await shop.place(null, await shop.fill(null));
  const payment = await shop.capture(order.id);
  await reportOf(partner, order);
  await shop.edit(order.id, 2);
  await shop.payRest(order.id);
  await shop.refund(payment, 20);
  const { comparison } = await shop.asAdmin<{
    comparison: { differences: { order_id: string; what: string }[] };
  }>('POST', '/partner-events/comparisons');
  const grown = comparison.differences.find(({ order_id }) => order_id === order.id);
  assertEqual('people are told', grown?.what.includes('has grown'), true);
  const { reward } = await reportOf(partner, order);
  assertEqual('the points', reward.points, 499);
  return grown?.what ?? '';
}

async function returnedAtItsPrice({ shop, partner }: World): Promise<string> {
  const order = await shop.place(null, await shop.fill(null, { quantity: 2 }));
  const payment = await shop.capture(order.id);
  await reportOf(partner, order);
  await shop.giveBack(order.id, 1);
  await reportOf(partner, order, [goods]);
  await shop.refund(payment, 54.89);
  await shop.asAdmin('POST', '/partner-events/comparisons');
  await reportOf(partner, order, [goods]);
  return '49.90 of 99.80, before and after the money';
}

async function pointsPayAll(world: World): Promise<string> {
  const { shop } = world;
  const customer = await richBuyer(world, 12);
  const cart = await shop.fill(customer);
  await shop.asCustomer(customer, 'POST', `/carts/${cart.id}/promotions`, { promo_codes: ['TEN'] });
  const { total } = await shop.cart(customer, cart.id);
  assertEqual('the total has a part of a cent', total, 54.901);
  assertEqual('points', (await pay(shop, customer, cart.id)).points, 5_490);
  const paid = await shop.cart(customer, cart.id);
  assertEqual('the total', paid.total, 0);
  await shop.place(customer, paid);
  return `5490 points for ${total}`;
}

async function partGivesBack(world: World): Promise<string> {
  const { shop } = world;
  const customer = await richBuyer(world, 24);
  const cart = await shop.fill(customer, { quantity: 2 });
  assertEqual('points', (await pay(shop, customer, cart.id)).points, 2 * 5_489 + 550);
  const order = await shop.place(customer, await shop.cart(customer, cart.id));
  assertEqual('points left', await pointsOf(shop, customer), [448, 0]);
  await shop.giveBack(order.id, 1);
  await eventually('the points of one shirt are back', async () => {
    assertEqual('points', await pointsOf(shop, customer), [448 + 5_489, 0]);
    return true;
  });
  await shop.asAdmin('POST', '/partner-events/comparisons');
  assertEqual('points later', await pointsOf(shop, customer), [448 + 5_489, 0]);
  return '5489 of 11528';
}

async function cheaperPaysFewer(world: World): Promise<string> {
  const { shop } = world;
  const customer = await richBuyer(world, 20);
  const cart = await shop.fill(customer, { quantity: 2 });
  assertEqual('points', (await pay(shop, customer, cart.id)).points, 9_980);
  await shop.changeQuantity(customer, cart.id, 1);
  await eventually('the total is not negative', async () => {
    assertEqual('the total', (await shop.cart(customer, cart.id)).total, 0);
    return true;
  });
  assertEqual('points left', await pointsOf(shop, customer), [9_980 - goods - shippingAndTax, 0]);
  await shop.place(customer, await shop.cart(customer, cart.id));
  return '9980 points, then 6039';
}

async function pointsPay(world: World): Promise<string> {
  const { shop, partner } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id, 3);
  assertEqual('held', await pointsOf(shop, customer), [199, 0]);
  // Applying others instead releases the first.
  const { points } = await pay(shop, customer, cart.id);
  assertEqual('all of them', points, 499);
  const { total } = await shop.cart(customer, cart.id);
  assertEqual('the cart’s total', cents(total), goods + shippingAndTax - 499);
  const order = await shop.place(customer, cart);
  assertEqual('the order’s total', cents(order.total), goods + shippingAndTax - 499);
  const { reward } = await reportOf(partner, order);
  assertEqual('nothing is earned on what points paid', reward.points, 449);
  assertEqual('spent', await pointsOf(shop, customer), [0, 449]);
  const payment = await shop.capture(order.id);
  await shop.refund(payment, payment.amount);
  await reportOf(partner, order, [goods - 499]);
  await eventually('the points are back', async () => {
    assertEqual('points', await pointsOf(shop, customer), [499, 0]);
    return true;
  });
  return '499 held, captured, reversed';
}

async function pointsAreReleased(world: World): Promise<string> {
  const { shop } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id);
  await shop.asCustomer(customer, 'DELETE', `/carts/${cart.id}/points`);
  assertEqual('points', await pointsOf(shop, customer), [499, 0]);
  assertEqual('the total', (await shop.cart(customer, cart.id)).total, cart.total);
  await refused(400, shop.asCustomer(customer, 'POST', `/carts/${cart.id}/points`, { amount: -1 }));
  // A request for more takes off those before.
  await pay(shop, customer, cart.id, 1);
  await refused(400, pay(shop, customer, cart.id, 10));
  assertEqual('points after a refusal', await pointsOf(shop, customer), [499, 0]);
  assertEqual('the total then', (await shop.cart(customer, cart.id)).total, cart.total);
  return '499 released';
}

/** Without a shipping method, Medusa refuses the order after the points were captured. */
async function failureGivesBack(world: World): Promise<string> {
  const { shop, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer, { isShipped: false });
  await pay(shop, customer, cart.id);
  await refused(400, shop.place(customer, cart));
  const sql = `select status from partner_events_redemption where cart_id = '${cart.id}' order by created_at`;
  await eventually('the points are held again', async () =>
    Promise.resolve(postgres.query(sql) === 'ENDED\nHELD'),
  );
  assertEqual('points', await pointsOf(shop, customer), [0, 0]);
  await shop.ship(customer, cart.id);
  const order = await shop.place(customer, await shop.cart(customer, cart.id));
  assertEqual('points paid', cents(order.credit_line_total), 499);
  await shop.cancel(order.id);
  await eventually('the points are back', async () => {
    assertEqual('points', await pointsOf(shop, customer), [499, 0]);
    return true;
  });
  return 'captured, reversed, held again; then ordered, and cancelled';
}

async function declinedHoldsAgain(world: World): Promise<string> {
  const { shop, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id);
  const refusal = await refused(400, shop.place(customer, cart, 'pp_declining_bank'));
  assertEqual('by the bank', refusal.includes('not authorized'), true);
  const sql = `select status from partner_events_redemption where cart_id = '${cart.id}' order by created_at`;
  assertEqual('the points', postgres.query(sql), 'ENDED\nHELD');
  const order = await shop.place(customer, await shop.cart(customer, cart.id));
  assertEqual('points paid', cents(order.credit_line_total), 499);
  assertEqual('points left', (await pointsOf(shop, customer))[0], 0);
  return 'reversed, held again; then ordered';
}

async function endedDoNotPay(world: World): Promise<string> {
  const { shop, partner, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id);
  const sql = `select id from partner_events_redemption where cart_id = '${cart.id}'`;
  // As after a quarter of an hour.
  await partner.client.release(postgres.query(sql));
  const refusal = await refused(400, shop.place(customer, cart));
  assertEqual('the customer is told', refusal.includes('apply them again'), true);
  const spent = { customer: { email: customer.email } };
  assertEqual('points', (await partner.client.balance(spent)).points, 499);
  return 'no order';
}

async function ownChecksComeFirst(world: World): Promise<string> {
  const { shop, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id);
  await shop.note(customer, cart.id, { is_refused: true });
  const refusal = await refused(400, shop.place(customer, cart));
  assertEqual('by the shop', refusal.includes('The shop does not sell this.'), true);
  const sql = `select status from partner_events_redemption where cart_id = '${cart.id}'`;
  assertEqual('the points', postgres.query(sql), 'HELD');
  await shop.note(customer, cart.id, { is_refused: false });
  await shop.place(customer, await shop.cart(customer, cart.id));
  return 'refused, still held; then ordered';
}

/** As if the shop had been killed after the capture, two hours ago. */
async function abandonedGivesBack(world: World): Promise<string> {
  const { shop, partner, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id);
  const ofCart = `from partner_events_redemption where cart_id = '${cart.id}'`;
  const id = postgres.query(`select id ${ofCart}`);
  await partner.client.capture(id);
  const before = "updated_at = now() - interval '2 hours'";
  postgres.query(`update partner_events_redemption set ${before} where id = '${id}'`);
  const { comparison } = await shop.asAdmin<{ comparison: { points_given_back: string[] } }>(
    'POST',
    '/partner-events/comparisons',
  );
  assertEqual('given back', comparison.points_given_back, [id]);
  assertEqual('points', await pointsOf(shop, customer), [499, 0]);
  assertEqual('the total', (await shop.cart(customer, cart.id)).total, cart.total);
  return '499 points';
}

async function rewardIsQueried({ shop, partner }: World): Promise<string> {
  const order = await shop.place(null, await shop.fill(null));
  const { reward } = await reportOf(partner, order);
  const wanted = { order_id: order.id, reward_id: reward.id, points: 499 };
  await eventually('the reward is in the shop’s query', async () => {
    const { orders, purchases } = await queried(shop, order);
    const [earned] = orders[0]?.partner_events_purchases ?? [];
    assertEqual('of the order', pick(earned, wanted), wanted);
    const ofRewards = purchases.map(({ reward_id, order: { id } }) => [reward_id, id]);
    assertEqual('of the reward', ofRewards, [[reward.id, order.id]]);
    return true;
  });
  const { order: shown } = await shop.asAdmin<{ order: { partner_events_purchases: object[] } }>(
    'GET',
    `/orders/${order.id}?fields=id,*partner_events_purchases`,
  );
  assertEqual('by Medusa’s own API', pick(shown.partner_events_purchases[0], wanted), wanted);
  return 'from both sides';
}

async function webhooksAreTaken({ service, shop, partner }: World): Promise<string> {
  const at = `${shop.url}/hooks/partner-events`;
  const secret = await partner.sendWebhooksTo(at);
  const deliver = async (body: string, headers: Record<string, string>) => {
    const json = { ...headers, 'content-type': 'application/json' };
    return (await fetch(at, { method: 'POST', headers: json, body })).status;
  };
  assertEqual('without a secret', await deliver('{}', {}), 404);
  const settings = { ...settingsOf(service, partner), webhook_secret: secret };
  await shop.asAdmin('POST', settingsPath, settings);
  const customer = await newBuyer(shop);
  const order = await shop.place(customer, await shop.fill(customer));
  const { reward } = await reportOf(partner, order);
  await service.claim(await shop.claimUrlOf(order.id));
  const status = async () =>
    (await queried(shop, order)).orders[0]?.partner_events_purchases[0]?.status;
  await eventually('the claim is noted', async () => (await status()) === 'CLAIMED');
  await shop.heardOf(reward.id);
  const late = JSON.stringify({
    id: 'evt_late',
    type: 'reward.funded',
    mode: 'TEST',
    sequence: 0,
    data: {
      rewardId: reward.id,
      externalOrderId: order.id,
      points: 499,
      customerStatus: 'AWAITING_CUSTOMER_CLAIM',
    },
  });
  const signedWith = async (by: string) =>
    await signWebhook(late, { id: 'evt_late', secret: by, atSeconds: Date.now() / 1_000 });
  const forged = await signedWith('whsec_bm90IHRoZSBzZWNyZXQgb2YgdGhlIHNob3A=');
  assertEqual('not signed', await deliver(late, {}), 400);
  assertEqual('signed by another', await deliver(late, forged), 400);
  assertEqual('changed', await deliver(`${late} `, await signedWith(secret)), 400);
  assertEqual('late', await deliver(late, await signedWith(secret)), 200);
  assertEqual('what is noted', await status(), 'CLAIMED');
  return 'claimed; 3 refused';
}

async function outageDelays({ service, shop, partner, postgres }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const cart = await shop.fill(customer);
  await service.stopApi();
  const order = await shop.place(customer, cart);
  const waiting = await eventually('the report is to be repeated', async () =>
    postgres.query(
      `select one from workflow_execution one where workflow_id = 'partner-events-report-order' and one::text like '%${order.id}%'`,
    ),
  );
  assertEqual('the workflow names no customer', waiting.includes('@'), false);
  await service.startApi();
  await reportOf(partner, order);
  return 'reported by the workflow’s next attempt';
}

async function outageIsTold(world: World): Promise<string> {
  const { service, shop } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  const held = await shop.fill(customer);
  await pay(shop, customer, held.id, 1);
  await service.stopApi();
  try {
    const words = [
      await refused(400, pay(shop, customer, cart.id)),
      await refused(400, shop.place(customer, held)),
    ];
    for (const one of words) assertEqual('the words', one.includes('or pay without them'), true);
    assertEqual('what it would earn', await toEarn(shop, `/carts/${cart.id}/points`), null);
  } finally {
    await service.startApi();
  }
  await shop.place(customer, held);
  return 'then ordered';
}

/** The limit that the README names, and what a busy machine adds. */
const [limitMs, besidesMs] = [4_000, 4_000];

async function silenceIsShort(world: World): Promise<string> {
  const { service, shop, partner } = world;
  const customer = await richBuyer(world);
  const [plain, cart, held] = [
    await shop.fill(customer),
    await shop.fill(customer),
    await shop.fill(customer),
  ];
  await pay(shop, customer, held.id, 1);
  const { told, paid, shown, ordered } = await service.whileSilent(async () => ({
    told: await timed(() => refused(400, pay(shop, customer, cart.id))),
    paid: await timed(() => refused(400, shop.place(customer, held))),
    shown: await timed(() => refused(400, pointsOf(shop, customer))),
    ordered: await timed(() => shop.place(customer, plain)),
  }));
  for (const { result } of [told, paid])
    assertEqual('the words', result.includes('or pay without them'), true);
  assertEqual('the words of a page', shown.result.includes('cannot be shown right now'), true);
  for (const { ms } of [told, paid, shown])
    assertEqual(`${ms} ms are few`, ms < limitMs + besidesMs, true);
  assertEqual(`${ordered.ms} ms are no wait`, ordered.ms < besidesMs, true);
  await reportOf(partner, ordered.result);
  assertEqual('nothing was held', await pointsOf(shop, customer), [399, 499]);
  assertEqual('the total', (await shop.cart(customer, cart.id)).total, cart.total);
  await shop.place(customer, held);
  const seconds = [told, paid, shown].map(({ ms }) => (ms / 1_000).toFixed(1));
  return `refused after ${seconds.join(', ')} s; ordered in ${(ordered.ms / 1_000).toFixed(1)} s`;
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const beganMs = performance.now();
  const result = await work();
  return { result, ms: Math.round(performance.now() - beganMs) };
}

/** The process that is about to report two orders. */
async function killedLosesNothing({ service, shop, partner, postgres }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const carts = [await shop.fill(customer), await shop.fill(customer)];
  await shop.stop(['shop 2']);
  await service.stopApi();
  const orders: Order[] = [];
  for (const cart of carts) orders.push(await shop.place(customer, cart));
  for (const { id } of orders) {
    await eventually('it is about to be sent', async () =>
      postgres.query(`select id from partner_events_purchase where order_id = '${id}'`),
    );
  }
  await shop.kill(['shop 1']);
  await service.startApi();
  for (const order of orders) await assertUnknown(partner, order);
  await shop.start(['shop 2']);
  for (const order of orders) await reportOf(partner, order);
  await shop.start(['shop 1']);
  return 'two orders, reported by the other process';
}

/** Both processes are killed before the service answers, and Redis is empty: Medusa's event and its workflow are gone. */
async function jobRepairs({ service, shop, partner, postgres, redis }: World): Promise<string> {
  const customer = await shop.newCustomer();
  const [first, second, third] = [
    await shop.fill(customer),
    await shop.fill(customer),
    await shop.fill(customer),
  ];
  const refunded = await shop.place(customer, first);
  await reportOf(partner, refunded);
  const payment = await shop.capture(refunded.id);
  await service.stopApi();
  const lost = await shop.place(customer, second);
  const restored = await shop.place(customer, third);
  const isRestored = `where order_id = '${restored.id}'`;
  await eventually('it is about to be sent', async () =>
    postgres.query(`select id from partner_events_purchase ${isRestored}`),
  );
  await shop.refund(payment, payment.amount);
  await shop.kill();
  redis.empty();
  // As if the service had accepted it, and then lost it with its newest data.
  postgres.query(`update partner_events_purchase set reward_id = 'PNR_lost' ${isRestored}`);
  await service.startApi();
  await shop.start();
  for (const order of [lost, restored]) await assertUnknown(partner, order);
  assertEqual('no refund', (await partner.client.order(refunded.id)).refunds, []);
  await shop.stop();
  shop.env.PARTNER_EVENTS_SCHEDULE = '*/5 * * * * *';
  await shop.start();
  for (const order of [lost, restored]) await reportOf(partner, order);
  await reportOf(partner, refunded, [goods]);
  await shop.stop();
  shop.env.PARTNER_EVENTS_SCHEDULE = undefined;
  await shop.start();
  const { comparison } = await shop.asAdmin<{
    comparison: { orders: number; reported_again: string[]; differences: { what: string }[] };
  }>('POST', '/partner-events/comparisons');
  const { reported_again, differences } = comparison;
  const left = differences.filter(({ what }) => !what.includes('has grown'));
  assertEqual('nothing is left', [reported_again, left], [[], []]);
  return `two orders and a refund repaired; then ${comparison.orders} orders are equal`;
}

async function yenAreWhole({ service, shop }: World): Promise<string> {
  // The partner has dollars: the order is placed, and people learn that it earns nothing.
  const foreign = await shop.place(null, await shop.fill(null, { currency: 'jpy' }));
  const { comparison } = await shop.asAdmin<{
    comparison: { differences: { order_id: string; what: string }[] };
  }>('POST', '/partner-events/comparisons');
  const [difference, ...others] = comparison.differences.filter(
    ({ what }) => !what.includes('has grown'),
  );
  assertEqual('one difference', [difference?.order_id, others], [foreign.id, []]);
  assertEqual('its reason', difference?.what.includes('CURRENCY_MISMATCH'), true);
  const partner = await service.openPartner('JPY');
  await shop.asAdmin('POST', settingsPath, settingsOf(service, partner));
  const order = await shop.place(null, await shop.fill(null, { currency: 'jpy' }));
  const { reward } = await reportOf(partner, order);
  assertEqual('the points', reward.points, 499);
  return '4990 yen, 499 points';
}

async function liveIsLive({ service, shop, partner: testing }: World): Promise<string> {
  const partner = await testing.goLive();
  await shop.asAdmin('POST', settingsPath, settingsOf(service, partner));
  const customer = await newBuyer(shop);
  const first = await shop.place(customer, await shop.fill(customer));
  await reportOf(partner, first);
  await assertUnknown(testing, first);
  await service.claim(await shop.claimUrlOf(first.id));
  assertEqual('claimed', await pointsOf(shop, customer), [499, 0]);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id, 1);
  const second = await shop.place(customer, cart);
  assertEqual('points paid', cents(second.credit_line_total), 100);
  const { reward } = await reportOf(partner, second);
  assertEqual('points of the second', reward.points, 489);
  const payment = await shop.capture(first.id);
  await shop.refund(payment, payment.amount);
  await reportOf(partner, first, [goods]);
  await eventually('the refund is in review', async () => {
    assertEqual('in review', await service.ordersInReview('LIVE'), [first.id]);
    return true;
  });
  assertEqual('only what would remain', await pointsOf(shop, customer), [0, 489]);
  await shop.asAdmin('POST', settingsPath, settingsOf(service, testing));
  assertEqual('LIVE points in TEST', await pointsOf(shop, customer), [0, 0]);
  return '499 claimed, 100 spent; the refund waits';
}

async function secretsStay({ service, shop, postgres, redis }: World): Promise<string> {
  const log = await shop.logs();
  const inRedis = await redis.contents();
  const count = (text: string) =>
    Number(
      postgres.query(
        `select count(*) from workflow_execution one where one::text like '%${text}%'`,
      ),
    );
  const workflows = count('complete-cart');
  assertEqual('there are workflows', workflows > 0, true);
  assertEqual('Redis has jobs', inRedis.includes('medusa-workflows'), true);
  assertEqual('a secret of webhooks in the log', /whsec_\w{16}/.test(log), false);
  for (const secret of [...service.secrets, shop.sealingKey]) {
    assertEqual('a secret in the log', log.includes(secret), false);
    assertEqual('a secret in a workflow', count(secret), 0);
    assertEqual('a secret in Redis', inRedis.includes(secret), false);
  }
  return `${log.split('\n').length} lines, ${workflows} workflows, ${service.secrets.length} keys`;
}

async function adminShows({ service, shop, partner }: World): Promise<string> {
  await shop.asAdmin('POST', settingsPath, settingsOf(service, partner));
  const order = await shop.place(null, await shop.fill(null));
  await reportOf(partner, order);
  await shop.openAdmin();
  const browser = await chromium.launch({
    executablePath: await findChromium(process.env, () => undefined),
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${shop.url}/app/login`);
    await page.locator('input[name=email]').fill(shop.admin.email);
    await page.locator('input[name=password]').fill(shop.admin.password);
    await page.locator('button[type=submit]').click();
    await page.waitForURL(/orders/);
    await page.goto(`${shop.url}/app/settings/partner-events`);
    await page.getByLabel('API key').waitFor();
    assertEqual('the key', await page.getByLabel('API key').inputValue(), partner.key);
    assertEqual('the secret', await page.getByLabel('Signing secret').inputValue(), '');
    await page.getByLabel('Signing secret').fill('sk_test_wrong');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service did not accept the key').waitFor();
    await page.getByLabel('Signing secret').fill(partner.secret);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service accepted the key').waitFor();
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText('Orders compared: ').waitFor();
    assertEqual('the webhooks’', await page.getByLabel('Webhook secret').inputValue(), '');
    await page.goto(`${shop.url}/app/orders/${order.id}`);
    await page.getByText('499 points').waitFor();
    await page.getByText('Not claimed yet').waitFor();
  } finally {
    await browser.close();
  }
  return 'by a browser';
}

async function uninstalls(world: World): Promise<string> {
  const { service, shop, partner, postgres } = world;
  const customer = await richBuyer(world);
  const cart = await shop.fill(customer);
  await pay(shop, customer, cart.id, 1);
  const paid = await shop.place(customer, cart);
  const open = await shop.fill(customer);
  await pay(shop, customer, open.id);
  const off = { ...settingsOf(service, partner), is_enabled: false };
  await shop.asAdmin('POST', settingsPath, off);
  assertEqual('the total', (await shop.cart(customer, open.id)).total, open.total);
  const { points } = await partner.client.balance({ customer: { email: customer.email } });
  assertEqual('points', points, 399);
  await shop.stop();
  shop.env.SHOP_PLUGIN = 'off';
  await shop.start();
  const tables = ['purchase', 'redemption', 'setting'].map((name) => `partner_events_${name}`);
  postgres.query(`drop table ${tables.join(', ')}`);
  const order = await shop.place(customer, open);
  assertEqual('it is ordered', cents(order.total), goods + shippingAndTax);
  const { order: kept } = await shop.asAdmin<{ order: Order }>(
    'GET',
    `/orders/${paid.id}?fields=+credit_line_total`,
  );
  assertEqual('what points paid', cents(kept.credit_line_total), 100);
  return '399 points; then ordered without it';
}

async function auditIsClean({ service }: World): Promise<string> {
  await service.audit();
  return 'exit code 0';
}

const settingsPath = '/partner-events/settings';

const settingsOf = (
  { baseUrl }: Service,
  { mode, key, secret }: Partner,
  report_when: 'CAPTURED' | 'PLACED' = 'PLACED',
) => ({
  is_enabled: true,
  mode,
  api_url: baseUrl,
  api_key: key,
  secret,
  report_when,
});

/** A customer whose address is confirmed. */
async function newBuyer(shop: Shop): Promise<ShopCustomer> {
  const customer = await shop.newCustomer();
  await shop.confirmEmail(customer);
  return customer;
}

/** A customer with 499 points for each shirt, which pay for 4.99. */
async function richBuyer({ service, shop, partner }: World, quantity = 1): Promise<ShopCustomer> {
  const customer = await newBuyer(shop);
  const order = await shop.place(customer, await shop.fill(customer, { quantity }));
  await reportOf(partner, order);
  await service.claim(await shop.claimUrlOf(order.id));
  return customer;
}

/** What the service has of an order, once its refunds are these. */
async function reportOf({ client }: Partner, { id }: Order, refunds: number[] = []) {
  return await eventually(`${id} is reported with the refunds [${refunds}]`, async () => {
    const reported = await client.order(id);
    const amounts = reported.refunds.map(({ amountCents }) => amountCents);
    assertEqual('refunds', amounts, refunds);
    return reported;
  });
}

async function assertUnknown({ client }: Partner, { id }: Order): Promise<void> {
  const error: unknown = await client.order(id).catch((thrown: unknown) => thrown);
  if (error instanceof PartnerApiError && error.code === 'NOT_FOUND') return;
  throw new Error(`${id} was reported although its event is lost`);
}

/** @returns the points to spend, and those to claim, as on the customer's page */
async function pointsOf(shop: Shop, customer: ShopCustomer): Promise<[number, number]> {
  const { points } = await shop.asCustomer<{ points: { points: number; pending_points: number } }>(
    customer,
    'GET',
    '/customers/me/points',
  );
  return [points.points, points.pending_points];
}

async function pointsOfOrder(shop: Shop, customer: ShopCustomer | null, { id }: Order) {
  const { points } = await shop.asCustomer<{ points: { status: string; claim_url?: string } }>(
    customer,
    'GET',
    `/orders/${id}/points`,
  );
  return points;
}

async function toEarn(shop: Shop, path: string): Promise<number | null> {
  const { points } = await shop.asCustomer<{ points: { to_earn: number | null } }>(
    null,
    'GET',
    path,
  );
  return points.to_earn;
}

/** What the shop's own code gets from Medusa's Query. */
async function queried(shop: Shop, { id }: Order) {
  return await shop.asAdmin<{
    orders: { partner_events_purchases: { status: string }[] }[];
    purchases: { reward_id: string; order: { id: string } }[];
  }>('GET', `/earned?order_id=${id}`);
}

const pick = (from: object = {}, names: object) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name in names));

async function pay(shop: Shop, customer: ShopCustomer, cartId: string, amount?: number) {
  const { points } = await shop.asCustomer<{ points: { points: number; amount: number } }>(
    customer,
    'POST',
    `/carts/${cartId}/points`,
    { amount },
  );
  return points;
}

/** @returns the refusal's message */
async function refused(status: number, request: Promise<unknown>): Promise<string> {
  const answer = await request.catch((error: unknown) => error);
  if (answer instanceof ShopError && answer.status === status) return answer.message;
  throw new Error(
    `${status} was expected, not ${answer instanceof Error ? answer.message : JSON.stringify(answer)?.slice(0, 300)}`,
  );
}
