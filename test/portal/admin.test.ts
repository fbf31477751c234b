import test from 'ava';
import { propose } from '../../operations/proposals.ts';
import { newId } from '../../platform/ids.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { asOperator } from '../helpers/operate.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { fixtures } from './helpers/fixtures.ts';
import { anOperator, aUser, operatorBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;

test('a partner’s page shows refusals, claim rate, webhooks and how long the funds last', async (t) => {
  const { models } = service;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { partnerId } = shop;
  const ada = await operatorBrowser(portal, 'viewer');
  const page = async () => textOf((await ada.open(`/admin/partners/${partnerId}`)).html);
  t.regex(
    await page(),
    /Health in LIVE Refused since yesterday 0 No request was refused Claim rate – No rewards in the last 30 days Webhooks – No endpoint Available funding \$1,000\.00 Nothing is being spent/,
  );

  const claimed = await shop.purchase(aPurchase());
  await shop.purchase(aPurchase());
  await shop.purchase({ ...aPurchase(), order: { subtotalCents: 100, currency: 'EUR' } });
  await service.claim(await claimTokenOf(service, claimed.body.eventId));
  await service.flushed();
  await service.allStarted(shop);
  const endpointId = await fixtures.liveWebhookEndpoint(portal, { partnerId, mark: 'x' });
  const endpoint = { partnerId, _id: endpointId };
  await models.webhookEndpoints.updateOne(endpoint, { status: 'ACTIVE', failingSince: null });
  t.regex(
    await page(),
    /Refused since yesterday 1 Most often: No active earning rule is in the currency of the order\. Claim rate 50% of 2 rewards in the last 30 days Webhooks OK 1 endpoint Available funding \$990\.02 Lasts \d+ days/,
  );
  await models.webhookEndpoints.updateOne(endpoint, { failingSince: new Date() });
  t.regex(await page(), /Webhooks 1 failing 1 endpoint/);
  await models.webhookEndpoints.updateOne(endpoint, { failingSince: null, status: 'DISABLED' });
  t.regex(await page(), /Webhooks 1 switched off 1 endpoint/);
});

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

test('the search box finds every kind of id: order, refund, key, request and workflow', async (t) => {
  const { models } = service;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { partnerId } = shop;
  const review = await townOf(service).reviewed(shop);
  const { externalOrderId, refundEventId, rewardId, workflowId } = review;
  const reward = await models.rewards.findById(rewardId).orFail();
  const refund = await models.orderEvents.findById(refundEventId).orFail();
  await topUpAsOperator(service, { mode: 'LIVE', partnerId }, 500, 'wire 7');
  const entry = await models.ledger.findOne({ partnerId, kind: 'CLAIM' }).orFail();
  const user = await anOperator(portal);
  const operation = await models.auditEntries.findOne({ partnerId }).orFail();
  const proposal = await propose(portal.deps, asOperator(newId('operator')), {
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    customerId: null,
    details: { amountCents: 1, reference: 'x' },
    input: {},
    shown: {},
  });
  const rule = await models.earningRules.findOne({ partnerId }).orFail();

  const ada = await signedIn(portal, user);
  for (const [named, page] of [
    [partnerId, `/admin/partners/${partnerId}`],
    [shop.integrationId, `/admin/integrations/${shop.integrationId}`],
    [shop.credentialId, `/admin/credentials/${shop.credentialId}`],
    [shop.key, `/admin/credentials/${shop.credentialId}`],
    [rule._id, `/admin/rules/${rule._id}`],
    [refundEventId, `/admin/rewards/${rewardId}`],
    [refund.externalRefundId ?? '', `/admin/rewards/${rewardId}`],
    [refund.requestId, `/admin/rewards/${rewardId}`],
    [externalOrderId, `/admin/rewards/${rewardId}`],
    [rewardId, `/admin/rewards/${rewardId}`],
    [workflowId, `/admin/rewards/${rewardId}`],
    [review._id, `/admin/reviews/${review._id}`],
    [reward.customerId, `/admin/customers/${reward.customerId}`],
    [entry._id, `/admin/ledger/${entry._id}`],
    [proposal._id, `/admin/approvals/${proposal._id}`],
    [user.operatorId ?? '', `/admin/operators/${user.operatorId}`],
    [operation._id, `/admin/audit/${operation._id}`],
  ] as const) {
    await ada.open('/admin');
    const found = await ada.submit('/admin/search', { q: `  ${named} ` });
    t.deepEqual([found.status, found.path], [200, page], named);
  }

  // What a caller on the phone would say.
  const name = `Blue ${newId('partner')}`;
  await models.partners.updateOne({ _id: partnerId }, { name });
  const owner = await aUser(portal, { partnerId });
  for (const [named, page] of [
    [name.toLowerCase(), `/admin/partners/${partnerId}`],
    [owner.email ?? '', `/admin/partners/${partnerId}`],
    [shop.key.slice(0, -4), `/admin/credentials/${shop.credentialId}`],
  ] as const) {
    await ada.open('/admin');
    const found = await ada.submit('/admin/search', { q: named });
    t.is(found.path, page, named);
  }
  const paid = await ada.open('/admin/search?q=wire%207');
  t.true(paid.html.includes(partnerId) || paid.path.startsWith('/admin/ledger/'));
  t.true((await ada.open(`/admin/partners?text=${name.slice(5)}`)).html.includes(name));

  // The partner filter of a list accepts a name, too.
  const byName = await ada.open(`/admin/reviews?partner=${encodeURIComponent(name)}`);
  t.true(byName.html.includes(review._id));
  t.true(byName.html.includes('<datalist'));
  const none = await ada.open('/admin/reviews?partner=prt_nobody');
  t.regex(textOf(none.html), /No partner matches “prt_nobody”\. No results/);
  t.notRegex(textOf(none.html), /Nothing to decide/);
  t.false(none.html.includes(review._id));
});

test('a search without results shows the query as text', async (t) => {
  const ada = await operatorBrowser(portal, 'viewer');
  const named = '<script>alert(1)</script>';
  const { status, html } = await ada.open(`/admin/search?q=${encodeURIComponent(named)}`);
  t.is(status, 200);
  t.regex(textOf(html), /No results/);
  t.false(html.includes(named));
  for (const q of ['', '%00', 'evt_00000000000000000000000000', 'x'.repeat(255)]) {
    t.is((await ada.open(`/admin/search?q=${q}`)).status, 200, q);
  }
});

test('the search box is on every page for operators, and for nobody else', async (t) => {
  const ada = await operatorBrowser(portal, 'viewer');
  for (const path of ['/admin', '/admin/ledger', '/account']) {
    t.true((await ada.open(path)).html.includes('action="/admin/search"'), path);
  }
  const { html } = await ada.open('/sign-in/link');
  t.true(html.includes('action="/admin/search"'));
});

test('a customer is found at every partner by email or phone, which appears in no URL or audit entry', async (t) => {
  const { models } = service;
  const [one, two] = [await service.partner(), await service.partner()];
  const email = `${newId('partner').toLowerCase()}@example.com`;
  const ada = await operatorBrowser(portal, 'viewer');
  const find = async () => {
    await ada.open('/admin/find-customer');
    return await ada.submit('/admin/find-customer', { contact: ` ${email.toUpperCase()} ` });
  };
  t.regex(textOf((await find()).html), /No partner has a customer with this email or phone/);
  const first = await one.purchase({ ...aPurchase(), customer: { email } });
  const { customerId } = await service.rewardOf(first.body.reward.id);
  t.is((await find()).path, `/admin/customers/${customerId}`);
  const second = await two.purchase({ ...aPurchase(), customer: { email } });
  const other = await service.rewardOf(second.body.reward.id);
  const both = await find();
  t.is(both.path, '/admin/find-customer');
  t.true(
    [customerId, other.customerId].every((id) => both.html.includes(`/admin/customers/${id}`)),
  );
  const looks = await models.auditEntries.find({
    action: 'customer.read',
    partnerId: { $in: [one.partnerId, two.partnerId] },
  });
  t.is(looks.filter(({ targetId }) => targetId === other.customerId).length, 1);
  // The search box finds them as well, without the email in the URL.
  await ada.open('/admin');
  const boxed = await ada.submit('/admin/search', { q: email.toUpperCase() });
  t.is(boxed.path, '/admin/search');
  t.true(
    [customerId, other.customerId].every((id) => boxed.html.includes(`/admin/customers/${id}`)),
  );
  t.false(JSON.stringify(looks).includes(email));
});
