import test from 'ava';
import { scopes } from '../../domain/partners.ts';
import { createPointsLink } from '../../models/identity/points-links.ts';
import { readPointsEnd } from '../../models/ledger/index.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const inForce = (partnerId: string, mode: 'LIVE' | 'TEST') =>
  readPointsEnd(service.models, { partnerId, mode });

test('an owner sets when points end, and changes that; a change that was not seen is refused', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const before = textOf((await developer.open('/points-end?mode=TEST')).html);
  t.regex(before, /They end Never/);
  const saved = await developer.submit('/points-end/set', { after: 'P12M' });
  t.regex(textOf(saved.html), /Saved\..*They end After 12 months without activity/);
  t.like(await inForce(partnerId, 'TEST'), { after: 'P12M' });
  t.is(await inForce(partnerId, 'LIVE'), null);
  const again = await developer.submit('/points-end/set', { after: 'P12M' });
  t.regex(textOf(again.html), /It is so already\./);
  const stale = await developer.submit('/points-end/set', { after: 'P24M', replaces: 'pte_other' });
  t.regex(textOf(stale.html), /has been changed since you looked/);
  const none = await developer.submit('/points-end/set', { after: 'NEVER' });
  t.regex(textOf(none.html), /They end Never/);
  t.is(await inForce(partnerId, 'TEST'), null);
  const settings = await service.models.pointsEnds.find({ partnerId }).sort({ _id: 1 });
  t.deepEqual(
    settings.map(({ after }) => after),
    ['P12M', null],
  );
  t.is(settings[1]?.replaces, settings[0]?._id);
});

test('in LIVE only an owner sets it', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const page = await developer.open('/points-end?mode=LIVE');
  t.notRegex(page.html, /points-end\/set/);
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/points-end?mode=LIVE');
  await owner.submit('/points-end/set', { after: 'P24M' });
  t.like(await inForce(partnerId, 'LIVE'), { after: 'P24M' });
});

test('everybody sees when the points of a customer end: the shop, the customer, the partner and operators', async (t) => {
  const mode = 'LIVE';
  const partner = await service.partner({ mode, scopes: [...scopes], fundingCents: 10_000 });
  const { partnerId } = partner;
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/points-end?mode=LIVE');
  await owner.submit('/points-end/set', { after: 'P12M' });
  const { body } = await partner.purchase();
  await service.claim(await claimTokenOf(service, body.eventId));
  const { customerId, points, purchaseEventId } = await service.rewardOf(body.reward.id);
  const { ending } = await service.models.customerBalances
    .findOne({ partnerId, mode, customerId })
    .orFail();
  const endsAt = ending?.endsAt.toISOString();
  const balance = await partner.send(
    { customer: { email: 'customer@example.com' } },
    { path: '/api/v1/partner/balances', idempotencyKey: undefined },
  );
  t.like(balance.body, { points, endingPoints: points, endsAt });
  const link = { partnerId, customerId, mode, purchaseEventId } as const;
  const { token } = await createPointsLink(service.models, link, Date.now());
  const seen = textOf((await new Browser(portal).open(`/points/${token}`)).html);
  t.regex(seen, new RegExp(`${points} points end on .* unless you use or claim points`));
  const page = textOf((await owner.open(`/customers/${customerId}`)).html);
  t.regex(page, new RegExp(`End without activity ${points}`));
  const operator = await operatorBrowser(portal, 'support');
  const shown = textOf((await operator.open(`/admin/customers/${customerId}`)).html);
  t.regex(shown, new RegExp(`End without activity ${points}`));
});

test('the TEST clock gives the notices and ends the points of a TEST customer', async (t) => {
  const partner = await service.partner();
  const { partnerId } = partner;
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/points-end?mode=TEST');
  await developer.submit('/points-end/set', { after: 'P12M' });
  const { body } = await partner.purchase();
  const rewardId: string = body.reward.id;
  await service.claim(await claimTokenOf(service, body.eventId));
  const { customerId } = await service.rewardOf(rewardId);
  const balance = () =>
    service.models.customerBalances.findOne({ partnerId, mode: 'TEST', customerId }).orFail();
  for (const told of [1, 2]) {
    const { html } = await developer.open(`/orders/${rewardId}`);
    t.regex(textOf(html), /499 points of the customer end .* without activity/);
    await developer.submit(`/orders/${rewardId}/end-points`);
    await eventually(async () => (await balance()).ending?.told === told, `notice ${told}`);
  }
  await developer.open(`/orders/${rewardId}`);
  await developer.submit(`/orders/${rewardId}/end-points`);
  await eventually(async () => (await balance()).points === 0, 'the points end');
  const { html } = await developer.open(`/orders/${rewardId}`);
  t.notRegex(html, /end-points/);
  t.regex(textOf(html), /Cost \$4\.99 Spent, or ended without activity/);
  t.is((await developer.post(`/orders/${rewardId}/end-points`)).status, 409);
});
