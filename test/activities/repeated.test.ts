import test from 'ava';
import type { Answer } from '../../domain/answers.ts';
import type { ReviewDecision } from '../../domain/review.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { under } from '../helpers/faults.ts';
import {
  type Activities,
  type Database,
  openDatabase,
  type Process,
  type RequestedMove,
} from '../helpers/processes.ts';
import { assertRecoverable } from './helpers/assert-recoverable.ts';
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

/** Creates a rule, and records a purchase under it. */
async function bought(stage: Stage, mode: Mode = 'LIVE'): Promise<RewardSnapshot> {
  await stage.rule({ mode });
  return await boughtMore(stage, mode);
}

async function boughtMore(stage: Stage, mode: Mode = 'LIVE'): Promise<RewardSnapshot> {
  const ref = await stage.report(stage.purchase(mode));
  return await stage.call((activities) => activities.createReward(ref));
}

async function accounted(stage: Stage, reward: RewardSnapshot): Promise<RewardSnapshot> {
  return (await stage.call((activities) => activities.accountReward(reward, at))).reward;
}

async function funded(stage: Stage): Promise<RewardSnapshot> {
  await stage.fund(10_000);
  return await accounted(stage, await bought(stage));
}

/** Makes a move of a reward, and carries it out as its workflow does. */
const moving =
  (reward: RewardSnapshot, move: RequestedMove) =>
  async (activities: Activities, process: Process): Promise<RewardSnapshot> => {
    await process.move(reward, move, at);
    return await activities.carryOutPending(reward);
  };

const settled = (stage: Stage, reward: RewardSnapshot, move: RequestedMove) =>
  stage.call(moving(reward, move));

/** Reports a refund, and carries it out as its workflow does. @returns the answer */
const refunding =
  (stage: Stage, reward: RewardSnapshot) =>
  async (activities: Activities, process: Process): Promise<Answer> => {
    const { origin, request } = stage.refund(reward);
    const answer = await process.refund(origin, request);
    await activities.carryOutPending(reward);
    return answer;
  };

async function refunded(stage: Stage, reward: RewardSnapshot): Promise<RewardSnapshot> {
  await stage.call(refunding(stage, reward));
  return await stage.call((activities) => activities.carryOutPending(reward));
}

const claimed = async (stage: Stage) => settled(stage, await funded(stage), 'CLAIM');

async function inReview(stage: Stage, reward: RewardSnapshot): Promise<RewardSnapshot> {
  const next = await refunded(stage, reward);
  await stage.call(openingReview(next));
  return next;
}

const openingReview =
  (reward: RewardSnapshot): Call =>
  async (activities) => {
    if (!reward.review) throw new Error('the reward should be in review');
    return await activities.openReview(reward, reward.review);
  };

/** Decides a review, and carries it out as the reward's workflow does. */
function deciding(reward: RewardSnapshot, verdict: ReviewDecision['verdict']): Call {
  return async (activities, process) => {
    await process.decide(reward, verdict, at);
    return await activities.carryOutPending(reward);
  };
}

const topUpCents = 250;

/** Queues three rewards of 100 cents each, and tops up enough for two. */
async function queue(stage: Stage): Promise<RewardSnapshot[]> {
  await stage.rule();
  const waiting: RewardSnapshot[] = [];
  for (let place = 0; place < 3; place++) {
    waiting.push(await accounted(stage, await boughtMore(stage)));
  }
  await stage.fund(topUpCents);
  return waiting;
}

const funding =
  (stage: Stage, rewards: RewardSnapshot[]): Call =>
  (activities) =>
    activities.fundWaiting(
      stage.wallet(),
      rewards.map(({ rewardId }) => rewardId),
      topUpCents,
      at,
    );

