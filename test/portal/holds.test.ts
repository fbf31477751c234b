import test from 'ava';
import { claimTokenOf } from '../helpers/claim-token.ts';
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

/** A funded LIVE reward on hold. */
async function onHold() {
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 10_000,
    rule: { holdFor: 'P14D' },
  });
  return await townOf(service).funded(partner);
}

test('the order’s page says when the customer can claim, and its owner ends the hold', async (t) => {
  const { partner, rewardId, eventId } = await onHold();
  const viewer = await partnerBrowser(portal, partner.partnerId, 'viewer');
  const page = `/orders/${rewardId}`;
  const shown = textOf((await viewer.open(page)).html);
  t.regex(
    shown,
    /The reward is on hold: the customer can claim it from .* until .* without a review\./,
  );
  t.regex(shown, /The funds cover the reward: the customer can claim it once its hold is over/);
  t.notRegex(shown, /End the hold|Send the claim link again/);
  t.is((await viewer.post(`${page}/end-hold`)).status, 403);
  const owner = await partnerBrowser(portal, partner.partnerId, 'owner');
  await owner.open(page);
  const ended = textOf((await owner.submit(`${page}/end-hold`)).html);
  t.regex(ended, /Hold ended\./);
  t.regex(ended, /The hold is over: the customer can claim the reward/);
  t.is((await service.claim(await claimTokenOf(service, eventId))).status, 200);
});

test('an operator ends a hold, and its customer sees the day until then', async (t) => {
  const { rewardId, eventId } = await onHold();
  const token = await claimTokenOf(service, eventId);
  const customer = async () => {
    const reply = await service.openClaim(token);
    return reply.body.reward;
  };
  const { claimableFrom } = await customer();
  t.true(Date.parse(claimableFrom) > Date.now());
  t.is((await service.claim(token)).body.error.code, 'REWARD_NOT_CLAIMABLE');
  const ada = await operatorBrowser(portal, 'support');
  const page = `/admin/rewards/${rewardId}`;
  t.regex(textOf((await ada.open(page)).html), /on hold: .* End the hold/);
  await ada.submit(`${page}/end-hold`);
  t.true((await customer()).claimableFrom < claimableFrom);
  const [entry] = await service.models.auditEntries.find({
    targetId: rewardId,
    action: 'reward.end-hold',
  });
  t.like(entry, { status: 'DONE' });
});

test('another partner cannot end a hold', async (t) => {
  const { rewardId } = await onHold();
  const { partnerId } = await service.partner();
  const stranger = await partnerBrowser(portal, partnerId, 'owner');
  await stranger.open('/orders');
  t.is((await stranger.post(`/orders/${rewardId}/end-hold`)).status, 404);
});
