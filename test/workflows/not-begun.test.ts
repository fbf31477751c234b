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
const stored: string[] = [];
test.after.always(async () => {
  // Otherwise the sweep of the shared service would look for them until the end of the run.
  const pending = { $unset: { pendingSince: 1 } } as const;
  await service?.models.orderEvents.updateMany({ _id: { $in: stored } }, pending);
  await service?.stop();
});

/** Stores a purchase that the sweep leaves alone: no workflow starts before a move, and no reward exists until then. */
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
    pendingSince: new Date('2100-01-01'),
    purchase: {
      currency: 'USD',
      customerId: `cus_${randomUUID()}`,
      customerDay: null,
      delivery: 'SERVICE',
      claimTokenHash: randomUUID(),
      claimExpiresAt: new Date(Date.now() + 86_400_000),
      arithmetic,
      liabilityCents: arithmetic.points,
    },
  });
  await service.models.orderEvents.collection.insertOne(event);
  const { externalOrderId, _id: eventId, rewardId } = event;
  stored.push(eventId);
  return { partner, externalOrderId, eventId, rewardId };
}

const rewardsOf = (partnerId: string) => service.models.rewards.countDocuments({ partnerId });

test('an operator reads and cancels a reward whose workflow has not started: no money is reserved', async (t) => {
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
  t.deepEqual(await scene.movesOf(bought), ['CANCEL']);
});

test('a TEST reward whose workflow has not started expires by the test clock, and cannot be claimed yet', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1_000 });
  const bought = await store(partner);
  const refused = await scene.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409, refused.text);
  t.regex(refused.body.error.message, /PENDING.*funded and unclaimed/);
  const reply = await scene.setTestClock(bought, 'EXPIRE');
  t.is(reply.status, 200, reply.text);
  t.is(reply.body.status, 'EXPIRED');
  await service.carriedOut(partner);
  t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
});
