import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

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
