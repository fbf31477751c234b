import test from 'ava';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** A reward whose purchase was accounted for. It costs 100 cents. */
async function accounted(stage: Stage) {
  const ref = await stage.report(stage.purchase());
  const reward = await stage.call((activities) => activities.createReward(ref));
  return (await stage.call((activities) => activities.accountReward(reward, at))).reward;
}

test('a reward that ends while waiting for funds takes no money from the others in the queue', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  const waiting = [];
  for (let place = 0; place < 3; place++) waiting.push(await accounted(stage));
  const [first] = waiting;
  if (!first) throw new Error('three rewards should be waiting');
  await stage.process.move(first, 'CANCEL', at);
  await stage.fund(200);
  const rewardIds = waiting.map(({ rewardId }) => rewardId);
  const page = await stage.call((activities) =>
    activities.fundWaiting(stage.wallet(), rewardIds, 200, at),
  );
  t.like(page, { isServed: true, fundedCents: 200 });
  const rewards = await database.models.rewards.find({ _id: { $in: rewardIds } });
  t.deepEqual(
    rewardIds.map((id) => rewards.find(({ _id }) => _id === id)?.funded),
    [false, true, true],
  );
});

test('a partner is notified when a release or an upheld refund brings LIVE funds back to the threshold', async (t) => {
  const stage = await openStage(database);
  const { partnerId } = stage;
  const recoveries = async () => {
    const sent = await database.models.webhookDeliveries
      .find({ partnerId, type: 'funding.recovered' })
      .sort({ _id: 1 });
    return sent.map(({ body }) => JSON.parse(body).data.balanceCents);
  };
  await stage.rule();
  // The threshold is 500.
  await stage.fund(550);
  const unclaimed = await accounted(stage);
  await stage.process.move(unclaimed, 'CANCEL', at);
  await stage.call((activities) => activities.carryOutPending(unclaimed));
  t.deepEqual(await recoveries(), [550]);

  const claimed = await accounted(stage);
  await stage.process.move(claimed, 'CLAIM', at);
  await stage.call((activities) => activities.carryOutPending(claimed));
  const { origin, request } = stage.refund(claimed);
  await stage.process.refund(origin, request);
  const inReview = await stage.call((activities) => activities.carryOutPending(claimed));
  const { review } = inReview;
  if (!review) throw new Error('the refund of a claimed reward should be in review');
  await stage.call((activities) => activities.openReview(inReview, review));
  t.deepEqual(await recoveries(), [550], 'neither a claim nor a review moves the funds');
  await stage.process.decide(inReview, 'UPHOLD', at);
  for (const _ of ['first', 'again']) {
    await stage.call((activities) => activities.carryOutPending(inReview));
    t.deepEqual(await recoveries(), [550, 550]);
  }
});
