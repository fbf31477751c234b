import test from 'ava';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { dyingAfter, interrupted, under } from '../helpers/faults.ts';
import { type Activities, type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const later = '2026-03-10T09:00:01.000Z';

/** Rewards of 100 cents each that wait for funds, and the money that arrives then. */
async function queue(count: number, fundingCents: number) {
  const stage = await openStage(database);
  await stage.rule();
  const waiting: RewardSnapshot[] = [];
  for (let place = 0; place < count; place++) {
    const ref = await stage.report(stage.purchase());
    const reward = await stage.call((activities) => activities.createReward(ref));
    waiting.push((await stage.call((a) => a.accountReward(reward, at))).reward);
  }
  if (fundingCents > 0) await stage.fund(fundingCents);
  stage.messengerCalls.clear();
  return { stage, waiting, ids: waiting.map(({ rewardId }) => rewardId) };
}

const fund =
  (stage: Stage, ids: string[], atMostCents: number, when = at) =>
  (activities: Activities) =>
    activities.fundWaiting(stage.wallet(), ids, atMostCents, when);

async function fundedOf(ids: string[]): Promise<boolean[]> {
  const rewards = await database.models.rewards.find({ _id: { $in: ids } });
  return ids.map((id) => rewards.find(({ _id }) => _id === id)?.funded === true);
}

const pages: [
  fundingCents: number,
  atMostCents: number,
  funded: number,
  fundedCents: number,
  isServed: boolean,
][] = [
  [1_000, 300, 3, 300, true],
  [1_000, 299, 2, 200, false],
  [1_000, 100, 1, 100, false],
  [1_000, 99, 0, 0, false],
  [1_000, 1_000, 3, 300, true],
  [250, 300, 2, 200, false],
  [99, 300, 0, 0, false],
  [300, 300, 3, 300, true],
];
for (const [fundingCents, atMostCents, funded, fundedCents, isServed] of pages) {
  test(`a queue of three is served with ${fundingCents} cents, ${atMostCents} of them from before: ${funded}`, async (t) => {
    const { stage, waiting, ids } = await queue(3, fundingCents);
    const page = await stage.call(fund(stage, ids, atMostCents));
    t.like(page, { fundedCents, isServed });
    t.deepEqual(
      await fundedOf(ids),
      ids.map((_, place) => place < funded),
    );
    const signalled = [...stage.messengerCalls].map((text) => JSON.parse(text));
    t.deepEqual(
      signalled
        .filter(([what]) => what === 'funded')
        .map(([, id]) => id)
        .toSorted(),
      waiting
        .slice(0, funded)
        .map(({ purchaseEventId }) => purchaseEventId)
        .toSorted(),
    );
  });
}

test('a funded reward can be claimed from then on for the whole claim window', async (t) => {
  const { stage, ids } = await queue(1, 1_000);
  await stage.call(fund(stage, ids, 1_000, later));
  const reward = await database.models.rewards.findById(ids[0] ?? '').orFail();
  t.is(reward.status, 'PENDING');
  t.deepEqual(reward.claimExpiresAt, new Date('2026-04-09T09:00:01.000Z'));
});

test('an expired reward takes no money and does not hold up the page', async (t) => {
  const { stage, waiting, ids } = await queue(2, 1_000);
  const [first] = waiting;
  if (!first) throw new Error('two wait');
  await stage.process.move(first, 'EXPIRE', at);
  t.like(await stage.call(fund(stage, ids, 100)), { fundedCents: 100, isServed: true });
  t.deepEqual(await fundedOf(ids), [false, true]);
});

test('a reward cancelled after the page was read takes no money and does not hold up the page', async (t) => {
  const { stage, waiting, ids } = await queue(2, 1_000);
  const [first] = waiting;
  if (!first) throw new Error('two wait');
  const { result, hasHappened } = await interrupted(
    2,
    () => stage.perform(stage.newProcess(), fund(stage, ids, 200)),
    async () => {
      await stage.process.move(first, 'CANCEL', at);
      await stage.call((activities) => activities.carryOutPending(first));
    },
  );
  t.true(hasHappened);
  t.like(result, { fundedCents: 100, isServed: true });
  t.deepEqual(await fundedOf(ids), [false, true]);
});

test('a reward that was funded already is not signalled again', async (t) => {
  const { stage, ids } = await queue(2, 1_000);
  await stage.call(fund(stage, ids, 200));
  stage.messengerCalls.clear();
  t.like(await stage.call(fund(stage, ids, 200)), { fundedCents: 200, isServed: true });
  t.is(stage.messengerCalls.size, 0);
});

test('the funding is known before the queue is read, which continues after the last reward', async (t) => {
  const { stage, ids } = await queue(3, 250);
  const find = (after: string | null) =>
    stage.call((activities) => activities.findWaiting(stage.wallet(), after));
  t.deepEqual(await find(null), { rewardIds: ids, fundingCents: 250 });
  t.deepEqual(await find(ids[0] ?? ''), { rewardIds: ids.slice(1), fundingCents: 250 });
});

test('money reserved by a lost call is not counted again by a later one', async (t) => {
  const { stage, ids } = await queue(2, 1_000);
  // It dies between the reservation and the reward's move.
  const dying = under(dyingAfter(1), () =>
    stage.perform(stage.newProcess(), fund(stage, ids.slice(0, 1), 1_000)),
  );
  await t.throwsAsync(dying);
  t.deepEqual(await fundedOf(ids), [false, false]);
  const page = await stage.call(fund(stage, ids, 100, later));
  t.like(page, { fundedCents: 100, isServed: true });
  t.deepEqual(await fundedOf(ids), [true, true]);
});

test('a retry counts the money that its own first attempt reserved', async (t) => {
  const { stage, ids } = await queue(1, 1_000);
  const dying = under(dyingAfter(1), () =>
    stage.perform(stage.newProcess(), fund(stage, ids, 1_000)),
  );
  await t.throwsAsync(dying);
  t.like(await stage.call(fund(stage, ids, 1_000)), { fundedCents: 100, isServed: true });
});

test('the partner is told once by which reward its funds fell below the threshold', async (t) => {
  // The threshold is 500.
  const { stage, ids } = await queue(3, 650);
  const low = () =>
    database.models.webhookDeliveries.countDocuments({
      partnerId: stage.partnerId,
      type: 'funding.low',
    });
  const first = await stage.call(fund(stage, ids.slice(0, 1), 650));
  t.deepEqual(first.lowBalances, []);
  t.is(await low(), 0);
  for (const _ of ['first', 'again']) {
    const { lowBalances } = await stage.call(fund(stage, ids.slice(1), 550, later));
    t.deepEqual(
      lowBalances.map(({ reward, lowBalanceCents }) => [reward.rewardId, lowBalanceCents]),
      [[ids[1], 450]],
    );
    t.is(await low(), 1);
  }
});

test('a reward is not funded without the rule that has its claim window', async (t) => {
  const { stage, ids } = await queue(1, 1_000);
  await database.models.earningRules.deleteMany({ partnerId: stage.partnerId });
  await t.throwsAsync(stage.call(fund(stage, ids, 1_000)), {
    message: `the rule of ${ids[0]} does not exist`,
  });
  t.deepEqual(await fundedOf(ids), [false]);
});
