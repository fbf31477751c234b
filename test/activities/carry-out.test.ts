import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { type Database, openDatabase, type RequestedMove } from '../helpers/processes.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** A reward of 100 cents, and what happens to it. */
interface Case {
  mode: Mode;
  fundingCents: number;
  /** Whether its purchase was accounted for before. */
  isAccounted: boolean;
  moves: RequestedMove[];
}

const usageOf = async ({ partnerId }: Stage) =>
  (await database.models.usageEntries.find({ partnerId }))
    .map(({ reference }) => reference.split(':')[0])
    .toSorted();
const wakes = ({ messengerCalls }: Stage) =>
  [...messengerCalls].filter((text) => text.includes('wakeWallet')).length;
const balancesOf = (stage: Stage, mode: Mode) =>
  walletBalances(stage.newProcess().ledger, stage.wallet(mode));

async function bought(stage: Stage, mode: Mode): Promise<RewardSnapshot> {
  const ref = await stage.report(stage.purchase(mode));
  return await stage.call((activities) => activities.createReward(ref));
}

const account = async (stage: Stage, reward: RewardSnapshot) =>
  (await stage.call((activities) => activities.accountReward(reward, at))).reward;

async function played({ mode, fundingCents, isAccounted, moves }: Case) {
  const stage = await openStage(database);
  await stage.rule({ mode });
  if (fundingCents > 0) await stage.fund(fundingCents, mode);
  let reward = await bought(stage, mode);
  if (isAccounted) reward = await account(stage, reward);
  stage.messengerCalls.clear();
  for (const move of moves) {
    await stage.process.move(reward, move, at);
    reward = await stage.call((activities) => activities.carryOutPending(reward));
  }
  return { stage, reward };
}

type Balances = [fundingCents: number, reservedCents: number, owedCents: number];
const carried: [
  mode: Mode,
  fundingCents: number,
  isAccounted: boolean,
  move: RequestedMove,
  status: RewardSnapshot['status'],
  balances: Balances,
  usage: string[],
][] = [
  ['LIVE', 1_000, true, 'CLAIM', 'AVAILABLE', [900, 0, 100], ['usage']],
  ['LIVE', 1_000, true, 'CANCEL', 'CANCELLED', [1_000, 0, 0], ['giveBack', 'usage']],
  ['LIVE', 1_000, true, 'EXPIRE', 'EXPIRED', [1_000, 0, 0], ['giveBack', 'usage']],
  ['LIVE', 30, true, 'CANCEL', 'CANCELLED', [30, 0, 0], []],
  ['LIVE', 1_000, false, 'CANCEL', 'CANCELLED', [1_000, 0, 0], []],
  ['TEST', 0, true, 'CLAIM', 'AVAILABLE', [0, 0, 0], []],
  ['TEST', 0, true, 'CANCEL', 'CANCELLED', [0, 0, 0], []],
  ['TEST', 1_000, true, 'CLAIM', 'AVAILABLE', [900, 0, 100], []],
  ['TEST', 1_000, true, 'CANCEL', 'CANCELLED', [1_000, 0, 0], []],
];
for (const [mode, fundingCents, isAccounted, move, status, balances, usage] of carried) {
  const before = isAccounted ? '' : ' before it was accounted for';
  test(`${move}${before} is carried out in ${mode}, with ${fundingCents} cents: ${balances.join(', ')}`, async (t) => {
    const { stage, reward } = await played({ mode, fundingCents, isAccounted, moves: [move] });
    t.is(reward.status, status);
    t.false(reward.isPending);
    const [funding, reserved, owed] = balances;
    const expected = { fundingCents: funding, reservedCents: reserved, owedCents: owed };
    t.deepEqual(await balancesOf(stage, mode), expected);
    t.deepEqual(await usageOf(stage), usage);
    t.is(wakes(stage), 0, 'nobody waits');
    t.deepEqual(await stage.call((a) => a.carryOutPending(reward)), reward);
    t.deepEqual(await balancesOf(stage, mode), expected);
  });
}

test('a reward cancelled before its money was reserved never gets any', async (t) => {
  const { stage, reward } = await played({
    mode: 'LIVE',
    fundingCents: 1_000,
    isAccounted: false,
    moves: ['CANCEL'],
  });
  await account(stage, reward);
  t.like(await balancesOf(stage, 'LIVE'), { fundingCents: 1_000, reservedCents: 0 });
});

for (const move of ['CANCEL', 'EXPIRE', 'CLAIM'] as const) {
  test(`the queue is woken if the reward before it gives up its place or its money: ${move}`, async (t) => {
    const stage = await openStage(database);
    await stage.rule();
    await stage.fund(100);
    const first = await account(stage, await bought(stage, 'LIVE'));
    const second = await account(stage, await bought(stage, 'LIVE'));
    t.is(second.status, 'AWAITING_FUNDING');
    stage.messengerCalls.clear();
    await stage.process.move(first, move, at);
    await stage.call((activities) => activities.carryOutPending(first));
    t.is(wakes(stage), move === 'CLAIM' ? 0 : 1);
  });
}

test('a reward expires at the end of its claim window, and only by a step that has the time', async (t) => {
  const { stage, reward } = await played({
    mode: 'LIVE',
    fundingCents: 1_000,
    isAccounted: true,
    moves: [],
  });
  const end = Date.parse(reward.claimExpiresAt);
  const statusAt = async (when?: string) =>
    (await stage.call((activities) => activities.carryOutPending(reward, when))).status;
  t.is(await statusAt(), 'PENDING');
  t.is(await statusAt(new Date(end - 1).toISOString()), 'PENDING');
  t.is(await statusAt(new Date(end).toISOString()), 'EXPIRED');
});

test('each step of a reward is announced once, and points are counted when it is funded', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  const reward = await account(stage, await bought(stage, 'LIVE'));
  await stage.fund(100);
  await stage.call((activities) =>
    activities.fundWaiting(stage.wallet(), [reward.rewardId], 100, at),
  );
  t.deepEqual(await usageOf(stage), []);
  for (const _ of ['first', 'again']) {
    await stage.call((activities) => activities.carryOutPending(reward));
    t.deepEqual(await usageOf(stage), ['usage']);
  }
  const { partnerId } = stage;
  const told = await database.models.webhookDeliveries.find({ partnerId });
  t.deepEqual(told.map(({ type }) => type).toSorted(), [
    'reward.awaiting_funding',
    'reward.funded',
  ]);
});
