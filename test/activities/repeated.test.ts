import test from 'ava';
import { setPointsEnd } from '../../domain/points-end-facts.ts';
import { holdMs, type RedemptionAction, type RedemptionRef } from '../../domain/redemption.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { type Database, openDatabase, type RequestedMove } from '../helpers/processes.ts';
import {
  assertRepeatable,
  type Call,
  runUndisturbed,
  type Scenario,
} from './helpers/assert-repeatable.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

type Mode = 'LIVE' | 'TEST';
const input = { at, offeredUntil: null };

/** Records a purchase. @returns the call that begins it */
async function beginning(stage: Stage, mode: Mode = 'LIVE'): Promise<Call> {
  await stage.rule({ mode });
  const ref = await stage.report(stage.purchase(mode));
  return (activities) => activities.begin(ref, input);
}

async function boughtMore(stage: Stage, mode: Mode = 'LIVE'): Promise<RewardSnapshot> {
  return await stage.begin(await stage.report(stage.purchase(mode)));
}

async function bought(stage: Stage): Promise<RewardSnapshot> {
  await stage.rule();
  return await boughtMore(stage);
}

async function funded(stage: Stage): Promise<RewardSnapshot> {
  await stage.fund(10_000);
  return await bought(stage);
}

const moving =
  (reward: RewardSnapshot, move: RequestedMove): Call =>
  (_activities, process) =>
    process.move(reward, move);

async function claimed(stage: Stage): Promise<RewardSnapshot> {
  return await stage.process.move(await funded(stage), 'CLAIM');
}

/** Reports a refund. @returns the answer */
const refunding =
  (stage: Stage, reward: Parameters<Stage['refund']>[0]): Call =>
  (_activities, process) => {
    const { origin, request } = stage.refund(reward);
    return process.refund(origin, request);
  };

/** Holds points of a claimed reward. @returns what its workflow gets */
async function held(stage: Stage): Promise<RedemptionRef> {
  await claimed(stage);
  const { origin, request } = stage.redemption();
  const answer = await stage.process.redeem(origin, { ...request, hold: true });
  if (answer.kind !== 'ANSWERED') throw new Error(answer.message);
  return { partnerId: stage.partnerId, redemptionId: JSON.parse(answer.body).redemption.id };
}

/** The points of a TEST customer were claimed, and both notices given. @returns the call that ends them */
async function ending(stage: Stage): Promise<Call> {
  await stage.fund(1_000, 'TEST');
  await stage.rule({ mode: 'TEST' });
  const { partnerId, process } = stage;
  const setting = { settingId: `pte_${partnerId}`, after: 'P12M', mode: 'TEST' } as const;
  await process.commit({
    partnerId,
    wallet: stage.wallet('TEST'),
    decide: (draft, terms) => setPointsEnd(draft, setting, terms),
  });
  const reward = await boughtMore(stage, 'TEST');
  await process.move(reward, 'CLAIM');
  const { customerId } = reward;
  await database.models.customerBalances.updateOne(
    { partnerId, customerId },
    { $set: { 'ending.told': 2, 'ending.endsAt': new Date(at) } },
  );
  return (activities) => activities.moveEnd({ partnerId, customerId, told: 2 });
}

const acting =
  (stage: Stage, { redemptionId }: RedemptionRef, action: RedemptionAction): Call =>
  (_activities, process) =>
    process.endRedemption(stage.asked(action), redemptionId, action);

