import { randomUUID } from 'node:crypto';
import test from 'ava';
import { computePoints } from '../../domain/points.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { type Bought, createScene, type Scene } from './helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

/** Stores a purchase that no relay knows of: no workflow starts before a move, and no reward exists until then. */
async function store(partner: PartnerBackend): Promise<Bought> {
  const { partnerId, integrationId, mode } = partner;
  const rule = await service.models.earningRules.findOne({ partnerId, mode }).orFail();
  const arithmetic = computePoints(toEarningRule(rule), 4_990, Date.now(), null);
  const event = anOrderEvent({
    partnerId,
    integrationId,
    mode,
    receivedAt: new Date(),
    workflowId: `${randomUUID()}/${mode}/abc`,
    purchase: {
      currency: 'USD',
      customerId: `cus_${randomUUID()}`,
      customerDayId: null,
      claimWindow: rule.claimWindow,
      delivery: 'SERVICE',
      claimTokenHash: randomUUID(),
      claimExpiresAt: new Date(Date.now() + 86_400_000),
      arithmetic,
      liabilityCents: arithmetic.points,
    },
  });
  await service.models.orderEvents.collection.insertOne(event);
  const { externalOrderId, _id: eventId, rewardId } = event;
  return { partner, externalOrderId, eventId, rewardId };
}

const rewardsOf = (partnerId: string) => service.models.rewards.countDocuments({ partnerId });

test('an operator reads and cancels a reward whose workflow has not started: its money is free again', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 1_000 });
  const bought = await store(partner);
  t.like((await scene.admin.get(`/rewards/${bought.rewardId}`)).body, { status: 'PENDING' });
  t.is(await rewardsOf(partner.partnerId), 0, 'a read writes nothing');
  const reply = await scene.admin.post(`/rewards/${bought.rewardId}/cancellation`, {
    reason: 'a mistake of the shop',
  });
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'CANCELLED', funded: false });
  await service.carriedOut(partner);
  t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  t.deepEqual(await scene.movesOf(bought), ['FUND', 'CANCEL']);
});

test('a TEST reward whose workflow has not started is claimed or expires by the test clock', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1_000 });
  const claimed = await scene.setTestClock(await store(partner), 'CLAIM');
  t.is(claimed.status, 200, claimed.text);
  t.like(claimed.body, { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  const expired = await scene.setTestClock(await store(partner), 'EXPIRE');
  t.is(expired.status, 200, expired.text);
  t.is(expired.body.status, 'EXPIRED');
  await service.carriedOut(partner);
  t.like(await scene.wallet(partner), { fundingCents: 1_000 - 499, reservedCents: 0 });
});

test('a TEST reward whose workflow has not started and whose funds do not suffice cannot be claimed', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1 });
  const bought = await store(partner);
  const refused = await scene.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409, refused.text);
  t.regex(refused.body.error.message, /AWAITING_FUNDING.*funded and unclaimed/);
});
