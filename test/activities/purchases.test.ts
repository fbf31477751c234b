import { CompleteAsyncError } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { createAttemptRecorder } from '../../activities/attempt-recorder.ts';
import { purchaseActivities } from '../../activities/purchases.ts';
import { redemptionActivities } from '../../activities/redemptions.ts';
import { reviewActivities } from '../../activities/reviews.ts';
import { createCommit } from '../../models/commit.ts';
import { databaseTime } from '../../models/store/database-time.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { newId } from '../../platform/ids.ts';
import { whatIsDue } from '../helpers/due.ts';
import { eventually } from '../helpers/eventually.ts';
import { overridden } from '../helpers/overridden.ts';
import { patienceMs } from '../helpers/patience.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
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
  const begun = await stage.call((activities) => activities.begin(ref, input));
  t.like(begun, { offer: 'SENT', reward: { state: 'FUNDED' } });
  t.is(stage.mails.size, 1);
  stage.mails.clear();
  const offeredUntil = begun.reward.claimExpiresAt;
  const next = await stage.call((activities) => activities.look(ref, { at, offeredUntil }));
  t.is(next.offer, null);
  t.is(stage.mails.size, 0);
});

test('a purchase that was refunded before its workflow began gets no claim link', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const event = await database.models.orderEvents.findById(ref.purchaseEventId).orFail();
  const { origin, request } = stage.refund(event);
  await stage.process.refund(origin, request);
  const begun = await stage.call((activities) => activities.begin(ref, input));
  t.like(begun, { offer: null, reward: { state: 'CANCELLED' } });
  t.is(stage.mails.size, 0);
});

test('a reward that waits for funds is offered by the step that finds it funded', async (t) => {
  const { stage, ref } = await purchase(30);
  const begun = await stage.call((activities) => activities.begin(ref, input));
  t.like(begun, {
    offer: null,
    reward: {
      state: 'AWAITING_FUNDING',
      fundingNotice: { missingCents: 70, lowBalanceCents: null },
    },
  });
  t.is(stage.mails.size, 0);
  await stage.fund(1_000);
  const funded = await stage.call((activities) => activities.look(ref, input));
  t.like(funded, { offer: 'SENT', reward: { state: 'FUNDED' } });
  t.is(stage.mails.size, 1);
});

/** The dependencies of a process whose clock says this. */
const depsOf = ({ process: { commit } }: Stage, nowMs: number) => ({
  models: database.models,
  commit,
  now: () => nowMs,
  databaseTime: (notBefore?: Date) => databaseTime(database.models, notBefore),
});

const after = (ms: number) => new Date(Date.parse(at) + ms).toISOString();

test('the step at the end of a hold ends it by the database’s clock, and offers the claim link', async (t) => {
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule({ holdFor: 'P14D' });
  const ref = await stage.report(stage.purchase());
  const begun = await stage.call((activities) => activities.begin(ref, input));
  const { claimableFrom = '' } = begun.reward;
  t.is(claimableFrom, after(14 * 86_400_000));
  t.like(begun, { offer: null, reward: { state: 'FUNDED', version: 1 } });
  t.is(stage.mails.size, 0);
  const early = await stage.call((activities) => activities.look(ref, input));
  t.like(early, { offer: null, reward: { version: 1 } });
  const atEnd = { at: claimableFrom, offeredUntil: null };
  const databaseClock = async () => new Date(claimableFrom);
  const deps = { ...depsOf(stage, Date.parse(claimableFrom)), databaseTime: databaseClock };
  for (const offer of ['SENT', null] as const) {
    const { reward, ...step } = await stage.call(() =>
      purchaseActivities(deps, { trySend: async () => true }).look(ref, {
        ...atEnd,
        offeredUntil: offer === null ? begun.reward.claimExpiresAt : null,
      }),
    );
    t.is(step.offer, offer);
    t.like(reward, { state: 'FUNDED', version: 2, claimExpiresAt: begun.reward.claimExpiresAt });
  }
});

const notices: [fundingCents: number, notice: object | null][] = [
  [1_000, null],
  [30, { missingCents: 70, lowBalanceCents: null }],
  [550, { missingCents: null, lowBalanceCents: 450 }],
];
for (const [fundingCents, notice] of notices) {
  test(`what the partner is told of its funds is decided when the purchase begins: ${fundingCents} cents`, async (t) => {
    const { stage, ref } = await purchase(fundingCents);
    for (const _ of ['first', 'again']) {
      t.deepEqual((await stage.begin(ref)).fundingNotice, notice);
    }
  });
}