/** @param writes the least number of writes: without one, a scenario would test no crash */
const scenarios: [name: string, writes: number, scenario: Scenario][] = [
  ['end the points of a customer', 5, ending],
  [
    'record a purchase',
    1,
    async (stage) => {
      const ruleId = await stage.rule();
      const report = stage.purchase();
      return async (_activities, process) => (await process.record(report, ruleId)).answer;
    },
  ],
  [
    'begin with sufficient funds, below the threshold afterwards',
    9,
    async (stage) => {
      await stage.fund(550);
      return await beginning(stage);
    },
  ],
  [
    'begin with insufficient funds',
    5,
    async (stage) => {
      await stage.fund(30);
      return await beginning(stage);
    },
  ],
  [
    'begin behind a waiting reward',
    5,
    async (stage) => {
      await stage.fund(30);
      await bought(stage);
      const ref = await stage.report(stage.purchase());
      return (activities) => activities.begin(ref, input);
    },
  ],
  [
    'begin a free reward',
    5,
    async (stage) => {
      await stage.rule({ pointValueMicros: 0 });
      const ref = await stage.report(stage.purchase());
      return (activities) => activities.begin(ref, input);
    },
  ],
  [
    'begin in TEST, with test funding',
    5,
    async (stage) => {
      await stage.fund(1_000, 'TEST');
      return await beginning(stage, 'TEST');
    },
  ],
  ['begin in TEST, without test funding', 3, (stage) => beginning(stage, 'TEST')],
  ...(['CLAIM', 'EXPIRE', 'CANCEL'] as const).map((move): [string, number, Scenario] => [
    `moved from outside: ${move}`,
    6,
    async (stage) => moving(await funded(stage), move),
  ]),
  ...(['EXPIRE', 'CANCEL'] as const).map((move): [string, number, Scenario] => [
    `moved from outside while it waits for funds: ${move}`,
    5,
    async (stage) => moving(await bought(stage), move),
  ]),
  [
    'moved from outside: EXPIRE, with another reward behind it in the queue',
    6,
    async (stage) => {
      await stage.fund(100);
      const reward = await bought(stage);
      await boughtMore(stage);
      return moving(reward, 'EXPIRE');
    },
  ],
  [
    'look after the claim window',
    7,
    async (stage) => {
      const reward = await funded(stage);
      const late = { at: reward.claimExpiresAt, offeredUntil: reward.claimExpiresAt };
      return (activities) => activities.look(reward, late);
    },
  ],
  [
    'look at what a signal was about',
    1,
    async (stage) => {
      const reward = await claimed(stage);
      return (activities) => activities.look(reward, input);
    },
  ],
  ['a refund before the claim', 6, async (stage) => refunding(stage, await funded(stage))],
  ['a refund after the claim', 6, async (stage) => refunding(stage, await claimed(stage))],
  [
    'a refund after expiry',
    4,
    async (stage) => refunding(stage, await stage.process.move(await funded(stage), 'EXPIRE')),
  ],
  [
    'a refund before its purchase has begun',
    6,
    async (stage) => {
      await stage.fund(1_000);
      await stage.rule();
      const report = stage.purchase();
      await stage.report(report);
      return refunding(stage, report);
    },
  ],
  [
    'a top-up that two of three waiting rewards get',
    7,
    async (stage) => {
      await stage.rule();
      for (const _ of [1, 2, 3]) await boughtMore(stage);
      return (_activities, process) => stage.fund(250, 'LIVE', process);
    },
  ],
  ...[false, true].map((hold): [string, number, Scenario] => [
    hold ? 'points held at the checkout' : 'points redeemed at the checkout',
    7,
    async (stage) => {
      await claimed(stage);
      const { origin, request } = stage.redemption();
      return (_activities, process) => process.redeem(origin, { ...request, hold });
    },
  ]),
  ['a hold is captured', 7, async (stage) => acting(stage, await held(stage), 'CAPTURE')],
  ['a hold is released', 6, async (stage) => acting(stage, await held(stage), 'RELEASE')],
  [
    'points come back after a capture',
    6,
    async (stage) => {
      const ref = await held(stage);
      await stage.process.endRedemption(stage.asked('CAPTURE'), ref.redemptionId, 'CAPTURE');
      return acting(stage, ref, 'REVERSE');
    },
  ],
  [
    'beginHold',
    1,
    async (stage) => {
      const ref = await held(stage);
      return (activities) => activities.beginHold(ref);
    },
  ],
  [
    'endHold',
    4,
    async (stage) => {
      const ref = await held(stage);
      const late = new Date(Date.parse(at) + holdMs).toISOString();
      return (activities) => activities.endHold(ref, late);
    },
  ],
  [
    'sendClaimLink',
    0,
    async (stage) => {
      const reward = await funded(stage);
      return (activities) => activities.sendClaimLink(reward);
    },
  ],
  [
    'sendReminder',
    0,
    async (stage) => {
      const reward = await funded(stage);
      return (activities) => activities.sendReminder(reward);
    },
  ],
  [
    'sendTakenBack',
    0,
    async (stage) => {
      const reward = await claimed(stage);
      return (activities) => activities.sendTakenBack(reward);
    },
  ],
  [
    'mailPartner',
    0,
    async (stage) => {
      const reward = await funded(stage);
      const fundingNotice = { missingCents: null, lowBalanceCents: 400 };
      return (activities) => activities.mailPartner({ ...reward, fundingNotice });
    },
  ],
];

for (const [name, leastWrites, scenario] of scenarios) {
  test(`repeating is harmless: ${name}`, async (t) => {
    const alone = await runUndisturbed(database, scenario);
    t.true(alone.writes >= leastWrites, `${alone.writes} writes`);
    await assertRepeatable(t, database, scenario, alone);
  });
}

test('a reward that costs nothing stays funded, even if another joins the queue before the repeat', async (t) => {
  const stage = await openStage(database);
  await stage.rule({ pointValueMicros: 0 });
  const ref = await stage.report(stage.purchase());
  t.is((await stage.begin(ref)).state, 'FUNDED');
  const ruleId = await stage.rule({ _id: `${stage.partnerId}/rule` });
  const costly = await stage.begin(await stage.report(stage.purchase(), { ruleId }));
  t.is(costly.state, 'AWAITING_FUNDING');
  t.like(await stage.begin(ref), { state: 'FUNDED', version: 1 });
  const { partnerId } = stage;
  const [period] = await database.models.usagePeriods.find({ partnerId });
  t.is(period?.points, 100);
});
