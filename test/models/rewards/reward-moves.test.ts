import test from 'ava';
import { claimReward, expireReward } from '../../../models/rewards/reward-moves.ts';
import { openStage } from '../../activities/helpers/stage.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** A funded, unclaimed reward, and a function for times relative to the end of its claim window. */
async function pending() {
  const stage = await openStage(database);
  await stage.rule();
  await stage.fund(100);
  const ref = await stage.report(stage.purchase());
  const begun = await stage.call((activities) => activities.createReward(ref));
  await stage.call((activities) => activities.accountReward(begun, new Date().toISOString()));
  const { models } = database;
  const reward = await models.rewards.findById(begun.rewardId).orFail();
  const fromItsEnd = (ms: number) => new Date(reward.claimExpiresAt.getTime() + ms);
  return { models, reward, fromItsEnd };
}

test('a claim at the end of the window or later changes nothing, even before the reward expires', async (t) => {
  const { models, reward, fromItsEnd } = await pending();
  for (const late of [0, 1, 86_400_000]) {
    const { status, version } = await claimReward(models, reward, fromItsEnd(late));
    t.deepEqual([status, version], ['PENDING', reward.version], `${late} ms after the end`);
  }
});

test('a claim in the last millisecond of the window counts', async (t) => {
  const { models, reward, fromItsEnd } = await pending();
  t.is((await claimReward(models, reward, fromItsEnd(-1))).status, 'AVAILABLE');
});

test('a reward expires at the end of its window and not before, unless the TEST clock ends it', async (t) => {
  const { models, reward, fromItsEnd } = await pending();
  t.is((await expireReward(models, reward, fromItsEnd(-1))).status, 'PENDING');
  t.is((await expireReward(models, reward, fromItsEnd(0))).status, 'EXPIRED');
  const other = await pending();
  const early = await expireReward(models, other.reward, other.fromItsEnd(-1), {
    isEndedEarly: true,
  });
  t.is(early.status, 'EXPIRED');
});