for (const [title, nowMs, isOffered] of [
  ['before the end of the claim window', Date.parse(after(1_000)), true],
  ['long after the claim window', Date.parse(after(90 * 86_400_000)), false],
] as const) {
  test(`the claim link of a step that was retried is sent ${title}: ${isOffered}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const deps = depsOf(stage, nowMs);
    let sent = 0;
    const trySend = async () => {
      sent += 1;
      return true;
    };
    const { offer } = await stage.call(() =>
      purchaseActivities(deps, { trySend }).begin(ref, input),
    );
    t.is(offer, isOffered ? 'SENT' : null);
    t.is(sent, isOffered ? 1 : 0);
  });
}

for (const [title, trySend] of [
  ['fails', () => Promise.reject(new Error('away'))],
  ['is not made', async () => false],
] as const) {
  test(`the step goes on if the attempt to send the claim link ${title}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const deps = depsOf(stage, 0);
    const step = purchaseActivities(deps, { trySend }).begin(ref, input);
    t.like(await stage.call(() => step), { offer: 'UNSENT', reward: { state: 'FUNDED' } });
  });
}

test('a purchase whose reward was claimed already is neither funded nor offered again', async (t) => {
  const { stage, ref } = await purchase(550);
  const reward = await stage.begin(ref);
  await stage.process.move(reward, 'CLAIM');
  await stage.call((activities) => activities.look(ref, input));
  stage.mails.clear();
  const again = await stage.call((activities) => activities.begin(ref, input));
  t.like(again, { offer: null, reward: { state: 'AVAILABLE', version: 2 } });
  t.is(stage.mails.size, 0);
});

test('what acts on what is due clears it: a begin that of the purchase, a look that of the reward', async (t) => {
  const { stage, ref } = await purchase(550);
  const { partnerId } = stage;
  const kinds = () => whatIsDue(database.models, partnerId);
  t.deepEqual(await kinds(), ['START']);
  const reward = await stage.begin(ref);
  t.deepEqual(await kinds(), []);
  await stage.process.move(reward, 'CLAIM');
  t.deepEqual(await kinds(), ['claimed']);
  const looked = await stage.call((activities) => activities.look(ref, input));
  t.is(looked.reward.state, 'AVAILABLE');
  t.deepEqual(await kinds(), []);
});

for (const [title, atMs, state] of [
  ['before its end', -1, 'FUNDED'],
  ['at its end', 0, 'EXPIRED'],
] as const) {
  test(`a look at an unclaimed reward ${title}: ${state}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const { claimExpiresAt } = await stage.begin(ref);
    const time = new Date(Date.parse(claimExpiresAt) + atMs).toISOString();
    const look = { at: time, offeredUntil: claimExpiresAt };
    for (const _ of ['first', 'again']) {
      const { reward } = await stage.call((activities) => activities.look(ref, look));
      t.is(reward.state, state);
    }
  });
}

const untilMs = { 'a minute': 60_000, 'a moment': 300 };
const fourMinutes = 240_000;
for (const [title, left, ahead, state] of [
  ['a worker whose clock is ahead', 'a minute', 0, 'FUNDED'],
  ['a server of Temporal whose clock is a moment ahead', 'a moment', 300, 'EXPIRED'],
] as const) {
  test(`a window ends by the database’s clock, in ${left}, with ${title}: ${state}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const { claimExpiresAt: offeredUntil } = await stage.begin(ref);
    const { partnerId } = stage;
    const claimExpiresAt = new Date(Date.now() + untilMs[left]);
    await database.models.rewards.updateOne({ partnerId }, { $set: { claimExpiresAt } });
    const now = () => Date.now() + fourMinutes;
    const { hashKey, models } = database;
    const deps = {
      ...depsOf(stage, 0),
      now,
      commit: createCommit({ models, hashKey, now, patienceMs }),
    };
    const { look } = purchaseActivities(deps, { trySend: async () => true });
    const input = { at: new Date(Date.now() + ahead).toISOString(), offeredUntil };
    const { reward } = await stage.call(() => look(ref, input));
    t.is(reward.state, state);
    if (state === 'EXPIRED') t.true(Date.now() >= claimExpiresAt.getTime());
  });
}

