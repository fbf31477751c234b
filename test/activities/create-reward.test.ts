import test from 'ava';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

async function recorded() {
  const stage = await openStage(database);
  await stage.rule();
  return { stage, ref: await stage.report(stage.purchase()) };
}

const eventOf = (id: string) => database.models.orderEvents.findById(id).orFail();

test('a purchase that begins has its reward, its request in the log, and its key with the customer’s', async (t) => {
  const { models } = database;
  const { stage, ref } = await recorded();
  const { partnerId, purchaseEventId } = ref;
  const before = await eventOf(purchaseEventId);
  t.truthy(before.pendingSince);
  const reward = await stage.call((activities) => activities.createReward(ref));
  t.like(reward, {
    partnerId,
    purchaseEventId,
    status: 'PENDING',
    isPending: false,
    funded: false,
  });
  t.is(reward.rewardId, before.rewardId);
  const logged = await models.integrationEvents.find({ partnerId });
  t.is(logged.length, 1);
  t.like(logged[0], { eventId: purchaseEventId, address: '192.0.2.1', code: 'ACCEPTED' });
  const keys = await models.dataKeys.find({ partnerId });
  t.deepEqual(
    keys.map(({ _id, customerId, wrapped }) => [_id, customerId, wrapped]),
    [[before.dataKey?.dataKeyId, reward.customerId, before.dataKey?.wrapped]],
  );
  const { pendingSince, dataKey } = await eventOf(purchaseEventId);
  t.deepEqual([pendingSince, dataKey], [undefined, undefined]);
});

test('a purchase whose workflow began already is logged no second time, and gets no second key', async (t) => {
  const { models } = database;
  const { stage, ref } = await recorded();
  const { partnerId } = ref;
  const first = await stage.call((activities) => activities.createReward(ref));
  await models.integrationEvents.deleteMany({ partnerId });
  await models.dataKeys.deleteMany({ partnerId });
  t.deepEqual(await stage.call((activities) => activities.createReward(ref)), first);
  t.is(await models.integrationEvents.countDocuments({ partnerId }), 0);
  t.is(await models.dataKeys.countDocuments({ partnerId }), 0);
});

test('a purchase whose customer was erased before it began gets no key', async (t) => {
  const { models } = database;
  const { stage, ref } = await recorded();
  const { partnerId, purchaseEventId } = ref;
  await models.orderEvents.updateOne({ _id: purchaseEventId }, { $unset: { dataKey: 1 } });
  await stage.call((activities) => activities.createReward(ref));
  t.is(await models.dataKeys.countDocuments({ partnerId }), 0);
});

test('purchases that begin together are each answered with their own reward, and an unknown one fails alone', async (t) => {
  const { stage, ref } = await recorded();
  const second = await stage.report(stage.purchase());
  const { partnerId } = stage;
  const { activities } = stage.newProcess();
  const unknown = { partnerId, purchaseEventId: 'evt_unknown' };
  const settled = await stage.call(() =>
    Promise.allSettled([second, unknown, ref].map((one) => activities.createReward(one))),
  );
  t.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value.purchaseEventId : null)),
    [second.purchaseEventId, null, ref.purchaseEventId],
  );
  t.like(settled[1], { reason: { message: 'there is no purchase evt_unknown' } });
});

test('a reward with a pending refund is pending, the one beside it is not', async (t) => {
  const { stage, ref } = await recorded();
  const second = await stage.report(stage.purchase());
  const refunded = await stage.call((activities) => activities.createReward(ref));
  const { origin, request } = stage.refund(refunded);
  await stage.process.refund(origin, request);
  // The refund moved the reward, too, which is what makes it pending otherwise.
  await database.models.rewards.updateOne(
    { _id: refunded.rewardId },
    { $unset: { pendingSince: 1 } },
  );
  const { activities } = stage.newProcess();
  const both = await stage.call(() =>
    Promise.all([ref, second].map((one) => activities.createReward(one))),
  );
  t.deepEqual(
    both.map(({ isPending }) => isPending),
    [true, false],
  );
});

test('a purchase that nobody begins stays as it is', async (t) => {
  const { stage, ref } = await recorded();
  const other = await stage.report(stage.purchase());
  await stage.call((activities) => activities.createReward(ref));
  const { purchaseEventId } = other;
  t.truthy((await eventOf(purchaseEventId)).pendingSince);
  t.is(await database.models.rewards.countDocuments({ purchaseEventId }), 0);
});
