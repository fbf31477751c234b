import { CompleteAsyncError } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { createAttemptRecorder } from '../../activities/messages.ts';
import { purchaseActivities } from '../../activities/purchases.ts';
import { reviewActivities } from '../../activities/reviews.ts';
import { mailPatienceMs } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { newId, refundEventIdOf } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { overridden } from '../helpers/overridden.ts';
import { type Database, openDatabase, type RequestedMove } from '../helpers/processes.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

let database: Database;

const input = { at, offeredUntil: null };

/** Records a purchase of a partner with the given funding. */
async function purchase(fundingCents: number) {
  const stage = await openStage(database);
  await stage.fund(fundingCents);
  await stage.rule();
  return { stage, ref: await stage.report(stage.purchase()) };
}

test('the claim link is sent once per claim window', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, {
    isUnsent: false,
    fundingNotice: null,
    reward: { funded: true, isPending: false },
  });
  t.is(stage.mails.size, 1);
  stage.mails.clear();
  const offeredUntil = begun.reward.claimExpiresAt;
  const next = await stage.call((activities) => activities.carryOut(ref, { at, offeredUntil }));
  t.is(next.isUnsent, null);
  t.is(stage.mails.size, 0);
});

test('a purchase that was refunded before its workflow began gets no claim link', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const reward = await stage.call((activities) => activities.createReward(ref));
  const { origin, request } = stage.refund(reward);
  await stage.process.refund(origin, request);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, { isUnsent: null, reward: { isPending: true } });
  const { reward: after, isUnsent } = await stage.call((a) => a.carryOut(ref, input));
  t.is(after.status, 'CANCELLED');
  t.is(isUnsent, null);
  t.is(stage.mails.size, 0);
});

test('a reward that waits for funds is offered by the step that finds it funded', async (t) => {
  const { stage, ref } = await purchase(30);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, {
    isUnsent: null,
    reward: { status: 'AWAITING_FUNDING' },
    fundingNotice: { missingCents: 70 },
  });
  t.is(stage.mails.size, 0);
  await stage.fund(1_000);
  await stage.call((activities) =>
    activities.fundWaiting(stage.wallet(), [begun.reward.rewardId], 1_030, at),
  );
  const funded = await stage.call((activities) => activities.carryOut(ref, input));
  t.like(funded, { isUnsent: false, reward: { funded: true } });
  t.is(stage.mails.size, 1);
});

const after = (ms: number) => new Date(Date.parse(at) + ms).toISOString();

const notices: [fundingCents: number, afterMs: number, notice: object | null][] = [
  [1_000, 0, null],
  [30, 0, { missingCents: 70, lowBalanceCents: null }],
  [550, 0, { missingCents: null, lowBalanceCents: 450 }],
  [550, mailPatienceMs, { missingCents: null, lowBalanceCents: 450 }],
  [550, mailPatienceMs + 1, null],
  [30, mailPatienceMs + 1, null],
];
for (const [fundingCents, afterMs, notice] of notices) {
  test(`the partner is notified of what was decided lately: ${fundingCents} cents, ${afterMs} ms ago`, async (t) => {
    const { stage, ref } = await purchase(fundingCents);
    const reward = await stage.call((activities) => activities.createReward(ref));
    await stage.call((activities) => activities.accountReward(reward, at));
    const again = { at: after(afterMs), offeredUntil: null };
    const { fundingNotice } = await stage.call((a) => a.beginPurchase(ref, again));
    t.deepEqual(fundingNotice, notice);
  });
}

