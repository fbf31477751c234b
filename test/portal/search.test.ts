import test from 'ava';
import { invoiceIdOf } from '../../models/billing/invoices.ts';
import { newId } from '../../platform/ids.ts';
import { issuedInvoice } from '../helpers/issued-invoice.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { type Browser, csrfIn, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
let town: Town;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
  town = townOf(service);
});
test.after.always(async () => {
  await service?.stop();
});

/** What the box in the top bar finds: the page that opens. */
async function found(browser: Browser, q: string, from = '/account'): Promise<string> {
  const { html } = await browser.open(from);
  const [, action = ''] =
    /<search class="search"><form method="post" action="([^"]+)"/.exec(html) ?? [];
  const sent = await browser.post(action, { q, csrf: csrfIn(html) });
  return (await browser.follow(sent)).path;
}

const both = { email: 'Both@family.example', phone: '+14155550123' };

/** A partner with orders of a person who gave both contacts, and of others. */
async function aShop(): Promise<PartnerBackend> {
  return await town.partner('TEST');
}

async function customerOf(rewardId: string): Promise<string> {
  return (await service.models.rewards.findById(rewardId).orFail()).customerId;
}

test('a customer who gave an email and a phone is found by either, at the shop and by operators', async (t) => {
  const shop = await aShop();
  const { rewardId } = await town.funded(shop, { customer: both });
  const path = `/customers/${await customerOf(rewardId)}`;
  const [owner, ada] = [
    await partnerBrowser(portal, shop.partnerId),
    await operatorBrowser(portal),
  ];
  for (const contact of ['both@family.example', '+1 415 555 0123', '(415) 555-0123']) {
    t.is(await found(owner, contact), path, contact);
    await owner.open('/customers');
    t.is((await owner.submit('/customers', { contact })).path, path, contact);
    const at = `/admin/partners/${shop.partnerId}/find-customer`;
    await ada.open(at);
    t.is((await ada.submit(at, { contact })).path, `/admin${path}`, contact);
  }
  for (const contact of ['both@family.example', '+1 415 555 0123']) {
    await ada.open('/admin/find-customer');
    const { html, path: at } = await ada.submit('/admin/find-customer', { contact });
    t.true(at === `/admin${path}` || html.includes(`href="/admin${path}"`), contact);
  }
  const stranger = await partnerBrowser(portal, (await aShop()).partnerId);
  t.is(await found(stranger, '+1 415 555 0123'), '/find');
});

test('those who share a phone are listed', async (t) => {
  const shop = await aShop();
  const phone = '+14155550199';
  const ids: string[] = [];
  for (const customer of [
    { email: 'a@family.example', phone },
    { email: 'b@family.example', phone },
    { phone },
  ]) {
    ids.push(await customerOf((await town.funded(shop, { customer })).rewardId));
  }
  // A second order makes nobody a second customer.
  await town.funded(shop, { customer: { email: 'a@family.example', phone } });
  const owner = await partnerBrowser(portal, shop.partnerId);
  await owner.open('/customers');
  const { html } = await owner.submit('/customers', { contact: phone });
  const links = [...html.matchAll(/href="\/customers\/(cus_[\w-]+)/g)].map(([, id]) => id);
  t.deepEqual(links.toSorted(), ids.toSorted());
});

test('what was erased is found by no phone that came with an email', async (t) => {
  const shop = await aShop();
  const { rewardId, eventId } = await town.funded(shop, { customer: both });
  const customerId = await customerOf(rewardId);
  const { models } = service;
  const stored = async () => (await models.orderEvents.findById(eventId).orFail()).purchase;
  t.regex((await stored())?.phoneId ?? '', /^cus_[\w-]{32}$/);
  const erased = await town.admin.post(`/customers/${customerId}/erasure`, { reference: 'r 1' });
  t.is(erased.status, 201);
  t.is((await stored())?.phoneId, undefined);
  const owner = await partnerBrowser(portal, shop.partnerId);
  t.is(await found(owner, both.phone), '/find');
});

test('the search box of every page finds an order as people write it, by its beginning and by what belongs to it', async (t) => {
  const shop = await aShop();
  const { rewardId, eventId } = await town.funded(shop, { externalOrderId: '#10001' });
  const plain = await town.funded(shop, { externalOrderId: '20002' });
  const owner = await partnerBrowser(portal, shop.partnerId);
  const path = `/orders/${rewardId}`;
  for (const q of ['#10001', '10001', ' 1000 ', '#100', rewardId, eventId]) {
    t.is(await found(owner, q, '/team'), path, q);
  }
  for (const q of ['20002', '#20002', '2000']) {
    t.is(await found(owner, q, '/funding'), `/orders/${plain.rewardId}`, q);
  }
  await town.funded(shop, { externalOrderId: '#10002' });
  const several = textOf((await owner.open('/find?q=1000')).html);
  t.regex(several, /#10001.*#10002/);
  t.is(await found(owner, '10001'), path, 'an exact match comes before a beginning');
  const stranger = await partnerBrowser(portal, (await aShop()).partnerId);
  t.is(await found(stranger, '#10001'), '/find?q=%2310001');
});

test('an invoice is found by its number and by the reference of its payment, at the shop and by operators', async (t) => {
  const { partnerId } = await service.partner();
  const issuedAt = new Date('2037-04-01T00:00:00Z');
  const subscriptionId = newId('subscription');
  const invoice = await issuedInvoice(portal.deps, {
    _id: invoiceIdOf(subscriptionId, 'a period', issuedAt.getTime()),
    partnerId,
    subscriptionId,
    planVersionId: newId('planVersion'),
    currency: 'USD',
    kind: 'PERIOD',
    changeId: null,
    issuedAt,
    terms: null,
    periodStart: new Date('2037-03-01T00:00:00Z'),
    periodEnd: issuedAt,
    lines: [{ kind: 'PLAN', description: 'Large, version 1', amountCents: 4_000 }],
  });
  const { number, paymentReference: reference } = invoice;
  const [owner, ada] = [await partnerBrowser(portal, partnerId), await operatorBrowser(portal)];
  for (const q of [number, `${number}-C`, reference, reference.toLowerCase(), invoice._id]) {
    t.is(await found(owner, q), `/invoices/${invoice._id}`, q);
  }
  const own = `/admin/partners/${partnerId}`;
  t.is(await found(ada, reference), `${own}/invoices/${invoice._id}`);
  t.is(await found(ada, reference.replace(/-\d+$/, '')), own, 'of a top-up');
  const { html } = await ada.open(`/admin/search?q=${number}`);
  t.true(ada.shown?.path === `${own}/invoices/${invoice._id}` || html.includes(invoice._id));
  const stranger = await partnerBrowser(portal, (await service.partner()).partnerId);
  t.is(await found(stranger, reference), `/find?q=${reference}`);
});

test('a slash puts the focus into the one search box of a page', async (t) => {
  const { partnerId } = await service.partner();
  for (const [browser, path] of [
    [await partnerBrowser(portal, partnerId), '/events'],
    [await operatorBrowser(portal), '/admin'],
  ] as const) {
    const { html } = await browser.open(path);
    t.is(html.split('data-shortcut="/"').length, 2, path);
    t.is(html.split('<search class="search"').length, 2, path);
  }
});
