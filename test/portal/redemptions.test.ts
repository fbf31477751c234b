import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const customer = { email: 'customer@example.com' };

test('a redemption’s page shows what it paid for, what moved and each response, to its partner and to operators', async (t) => {
  const shop = await townOf(service).withPoints();
  const asked = {
    externalRedemptionId: 'till-7',
    customer,
    points: 400,
    externalOrderId: 'order-8',
  };
  const path = '/api/v1/partner/redemptions';
  const idempotencyKey = 'key-of-till-7';
  const { body } = await shop.send({ ...asked, hold: true }, { path, idempotencyKey });
  const { id } = body.redemption;
  const captured = await shop.send({}, { path: `${path}/${id}/capture` });
  const owner = await partnerBrowser(portal, shop.partnerId);

  const list = textOf((await owner.open('/redemptions?mode=LIVE')).html);
  t.regex(list, /till-7 order-8 Captured 400 \$4\.00/);
  const shown = await owner.open(`/events/${captured.body.eventId}`);
  t.is(shown.path, `/redemptions/${id}`);
  const text = textOf(shown.html);
  t.regex(
    text,
    /The points were set aside for an order Held .* The order was paid: the points are spent Captured/s,
  );
  t.regex(text, /Held at the checkout.*Spent by the customer/s);
  t.true(text.includes(body.eventId) && text.includes(captured.body.eventId));
  for (const name of ['till-7', idempotencyKey, id, body.eventId]) {
    const found = await owner.open(`/find?q=${encodeURIComponent(name)}`);
    t.is(found.path, `/redemptions/${id}`, name);
  }

  const operator = await operatorBrowser(portal);
  const forOperators = await operator.open(`/admin/events/${body.eventId}`);
  t.is(forOperators.path, `/admin/redemptions/${id}`);
  t.regex(textOf(forOperators.html), /Points held at the checkout/);
  const { customerId } = await service.models.redemptions.findById(id).orFail();
  const ofCustomer = textOf((await operator.open(`/admin/customers/${customerId}`)).html);
  t.regex(
    ofCustomer,
    /Points 600 .*Held at a checkout 0 points.*till-7 order-8 LIVE Captured.*Held at the checkout \S400 600.*Claimed: now owed to the customer 1,000 1,000/s,
  );
  const stranger = await partnerBrowser(portal, (await service.partner()).partnerId);
  t.is((await stranger.open(`/redemptions/${id}`)).status, 404);
  t.is((await stranger.open(`/events/${body.eventId}`)).status, 404);
});

test('an owner decides whether and how points may be spent; a viewer only reads it', async (t) => {
  const { partnerId } = await service.partner();
  const { partners } = service.models;
  const setState = (state: 'SANDBOX' | 'LIVE') =>
    partners.updateOne({ _id: partnerId }, { $set: { 'goLive.state': state } });
  await setState('SANDBOX');
  const owner = await partnerBrowser(portal, partnerId);
  const fields = { isAllowed: 'no', pointsPerUnit: '250', maxPointsPerCustomerDay: '' };
  await owner.open('/redemptions');
  const { path, html } = await owner.submit('/redemptions/settings', fields);
  t.is(path, '/redemptions');
  t.regex(textOf(html), /Redemptions not allowed .*Points for 1 USD 250 .*no limit/s);
  t.deepEqual((await service.models.partners.findById(partnerId))?.redemptions, {
    isAllowed: false,
    pointsPerUnit: 250,
    maxPointsPerCustomerDay: null,
  });
  await setState('LIVE');
  await owner.open('/redemptions');
  const worthless = { ...fields, pointsPerUnit: '1000000' };
  const refused = await owner.submit('/redemptions/settings', {
    ...worthless,
    maxPointsPerCustomerDay: '77',
  });
  t.is(refused.status, 422);
  t.regex(textOf(refused.html), /You are LIVE: ask us to change it\./);
  t.true(refused.html.includes('value="77"'), 'what was entered is kept');
  await owner.open('/redemptions');
  const allowed = await owner.submit('/redemptions/settings', { ...fields, isAllowed: 'yes' });
  t.is(allowed.path, '/redemptions');
  t.like((await partners.findById(partnerId))?.redemptions, {
    isAllowed: true,
    pointsPerUnit: 250,
  });
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.is((await viewer.open('/redemptions')).status, 200);
  t.false((await viewer.open('/redemptions')).html.includes('/redemptions/settings'));
});