for (const [title, nowMs, isOffered] of [
  ['before the end of the claim window', Date.parse(after(1_000)), true],
  ['long after the claim window', Date.parse(after(90 * 86_400_000)), false],
] as const) {
  test(`the claim link of a step that was retried is sent ${title}: ${isOffered}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const parts = { ...stage.process.activities, now: () => nowMs };
    const { isUnsent } = await stage.call(() =>
      purchaseActivities(parts).beginPurchase(ref, input),
    );
    t.is(isUnsent, isOffered ? false : null);
    t.is(stage.mails.size, isOffered ? 1 : 0);
  });
}

test('a purchase whose reward was claimed already is neither accounted for nor offered again', async (t) => {
  const { stage, ref } = await purchase(550);
  const { reward } = await stage.call((activities) => activities.beginPurchase(ref, input));
  await stage.process.move(reward, 'CLAIM', at);
  await stage.call((activities) => activities.carryOut(ref, input));
  stage.mails.clear();
  const again = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(again, { isUnsent: null, fundingNotice: null, reward: { status: 'AVAILABLE' } });
  t.is(stage.mails.size, 0);
});

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

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];

const partnerId = 'prt_1';
const attempt = {
  at: new Date(),
  durationMs: 1,
  status: 204,
  error: null,
  answer: '',
  retryAfterMs: null,
};

async function delivery() {
  const row = deliveryOf('whe_1', {
    type: 'test.ping',
    partnerId,
    mode: 'TEST',
    at: new Date(),
    fact: newId('webhookEvent'),
    sequence: null,
    rewardId: null,
    data: {},
  } as const);
  const { _id } = await models.webhookDeliveries.create(row);
  return await models.webhookDeliveries.findOne({ partnerId, _id }).orFail();
}

/** Models that count their writes. */
function counting() {
  const counts = { writes: 0 };
  const stored = models.webhookDeliveries.collection;
  const collection = overridden(stored, {
    bulkWrite(...args: Parameters<typeof stored.bulkWrite>) {
      counts.writes += 1;
      return stored.bulkWrite(...args);
    },
  });
  return { counts, models: { ...models, webhookDeliveries: { collection } } as typeof models };
}

const isRecorded = async ({ _id }: { _id: string }) =>
  (await models.webhookDeliveries.findOne({ partnerId, _id }).orFail()).state === 'DELIVERED';

test('attempts that end at about the same time are recorded with one write, before the end', async (t) => {
  const { counts, models: counted } = counting();
  const recorder = createAttemptRecorder(counted);
  const all = [await delivery(), await delivery()];
  for (const one of all) recorder.add({ delivery: one, attempt });
  t.is(counts.writes, 0);
  await eventually(async () => (await Promise.all(all.map(isRecorded))).every(Boolean), 'both');
  t.is(counts.writes, 1);
  const later = await delivery();
  recorder.add({ delivery: later, attempt });
  await eventually(async () => await isRecorded(later), 'the next batch');
  await recorder.end();
  t.is(counts.writes, 2, 'nothing was left to write');
});

test('the rest is recorded at the end, and not once more afterwards', async (t) => {
  const { counts, models: counted } = counting();
  const recorder = createAttemptRecorder(counted);
  const one = await delivery();
  recorder.add({ delivery: one, attempt });
  await recorder.end();
  t.true(await isRecorded(one));
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.is(counts.writes, 1);
});

test('a write that fails fails the end, whenever it was made', async (t) => {
  const collection = { bulkWrite: () => Promise.reject(new Error('the database is away')) };
  const failing = { webhookDeliveries: { collection } } as unknown as typeof models;
  const recorder = createAttemptRecorder(failing);
  recorder.add({ delivery: await delivery(), attempt });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await t.throwsAsync(recorder.end(), { message: 'the database is away' });
});

const logger = new DefaultLogger('ERROR');
const hourMs = 3_600_000;

test.before(async () => {
  database = await openDatabase();
  ({ models, giveBack } = await takeDatabase());
});

test.after.always(async () => {
  await giveBack?.();
  await database?.close();
});

/** A claimed reward whose refund was recorded: it waits for its review to be opened. */
async function inReview() {
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  // Its order is not the first, which every stage has.
  await stage.call(async (a) => a.createReward(await stage.report(stage.purchase())));
  const ref = await stage.report(stage.purchase());
  const { reward } = await stage.call((a) => a.beginPurchase(ref, { at, offeredUntil: null }));
  await stage.process.move(reward, 'CLAIM', at);
  await stage.call((activities) => activities.carryOutPending(reward));
  const { origin, request } = stage.refund(reward);
  await stage.process.refund(origin, request);
  const refunded = await stage.call((activities) => activities.carryOutPending(reward));
  if (!refunded.review) throw new Error('it is in review');
  return { stage, reward: refunded, review: { ...refunded.review, dueMs: 3 * hourMs } };
}

test('a review is opened with what the operators need, once', async (t) => {
  const { stage, reward, review } = await inReview();
  const { partnerId, rewardId, mode, points, externalOrderId } = reward;
  const { reviewId, openedAt } = review;
  for (const _ of ['first', 'again']) {
    await stage.call((activities) =>
      activities.openReview({ ...reward, externalOrderId: 'its short form' }, review),
    );
  }
  const stored = await database.models.reviews.find({ partnerId });
  t.is(stored.length, 1);
  t.like(stored[0], {
    _id: reviewId,
    partnerId,
    rewardId,
    mode,
    points,
    externalOrderId,
    refundEventId: refundEventIdOf(reviewId),
    status: 'OPEN',
    rounds: 1,
    decision: null,
    openedAt: new Date(openedAt),
    dueAt: new Date(Date.parse(openedAt) + 3 * hourMs),
  });
  t.regex(stored[0]?.workflowId ?? '', /^workflow /);
});

for (const [attempt, rounds] of [
  [1, 1],
  [2, 2],
  [3, 3],
] as const) {
  test(`a review is put to the operators once per attempt: ${attempt}`, async (t) => {
    const { stage, reward, review } = await inReview();
    await stage.call((activities) => activities.openReview(reward, review));
    const { adminReview } = reviewActivities({ models: database.models });
    const environment = new MockActivityEnvironment({ attempt }, { logger });
    const waiting = environment.run(() => adminReview(reward, review));
    await t.throwsAsync(waiting, { instanceOf: CompleteAsyncError });
    const { partnerId } = reward;
    const stored = await database.models.reviews.findOne({ partnerId }).orFail();
    t.like(stored, { status: 'OPEN', rounds });
  });
}
