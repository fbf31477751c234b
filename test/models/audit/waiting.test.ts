import test from 'ava';
import { runAudit } from '../../../models/audit/run.ts';
import type { AuditRunDoc } from '../../../models/schemas/audit-run.ts';
import { anotherOperator } from '../../api/admin/helpers/operator.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { createScene, type Scene } from '../../workflows/helpers/scene.ts';

const oneRewardEach = 'purchases: one reward each';

let service: OwnService;
let scene: Scene;
test.before(async () => {
  service = await startOwnService();
  scene = createScene(service);
  await service.stopSweep();
});
test.after.always(() => service?.stop());

/** With this patience, a check that has to be repeated would hold up the test for an hour. */
const audit = () => runAudit(service, { patienceMs: 3_600_000 });

const rowOf = ({ checks }: AuditRunDoc, name: string) => checks.find((one) => one.name === name);

async function begin(eventId: string): Promise<void> {
  const event = await service.models.orderEvents.findById(eventId).lean().orFail();
  await service.messenger.startPurchase(event);
}

test.serial(
  'work waiting to start is counted with the age of the oldest, and is no fault',
  async (t) => {
    const partner = await scene.partner('LIVE');
    const bought = [];
    for (let nth = 0; nth < 12; nth++) bought.push(await scene.buy(partner));
    const run = await audit();
    t.is(run.faults, 0, run.summary);
    const first = await service.models.orderEvents.findById(bought[0]?.eventId).lean().orFail();
    t.like(rowOf(run, oneRewardEach), { faults: 0, waiting: 12, waitingSince: first.pendingSince });
    t.regex(
      run.summary,
      /^Clean.* Pending, which is not a fault: 12 of .*, the oldest for \d+ s\.$/,
    );
  },
);

test.serial('an audit during erasures is clean', async (t) => {
  const partner = await scene.partner('TEST');
  const operator = await anotherOperator(service, 'Grace');
  const customer = { email: 'erased@shop.example' };
  const { eventId, rewardId } = await scene.buy(partner, { customer });
  await begin(eventId);
  await service.rewardOf(rewardId);
  const waiting = await scene.buy(partner, { customer });
  const { purchase } = await service.models.orderEvents.findById(waiting.eventId).lean().orFail();
  const { status } = await operator.post(`/customers/${purchase?.customerId}/erasure`, {
    reference: 'asked for it',
  });
  t.is(status, 201);
  const run = await audit();
  t.is(run.faults, 0, run.summary);
});

test.serial('an audit while lost workflows are restarted is clean', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 10_000 });
  const { eventId, rewardId } = await scene.buy(partner);
  await begin(eventId);
  await eventually(async () => (await service.rewardOf(rewardId)).funded, 'the reward is funded');
  const { workflowId } = await service.models.orderEvents.findById(eventId).lean().orFail();
  await service.temporal.workflow.getHandle(workflowId).terminate();
  t.is((await audit()).faults, 0);
  await begin(eventId);
  t.is((await audit()).faults, 0);
});

test.serial('a purchase with neither mark nor reward is a fault at once', async (t) => {
  const partner = await scene.partner('TEST');
  const { eventId } = await scene.buy(partner);
  const { orderEvents } = service.models;
  await orderEvents.updateOne({ _id: eventId }, { $unset: { pendingSince: 1 } });
  const run = await audit();
  const { faults, culprits = [] } = rowOf(run, oneRewardEach) ?? {};
  t.is(faults, 1);
  t.regex(culprits[0] ?? '', new RegExp(`${eventId}.*does not exist`));
  await orderEvents.deleteOne({ _id: eventId });
});
