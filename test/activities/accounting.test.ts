import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { runAudit } from '../../models/audit/run.ts';
import { dyingAfter, immortal, interrupted, under } from '../helpers/faults.ts';
import { isThorough } from '../helpers/places.ts';
import { type Activities, type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';
import { assertInvariants } from './money/helpers/assert-invariants.ts';
import { type Circumstances, createWorld, type World } from './money/helpers/world.ts';

let database: Database;

const later = '2026-03-10T10:00:00.000Z';

/** A partner whose threshold is 500 cents, with so much funding; null for none ever. */
async function shop(mode: Mode, fundingCents: number | null): Promise<Stage> {
  const stage = await openStage(database);
  await stage.rule({ mode });
  if (fundingCents) await stage.fund(fundingCents, mode);
  return stage;
}

/** A new reward, which costs 100 cents. */
async function created(stage: Stage, mode: Mode = 'LIVE') {
  const ref = await stage.report(stage.purchase(mode));
  return await stage.call((activities) => activities.createReward(ref));
}

async function accounted(stage: Stage, mode: Mode = 'LIVE') {
  const reward = await created(stage, mode);
  return await stage.call((activities) => activities.accountReward(reward, at));
}

const announced = async ({ partnerId }: Stage) =>
  (await database.models.webhookDeliveries.find({ partnerId })).map(({ type }) => type).toSorted();
const usageOf = async ({ partnerId }: Stage) =>
  (await database.models.usageEntries.find({ partnerId })).length;
const wakes = ({ messengerCalls }: Stage) =>
  [...messengerCalls].filter((text) => text.includes('wakeWallet')).length;

interface Expected {
  status: 'PENDING' | 'AWAITING_FUNDING';
  missingCents: number | null;
  lowBalanceCents: number | null;
  announced: string[];
  usage: number;
}

const funded = { status: 'PENDING', missingCents: null, lowBalanceCents: null } as const;
const short = (missingCents: number): Expected => ({
  status: 'AWAITING_FUNDING',
  missingCents,
  lowBalanceCents: null,
  usage: 0,
  announced: ['reward.awaiting_funding'],
});
const told = { announced: ['reward.funded'] };
const low = { lowBalanceCents: 450, announced: ['funding.low', 'reward.funded'] };
const cases: [mode: Mode, fundingCents: number | null, expected: Expected][] = [
  ['LIVE', 1_000, { ...funded, ...told, usage: 1 }],
  ['LIVE', 600, { ...funded, ...told, usage: 1 }],
  ['LIVE', 550, { ...funded, ...low, usage: 1 }],
  ['LIVE', 100, { ...funded, ...told, usage: 1 }],
  ['LIVE', 99, short(1)],
  ['LIVE', null, short(100)],
  ['TEST', null, { ...funded, ...told, usage: 0 }],
  ['TEST', 1_000, { ...funded, ...told, usage: 0 }],
  ['TEST', 99, short(1)],
];
for (const [mode, fundingCents, expected] of cases) {
  test(`a reward of 100 cents in ${mode}, with ${fundingCents} cents: ${expected.status}, ${expected.lowBalanceCents ?? expected.missingCents}`, async (t) => {
    const stage = await shop(mode, fundingCents);
    const { reward, missingCents, lowBalanceCents, decidedAt } = await accounted(stage, mode);
    const { status } = reward;
    t.deepEqual(
      {
        status,
        missingCents,
        lowBalanceCents,
        announced: await announced(stage),
        usage: await usageOf(stage),
      },
      expected,
    );
    t.is(reward.funded, status === 'PENDING');
    t.is(decidedAt, at);
    t.is(wakes(stage), status === 'PENDING' ? 0 : 1);
  });
}

test('only the first reward of a queue is reported as short of funds', async (t) => {
  const stage = await shop('LIVE', 30);
  t.is((await accounted(stage)).missingCents, 70);
  const { reward, missingCents } = await accounted(stage);
  t.is(reward.status, 'AWAITING_FUNDING');
  t.is(missingCents, null);
});

test('a reward behind a waiting one is not funded, even if its own cost is there', async (t) => {
  const stage = await shop('LIVE', 30);
  await accounted(stage);
  await stage.fund(100);
  const { reward, missingCents } = await accounted(stage);
  t.is(reward.status, 'AWAITING_FUNDING');
  t.is(missingCents, null);
});

for (const [fundingCents, missing] of [
  [69, 1],
  [70, null],
  [71, null],
] as const) {
  test(`what is missing is what is missing now: ${missing} after another ${fundingCents} cents`, async (t) => {
    const stage = await shop('LIVE', 30);
    const { reward } = await accounted(stage);
    await stage.fund(fundingCents);
    const { missingCents } = await stage.call((a) => a.accountReward(reward, later));
    t.is(missingCents, missing);
  });
}

for (const fundingCents of [1_000, 30]) {
  test(`a decision stays as it is, and its time with it: with ${fundingCents} cents`, async (t) => {
    const stage = await shop('LIVE', fundingCents);
    const first = await accounted(stage);
    await stage.fund(5_000);
    const again = await stage.call((a) => a.accountReward(first.reward, later));
    t.is(again.decidedAt, at);
    t.is(again.reward.status, first.reward.status);
    t.is(again.reward.fundedAt, first.reward.fundedAt);
  });
}

test('a repeat reports again that funds fell below the threshold', async (t) => {
  const stage = await shop('LIVE', 550);
  const { reward } = await accounted(stage);
  const again = await stage.call((a) => a.accountReward(reward, later));
  t.is(again.lowBalanceCents, 450);
  t.deepEqual(await announced(stage), ['funding.low', 'reward.funded']);
});

test('a reward cancelled before its money was reserved costs nothing and needs no notice', async (t) => {
  const stage = await shop('LIVE', 30);
  const reward = await created(stage);
  await stage.process.move(reward, 'CANCEL', at);
  stage.messengerCalls.clear();
  const outcome = await stage.call((a) => a.accountReward(reward, later));
  t.like(outcome, {
    missingCents: null,
    lowBalanceCents: null,
    decidedAt: later,
    reward: { status: 'CANCELLED' },
  });
  t.is(wakes(stage), 0);
  t.is(await usageOf(stage), 0);
});

test('rewards accounted for together are funded in the order of their purchases', async (t) => {
  const stage = await shop('LIVE', 250);
  const rewards = [await created(stage), await created(stage), await created(stage)];
  const { activities } = stage.newProcess();
  const outcomes = await stage.call(() =>
    Promise.all(rewards.toReversed().map((one) => activities.accountReward(one, at))),
  );
  t.deepEqual(
    outcomes.toReversed().map(({ reward, missingCents }) => [reward.status, missingCents]),
    [
      ['PENDING', null],
      ['PENDING', null],
      ['AWAITING_FUNDING', 50],
    ],
  );
  const ids = outcomes.toReversed().map(({ reward }) => reward.rewardId);
  t.deepEqual(
    ids,
    rewards.map(({ rewardId }) => rewardId),
  );
});

test('a reward accounted for together with a decided one is funded', async (t) => {
  const stage = await shop('LIVE', 1_000);
  const decided = (await accounted(stage)).reward;
  const reward = await created(stage);
  const { activities } = stage.newProcess();
  const both = await stage.call(() =>
    Promise.all([decided, reward].map((one) => activities.accountReward(one, later))),
  );
  t.deepEqual(
    both.map((one) => [one.reward.rewardId, one.reward.funded, one.decidedAt]),
    [
      [decided.rewardId, true, at],
      [reward.rewardId, true, later],
    ],
  );
});

const laterOfWallet = '2026-03-10T09:00:01.000Z';

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
  await stage.call(fund(stage, ids, 1_000, laterOfWallet));
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
  const page = await stage.call(fund(stage, ids, 100, laterOfWallet));
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
    const { lowBalances } = await stage.call(fund(stage, ids.slice(1), 550, laterOfWallet));
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

test.before(async () => {
  database = await openDatabase();
});

test.after.always(async () => {
  await database?.close();
});

const undisturbed: Circumstances = { place: 0, fate: immortal(), isTwice: false };
const events = isThorough ? 1_000 : 300;
const concurrent = 20;

/** All records of a partner's LIVE money and usage. */
async function liveFigures({ models, partnerId }: World) {
  return {
    ledger: await models.ledger.find({ partnerId }).sort({ _id: 1 }),
    usage: await models.usageEntries.find({ partnerId }).sort({ _id: 1 }),
    invoices: await models.invoices.find({ partnerId }),
    rewards: await models.rewards.find({ partnerId, mode: 'LIVE' }).sort({ _id: 1 }),
  };
}

test('hundreds of mixed TEST events leave every LIVE figure untouched', async (t) => {
  const world = await createWorld(database);
  await world.topUp('LIVE', 10_000, undisturbed);
  const buy = (mode: 'LIVE' | 'TEST', nth: number) =>
    world.buy(
      { mode, customer: nth % 3, subtotalCents: 100 + (nth % 900), value: nth },
      undisturbed,
    );
  for (let nth = 0; nth < 5; nth++) await buy('LIVE', nth);
  await world.move('CLAIM', 0, undisturbed);
  await world.settled();
  const before = await liveFigures(world);
  t.true(before.ledger.length > 5 && before.usage.length > 0);

  await world.topUp('TEST', 20_000, undisturbed);
  const isTest = { mode: 'TEST' } as const;
  const moves = ['CLAIM', 'CLAIM', 'REFUND', 'EXPIRE', 'REFUND', 'UPHOLD', 'DISMISS'] as const;
  for (let done = 0; done < events; done += concurrent) {
    await Promise.all(
      Array.from({ length: concurrent }, async (_, place) => {
        const nth = done + place;
        if (nth % 2 === 0) return await buy('TEST', nth);
        if (nth % 99 === 0) return await world.topUp('TEST', 5_000, undisturbed);
        await world.move(moves[nth % moves.length] ?? 'CLAIM', nth, undisturbed, isTest);
      }),
    );
  }
  await world.settled();

  t.deepEqual(await liveFigures(world), before);
  const { models, partnerId } = world;
  const kinds = await models.testFunding.distinct('kind', { partnerId });
  t.deepEqual(kinds.sort(), ['CLAIM', 'CLAWBACK', 'RELEASE', 'RESERVE', 'TOP_UP']);
  await assertInvariants(world);
  const { faults, summary } = await runAudit(world, { partnerId, patienceMs: 0 });
  t.is(faults, 0, summary);
});
