import test from 'ava';
import { createLease } from '../../models/store/leases.ts';
import { createLogger } from '../../platform/logger.ts';
import { pendingWork } from '../../worker/pending-work.ts';
import { startSweep } from '../../worker/sweep.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { createScene, type Scene } from './helpers/scene.ts';

let service: OwnService;
let scene: Scene;
let sweep: ReturnType<typeof startSweep>;
test.before(async () => {
  service = await startOwnService();
  scene = createScene(service);
  // This sweep skips purchases, so no workflow starts before a move and no reward exists until then.
  await service.stopSweep();
  const { models, messenger, config, startHere: start } = service;
  const work = pendingWork(models, { start, messenger }, config.sweep);
  sweep = startSweep(
    work.filter(({ name }) => name !== 'purchases'),
    createLease(models, 'sweep'),
    config.sweep,
    createLogger('test', config.log),
  );
});
test.after.always(async () => {
  await sweep?.stop();
  await service?.stop();
});

const rewardsOf = (partnerId: string) => service.models.rewards.countDocuments({ partnerId });

test('an operator reads and cancels a reward whose workflow has not started: no money is reserved', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 1_000 });
  const bought = await scene.buy(partner);
  t.like((await scene.admin.get(`/rewards/${bought.rewardId}`)).body, { status: 'PENDING' });
  t.is(await rewardsOf(partner.partnerId), 0, 'a read writes nothing');
  const reply = await scene.admin.post(`/rewards/${bought.rewardId}/cancellation`, {
    reason: 'a mistake of the shop',
  });
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'CANCELLED', funded: false });
  t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  t.deepEqual(await scene.movesOf(bought), ['CANCEL']);
});

test('a TEST reward whose workflow has not started expires by the test clock, and cannot be claimed yet', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1_000 });
  const bought = await scene.buy(partner);
  const refused = await scene.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409, refused.text);
  t.regex(refused.body.error.message, /PENDING.*funded and unclaimed/);
  const reply = await scene.setTestClock(bought, 'EXPIRE');
  t.is(reply.status, 200, reply.text);
  t.is(reply.body.status, 'EXPIRED');
  t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
});

test('the test clock refuses a LIVE reward that has not started, and does not find an unknown one', async (t) => {
  const bought = await scene.buy(await scene.partner('LIVE'));
  t.is((await scene.setTestClock(bought, 'EXPIRE')).status, 409);
  const unknown = { ...bought, rewardId: `${bought.rewardId}x` };
  t.is((await scene.setTestClock(unknown, 'EXPIRE')).status, 404);
});
