import test from 'ava';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** A reward whose purchase has begun. It costs 100 cents. */
const begun = async (stage: Stage) => stage.begin(await stage.report(stage.purchase()));

test('a reward that ends while waiting for funds takes no money from the others in the queue', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  const waiting = [await begun(stage), await begun(stage), await begun(stage)];
  const [first] = waiting;
  if (!first) throw new Error('three rewards should be waiting');
  await stage.process.move(first, 'CANCEL');
  await stage.fund(200);
  const rewards = await Promise.all(waiting.map((reward) => stage.reward(reward)));
  t.deepEqual(
    rewards.map(({ status, funded }) => [status, funded]),
    [
      ['CANCELLED', false],
      ['PENDING', true],
      ['PENDING', true],
    ],
  );
});

test('a partner is notified when a top-up, a release or an upheld refund brings LIVE funds back to the threshold', async (t) => {
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
  t.deepEqual(await recoveries(), [550]);
  const unclaimed = await begun(stage);
  await stage.process.move(unclaimed, 'CANCEL');
  t.deepEqual(await recoveries(), [550, 550]);

  const claimed = await begun(stage);
  await stage.process.move(claimed, 'CLAIM');
  const { origin, request } = stage.refund(claimed);
  await stage.process.refund(origin, request);
  t.deepEqual(await recoveries(), [550, 550], 'neither a claim nor a review moves the funds');
  const inReview = await stage.reward(claimed);
  for (const _ of ['first', 'again']) {
    await stage.process.decide(inReview, 'UPHOLD');
    t.deepEqual(await recoveries(), [550, 550, 550]);
  }
});

test('the refund of a purchase that has not begun gives the customer’s daily cap back', async (t) => {
  const stage = await openStage(database);
  await stage.rule({ capPerCustomerDayPoints: 150 });
  await stage.fund(1_000);
  const pointsOf = async () => {
    const ref = await stage.report(stage.purchase());
    const event = await database.models.orderEvents.findById(ref.purchaseEventId).orFail();
    return { event, points: event.purchase?.arithmetic.points };
  };
  const { event, points } = await pointsOf();
  t.is(points, 100);
  const { origin, request } = stage.refund(event);
  t.is((await stage.process.refund(origin, request)).kind, 'ANSWERED');
  t.is((await pointsOf()).points, 100);
  t.is((await pointsOf()).points, 50);
});
