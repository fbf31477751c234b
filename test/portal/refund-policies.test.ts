import test from 'ava';
import { findActivePolicy } from '../../models/rewards/refund-policies.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let town: Town;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  town = townOf(service);
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const filled = { maxCents: '50', count: '2', days: '90', withinDays: '30', graceHours: '48' };
const sentence =
  /A refund of a claimed reward is upheld without an operator if the customer still has all the points, they cost at most \$50\.00, it is at most refund 2 of the customer in 90 days, and it is reported within 30 days of the purchase\. The points are taken back 48 hours later, unless an operator decides otherwise before\./;

const pathOf = ({ path }: { path: string }): string => path.replace(/\?.*/, '');

/** The refund of a claimed reward. */
async function refunded(partner: PartnerBackend) {
  const bought = await town.claimed(partner);
  await town.refund(bought);
  const { rewardId } = bought;
  return await service.models.reviews.findOne({ rewardId }).orFail();
}

test('a policy is drafted, shows what it would have decided, and comes into force', async (t) => {
  const partner = await service.partner();
  const { partnerId } = partner;
  const operator = await operatorBrowser(portal, 'admin');
  const past = await refunded(partner);
  await operator.open(`/admin/reviews/${past._id}`);
  await operator.submit(`/admin/reviews/${past._id}/decide`, {
    because: 'DISMISS GOODWILL',
    reason: '',
  });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.regex(textOf((await developer.open('/refund-policy?mode=TEST')).html), /No TEST policy yet/);
  await developer.open('/refund-policy/new?mode=TEST');
  const draft = await developer.submit('/refund-policy/new', filled);
  const path = pathOf(draft);
  const shown = textOf(draft.html);
  t.regex(shown, /Policy of \d+ \w+ \d{4}/);
  t.regex(shown, sentence);
  t.regex(shown, /Reviews 1 .*Upheld by this policy 1 .*Operators dismissed 1/);
  t.true(shown.includes(past.externalOrderId));
  t.is(await findActivePolicy(service.models, partnerId, 'TEST'), null);
  t.regex(textOf((await developer.submit(`${path}/activate`)).html), /in force in TEST/);
  t.like(await findActivePolicy(service.models, partnerId, 'TEST'), { maxCents: 5_000 });

  const review = await refunded(partner);
  t.is(review.status, 'BY_POLICY');
  const page = textOf((await operator.open(`/admin/reviews/${review._id}`)).html);
  t.regex(page, /Decided by policy/);
  t.regex(page, /They cost at most \$50\.00 \$4\.99 Yes/);
  t.regex(textOf((await developer.submit(`${path}/deactivate`)).html), /no longer in force/);
  t.is(await findActivePolicy(service.models, partnerId, 'TEST'), null);
});

test('only who may change the mode’s rules changes its policy, and of their own partner', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  await owner.open('/refund-policy/new?mode=TEST');
  const path = pathOf(await owner.submit('/refund-policy/new', filled));
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.regex(textOf((await viewer.open(path)).html), sentence);
  t.is((await viewer.post(`${path}/activate`)).status, 403);
  const another = await service.partner();
  const stranger = await partnerBrowser(portal, another.partnerId, 'owner');
  await stranger.open('/refund-policy');
  t.is((await stranger.open(path)).status, 404);
  t.is((await stranger.post(`${path}/activate`)).status, 404);
});

test('what is entered wrongly is said at its field', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  await owner.open('/refund-policy/new?mode=TEST');
  const { html } = await owner.submit('/refund-policy/new', {
    ...filled,
    days: '',
    graceHours: '0',
  });
  t.regex(textOf(html), /Enter both the number of refunds and the days, or neither\./);
});