test('a window that is over by Temporal’s clock alone is looked at again later', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const { claimExpiresAt: offeredUntil } = await stage.begin(ref);
  const { partnerId } = stage;
  const claimExpiresAt = new Date(Date.now() + fourMinutes);
  await database.models.rewards.updateOne({ partnerId }, { $set: { claimExpiresAt } });
  const { look } = purchaseActivities(depsOf(stage, 0), { trySend: async () => true });
  const input = { at: claimExpiresAt.toISOString(), offeredUntil };
  await t.throwsAsync(
    stage.call(() => look(ref, input)),
    { message: /by the database’s clock/ },
  );
  t.is((await database.models.rewards.findOne({ partnerId }))?.state, 'FUNDED');
});

test('a worker whose clock is ahead ends no hold early', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  await stage.fund(1_000);
  const reward = await stage.begin(await stage.report(stage.purchase()));
  await stage.process.move(reward, 'CLAIM');
  const { origin, request } = stage.redemption();
  await stage.process.redeem(origin, { ...request, hold: true });
  const { partnerId } = stage;
  const { redemptions } = database.models;
  const { endOverdueHolds } = redemptionActivities(depsOf(stage, Date.now() + fourMinutes));
  for (const [leftMs, status] of [
    [60_000, 'HELD'],
    [-120_000, 'EXPIRED'],
  ] as const) {
    const expiresAt = new Date(Date.now() + leftMs);
    await redemptions.updateOne({ partnerId }, { $set: { expiresAt } });
    await stage.call(endOverdueHolds);
    t.is((await redemptions.findOne({ partnerId }))?.status, status);
  }
});

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
    rewards.map(({ state }) => state),
    ['CANCELLED', 'FUNDED', 'FUNDED'],
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

test('the refund of a purchase that has not started gives the customer’s daily cap back', async (t) => {
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

let models: Database['models'];

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
    cause: newId('webhookEvent'),
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
  ({ models } = database);
});

test.after.always(async () => {
  await database?.close();
});

/** A claimed reward whose refund was recorded: it waits for its review to be opened. */
async function inReview() {
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  // Its order is not the first, which every stage has.
  await stage.begin(await stage.report(stage.purchase()));
  const reward = await stage.begin(await stage.report(stage.purchase()));
  await stage.process.move(reward, 'CLAIM');
  const { origin, request } = stage.refund(reward);
  for (const _ of ['first', 'again']) await stage.process.refund(origin, request);
  const refunded = await stage.reward(reward);
  if (!refunded.review) throw new Error('it is in review');
  return { stage, reward: refunded, review: refunded.review };
}

test('a review is opened with what the operators need, once', async (t) => {
  const { reward, review } = await inReview();
  const { partnerId, rewardId, mode, points, externalOrderId } = reward;
  const { reviewId, openedAt } = review;
  const stored = await database.models.reviews.find({ partnerId });
  t.is(stored.length, 1);
  t.like(stored[0], {
    _id: reviewId,
    partnerId,
    rewardId,
    mode,
    points,
    externalOrderId,
    refundEventId: reviewId.replace('rev_', 'evt_'),
    status: 'OPEN',
    rounds: 1,
    decision: null,
    openedAt: new Date(openedAt),
    dueAt: new Date(Date.parse(openedAt) + 24 * hourMs),
  });
  t.regex(stored[0]?.workflowId ?? '', /^workflow /);
});

for (const [attempt, rounds] of [
  [1, 1],
  [2, 2],
  [3, 3],
] as const) {
  test(`a review is put to the operators once per attempt: ${attempt}`, async (t) => {
    const { reward, review } = await inReview();
    const { adminReview } = reviewActivities({ models: database.models });
    const environment = new MockActivityEnvironment({ attempt }, { logger });
    const waiting = environment.run(() => adminReview(reward, review));
    await t.throwsAsync(waiting, { instanceOf: CompleteAsyncError });
    const { partnerId } = reward;
    const stored = await database.models.reviews.findOne({ partnerId }).orFail();
    t.like(stored, { status: 'OPEN', rounds });
  });
}
