import test from 'ava';
import type { RepairRun } from '../../domain/shop-repair.ts';
import { readKeyContext } from '../../models/identity/connections.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Shop } from '../helpers/shop.ts';
import { shopifyOrder, shopifyRefund, shopifyRefundLine } from '../helpers/shop-payloads.ts';
import { shopifyToken } from '../helpers/shop-platform.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { aUser, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const secret = 'made-up-signing-secret';

/** Connects a Shopify shop as its owner does. */
async function connectByPage() {
  const partner = await service.partner();
  const { partnerId } = partner;
  const owner = await signedIn(portal, await aUser(portal, { partnerId }));
  await owner.open('/connections/new?mode=TEST&platform=SHOPIFY');
  const shown = await owner.submit('/connections/new', {
    shop: 'https://Teapots.myshopify.com/admin',
    secret: ` ${secret} `,
  });
  const connectionId = /con_[0-9A-Z]{26}/.exec(shown.html)?.[0] ?? '';
  const { baseUrl } = service;
  const shop = new Shop({ baseUrl, connectionId, platform: 'SHOPIFY', secret });
  return { partner, owner, shop, shown, path: `/connections/${connectionId}` };
}

/** The page, once it says something. */
const says = (browser: Browser, path: string, what: RegExp) =>
  eventually(async () => {
    const text = textOf((await browser.open(path)).html);
    return what.test(text) && text;
  }, `the page says ${what}`);

test('an owner connects a shop, and its checklist fills by what arrives', async (t) => {
  const { partner, owner, shop, shown, path } = await connectByPage();
  const before = textOf(shown.html);
  t.true(before.includes(`/connect/${shop.connectionId}`), before);
  t.regex(before, /teapots\.myshopify\.com/);
  t.regex(before, /The first delivery arrived Next/);
  t.false(shown.html.includes(secret));
  const { secrets } = await service.models.connections.findOne({ _id: shop.connectionId }).orFail();
  t.is(service.sealer.open(secrets[0]?.sealed ?? '', shop.connectionId), secret);

  await shop.send('orders/paid', shopifyOrder(), {}, { secret: 'another-signing-secret' });
  const refused = await says(owner, path, /The first delivery arrived Done/);
  t.regex(refused, /The last delivery was refused .*No secret of this connection fits/);
  t.regex(refused, /Its signature is right Next/);

  await shop.send('orders/paid', shopifyOrder());
  await shop.send('refunds/create', shopifyRefund('10.00', [shopifyRefundLine('10.00')]));
  const done = await says(owner, path, /The first refund counted Done/);
  t.notRegex(done, /was refused/);
  t.regex(done, /Purchases 1 Refunds 1/);

  const purchase = await service.models.orderEvents
    .findOne({ partnerId: partner.partnerId, type: 'PURCHASE' })
    .orFail();
  const order = textOf((await owner.open(`/orders/${purchase.rewardId}`)).html);
  t.regex(order, /Goods 49\.90/);
  // A log's row is written behind the response.
  t.truthy(await says(owner, '/events?mode=TEST', /Refund -\$10\.00 -100/));
});

test('what is wrong with a form is said beside its field', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await signedIn(portal, await aUser(portal, { partnerId }));
  await owner.open('/connections/new?mode=TEST&platform=STRIPE');
  const wrong = await owner.submit('/connections/new', { secret: 'sk_test_1' });
  t.regex(textOf(wrong.html), /begins with whsec_/);
  await owner.open('/connections/new?mode=TEST&platform=SHOPIFY');
  const strange = await owner.submit('/connections/new', { shop: 'example.com', secret });
  t.regex(textOf(strange.html), /such as teapots\.myshopify\.com/);
  t.is(await service.models.connections.countDocuments({ partnerId }), 0);
});

test('an owner rotates, pauses and removes; a viewer sees no button', async (t) => {
  const { partner, owner, path } = await connectByPage();
  const { partnerId } = partner;
  const viewer = await signedIn(portal, await aUser(portal, { partnerId, role: 'viewer' }));
  t.false((await viewer.open(path)).html.includes(`${path}/pause`));
  await owner.open(path);
  const rotated = await owner.submit(`${path}/secret`, { secret: 'the-new-signing-secret' });
  t.regex(textOf(rotated.html), /Both secrets work/);
  t.regex(textOf((await owner.submit(`${path}/remove-secret`)).html), /Secret removed/);
  const changed = await owner.submit(`${path}/earns`, { earns: ['tax', 'shipping'] });
  t.regex(textOf(changed.html), /and: tax, shipping.*58\.00 earns/);
  t.regex(textOf((await owner.submit(`${path}/pause`)).html), /The connection is paused/);
  t.regex(textOf((await owner.submit(`${path}/resume`)).html), /Resumed/);
  t.regex(textOf((await owner.submit(`${path}/remove`)).html), /No shop connected yet/);
  t.is((await owner.open(path)).status, 404);
});

test('an owner lets us ask the shop, and reads what it said', async (t) => {
  const { owner, path } = await connectByPage();
  t.regex(textOf((await owner.open(path)).html), /Deliveries get lost/);
  const wrong = await owner.submit(`${path}/read-key`, { readSecret: 'shpss_short' });
  t.regex(textOf(wrong.html), /Enter an Admin API access token, which begins with shpat_/);
  t.false(wrong.html.includes('shpss_short'));
  const saved = await owner.submit(`${path}/read-key`, { readSecret: ` ${shopifyToken} ` });
  t.regex(textOf(saved.html), /Last asked not yet: within an hour/);
  t.false(saved.html.includes(shopifyToken));
  const _id = path.split('/').at(-1) ?? '';
  const { readKey } = await service.models.connections.findOne({ _id }).orFail();
  t.is(service.sealer.open(readKey?.sealed ?? '', readKeyContext(_id)), shopifyToken);
  const at = new Date();
  const repair: RepairRun = {
    startedAt: at,
    endedAt: at,
    since: at,
    asked: 12,
    missing: 2,
    reported: 1,
    findings: [
      { type: 'REFUND', externalOrderId: '5001', eventId: newId('event'), why: null },
      { type: 'PURCHASE', externalOrderId: '5002', eventId: null, why: 'No rule is active.' },
    ],
    problem: { code: 'KEY_REFUSED', status: 401 },
  };
  await service.models.connections.updateOne({ _id }, { $set: { repair } });
  const said = textOf((await owner.open(path)).html);
  t.regex(said, /The shop refused the key\. .* It answered 401\./);
  t.regex(said, /Orders or payments 12 Missing 2 Reported now 1/);
  t.regex(said, /5001 Refund Reported 5002 Purchase No rule is active\./);
  const removed = textOf((await owner.submit(`${path}/remove-read-key`)).html);
  t.regex(removed, /Key removed\..*Deliveries get lost/);
});

test('a connection counts for the set-up as a key does', async (t) => {
  const { partner, owner, shop } = await connectByPage();
  await service.models.credentials.deleteMany({ partnerId: partner.partnerId });
  await shop.send('orders/paid', shopifyOrder());
  await service.models.partners.updateOne(
    { _id: partner.partnerId },
    { $set: { 'goLive.state': 'SANDBOX' } },
  );
  const text = await says(owner, '/home', /Store the raw secret securely Done/);
  t.regex(text, /Generate a TEST API key Done/);
  t.regex(text, /Send a signed TEST purchase Done/);
});