/** @param writes the least number of writes: without one, a scenario would test no crash */
const scenarios: [name: string, writes: number, scenario: Scenario][] = [
  [
    'createReward',
    4,
    async (stage) => {
      await stage.rule();
      const ref = await stage.report(stage.purchase());
      return (activities) => activities.createReward(ref);
    },
  ],
  [
    'createReward after its reward was lost',
    1,
    async (stage) => {
      const { partnerId, rewardId, purchaseEventId } = await bought(stage);
      await database.models.rewards.deleteOne({ partnerId, _id: rewardId });
      return (activities) => activities.createReward({ partnerId, purchaseEventId });
    },
  ],
  [
    'beginPurchase',
    8,
    async (stage) => {
      await stage.fund(550);
      await stage.rule();
      const ref = await stage.report(stage.purchase());
      return (activities) => activities.beginPurchase(ref, { at, offeredUntil: null });
    },
  ],
  [
    'accountReward with sufficient funds, below the threshold afterwards',
    3,
    async (stage) => {
      await stage.fund(550);
      const reward = await bought(stage);
      return (activities) => activities.accountReward(reward, at);
    },
  ],
  [
    'accountReward with insufficient funds',
    1,
    async (stage) => {
      await stage.fund(30);
      const reward = await bought(stage);
      return (activities) => activities.accountReward(reward, at);
    },
  ],
  [
    'accountReward behind a waiting reward',
    1,
    async (stage) => {
      await stage.fund(30);
      await accounted(stage, await bought(stage));
      const reward = await boughtMore(stage);
      return (activities) => activities.accountReward(reward, at);
    },
  ],
  [
    'accountReward in TEST, with test funding',
    2,
    async (stage) => {
      await stage.fund(1_000, 'TEST');
      const reward = await bought(stage, 'TEST');
      return (activities) => activities.accountReward(reward, at);
    },
  ],
  [
    'accountReward in TEST, without test funding',
    1,
    async (stage) => {
      const reward = await bought(stage, 'TEST');
      return (activities) => activities.accountReward(reward, at);
    },
  ],
  ...(['CLAIM', 'EXPIRE', 'CANCEL'] as const).map((move): [string, number, Scenario] => [
    `moved from outside: ${move}`,
    3,
    async (stage) => moving(await funded(stage), move),
  ]),
  ...(['EXPIRE', 'CANCEL'] as const).map((move): [string, number, Scenario] => [
    `moved from outside before its money was reserved: ${move}`,
    3,
    async (stage) => moving(await bought(stage), move),
  ]),
  [
    'moved from outside: EXPIRE, with another reward behind it in the queue',
    3,
    async (stage) => {
      await stage.fund(100);
      const reward = await accounted(stage, await bought(stage));
      await accounted(stage, await boughtMore(stage));
      return moving(reward, 'EXPIRE');
    },
  ],
  [
    'carryOut after the claim window',
    3,
    async (stage) => {
      const reward = await funded(stage);
      return (activities) => activities.carryOutPending(reward, reward.claimExpiresAt);
    },
  ],
  ['a refund before the claim', 5, async (stage) => refunding(stage, await funded(stage))],
  ['a refund after the claim', 5, async (stage) => refunding(stage, await claimed(stage))],
  [
    'a refund after expiry',
    4,
    async (stage) => refunding(stage, await settled(stage, await funded(stage), 'EXPIRE')),
  ],
  [
    'refunded before its reward exists',
    6,
    async (stage) => {
      const { partnerId, rewardId, ...reward } = await bought(stage);
      await database.models.rewards.deleteOne({ partnerId, _id: rewardId });
      return refunding(stage, { partnerId, rewardId, ...reward });
    },
  ],
  ['fundWaiting', 1, async (stage) => funding(stage, await queue(stage))],
  [
    'fundWaiting of a reward cancelled meanwhile',
    1,
    async (stage) => {
      const waiting = await queue(stage);
      const [first] = waiting;
      if (!first) throw new Error('a reward should be waiting');
      await refunded(stage, first);
      return funding(stage, waiting);
    },
  ],
  [
    'carryOut of a reward that the wallet funded',
    2,
    async (stage) => {
      const waiting = await queue(stage);
      await stage.call(funding(stage, waiting));
      const [first] = waiting;
      if (!first) throw new Error('a reward should be waiting');
      return (activities) => activities.carryOutPending(first);
    },
  ],
  [
    'openReview',
    1,
    async (stage) => {
      return openingReview(await refunded(stage, await claimed(stage)));
    },
  ],
  [
    'a decision: DISMISS',
    2,
    async (stage) => deciding(await inReview(stage, await claimed(stage)), 'DISMISS'),
  ],
  [
    'a decision: UPHOLD',
    4,
    async (stage) => deciding(await inReview(stage, await claimed(stage)), 'UPHOLD'),
  ],
  [
    'a decision: UPHOLD, after points were spent',
    4,
    async (stage) => {
      const reward = await claimed(stage);
      await stage.spend(reward, 40);
      return deciding(await inReview(stage, reward), 'UPHOLD');
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
    'noteUndelivered',
    1,
    async (stage) => {
      const reward = await funded(stage);
      return (activities) => activities.noteUndelivered(reward, at);
    },
  ],
  [
    'mailPartner',
    0,
    async (stage) => {
      const reward = await funded(stage);
      const news = { missingCents: null, lowBalanceCents: 400 };
      return (activities) => activities.mailPartner(reward, news);
    },
  ],
  [
    'findWaiting',
    0,
    async (stage) => {
      await queue(stage);
      return (activities) => activities.findWaiting(stage.wallet(), null);
    },
  ],
];

/** The scenarios in which something happens to a reward that exists and is accounted for. */
const afterAccounting = /^(moved from outside|a refund|a decision)\b/;

for (const [name, leastWrites, scenario] of scenarios) {
  let run: ReturnType<typeof runUndisturbed> | undefined;
  const undisturbed = () => {
    run ??= runUndisturbed(database, scenario);
    return run;
  };

  test(`repeating is harmless: ${name}`, async (t) => {
    const alone = await undisturbed();
    t.true(alone.writes >= leastWrites);
    await assertRepeatable(t, database, scenario, alone);
  });

  if (!afterAccounting.test(name)) continue;
  test(`the next process carries out what was recorded: ${name}`, async (t) => {
    const { outcome } = await undisturbed();
    await assertRecoverable(t, database, scenario, outcome.stored);
  });
}

test('a reward that costs nothing stays funded, even if another joins the queue before the repeat', async (t) => {
  const stage = await openStage(database);
  await stage.rule({ pointValueMicros: 0 });
  const free = await boughtMore(stage);
  // The process dies between the move and the metering. A free reward has no entry in the ledger.
  const fate = { writesLeft: 1, lastIsDone: false, isDead: false };
  const account = (activities: Activities) => activities.accountReward(free, at);
  await t.throwsAsync(under(fate, () => stage.perform(stage.newProcess(), account)));

  const ruleId = await stage.rule({ _id: `${free.rewardId}/rule` });
  const ref = await stage.report(stage.purchase(), { ruleId });
  const costly = await stage.call((activities) => activities.createReward(ref));
  t.is((await accounted(stage, costly)).status, 'AWAITING_FUNDING');

  const { reward } = await stage.call(account);
  t.like(reward, { status: 'PENDING', funded: true });
  const usage = { partnerId: stage.partnerId, reference: `usage:${free.rewardId}` };
  t.is(await database.models.usageEntries.countDocuments(usage), 1);
});
