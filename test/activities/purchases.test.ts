import test from 'ava';
import { purchaseActivities } from '../../activities/purchases.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

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
  t.like(begun, { offer: 'SENT', reward: { funded: true } });
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
  t.like(begun, { offer: null, reward: { status: 'CANCELLED' } });
  t.is(stage.mails.size, 0);
});

test('a reward that waits for funds is offered by the step that finds it funded', async (t) => {
  const { stage, ref } = await purchase(30);
  const begun = await stage.call((activities) => activities.begin(ref, input));
  t.like(begun, {
    offer: null,
    reward: {
      status: 'AWAITING_FUNDING',
      fundingNotice: { missingCents: 70, lowBalanceCents: null },
    },
  });
  t.is(stage.mails.size, 0);
  await stage.fund(1_000);
  const funded = await stage.call((activities) => activities.look(ref, input));
  t.like(funded, { offer: 'SENT', reward: { funded: true } });
  t.is(stage.mails.size, 1);
});

const after = (ms: number) => new Date(Date.parse(at) + ms).toISOString();

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
    const deps = { models: database.models, commit: stage.process.commit, now: () => nowMs };
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
    const deps = { models: database.models, commit: stage.process.commit, now: () => 0 };
    const step = purchaseActivities(deps, { trySend }).begin(ref, input);
    t.like(await stage.call(() => step), { offer: 'UNSENT', reward: { funded: true } });
  });
}

test('a purchase whose reward was claimed already is neither funded nor offered again', async (t) => {
  const { stage, ref } = await purchase(550);
  const reward = await stage.begin(ref);
  await stage.process.move(reward, 'CLAIM');
  await stage.call((activities) => activities.look(ref, input));
  stage.mails.clear();
  const again = await stage.call((activities) => activities.begin(ref, input));
  t.like(again, { offer: null, reward: { status: 'AVAILABLE', version: 2 } });
  t.is(stage.mails.size, 0);
});

test('what acts on a row of the outbox deletes it: a begin its START, a look what the reward’s rows say', async (t) => {
  const { stage, ref } = await purchase(550);
  const { partnerId } = stage;
  const kinds = async () => {
    const rows = await database.models.outbox.find({ partnerId }).sort({ at: 1 });
    return rows.map(({ kind, signal }) => signal ?? kind);
  };
  t.deepEqual(await kinds(), ['START']);
  const reward = await stage.begin(ref);
  t.deepEqual(await kinds(), []);
  await stage.process.move(reward, 'CLAIM');
  t.deepEqual(await kinds(), ['claimed']);
  const looked = await stage.call((activities) => activities.look(ref, input));
  t.is(looked.reward.status, 'AVAILABLE');
  t.deepEqual(await kinds(), []);
});

for (const [title, atMs, status] of [
  ['before its end', -1, 'PENDING'],
  ['at its end', 0, 'EXPIRED'],
] as const) {
  test(`a look at an unclaimed reward ${title}: ${status}`, async (t) => {
    const { stage, ref } = await purchase(1_000);
    const { claimExpiresAt } = await stage.begin(ref);
    const time = new Date(Date.parse(claimExpiresAt) + atMs).toISOString();
    const look = { at: time, offeredUntil: claimExpiresAt };
    for (const _ of ['first', 'again']) {
      const { reward } = await stage.call((activities) => activities.look(ref, look));
      t.is(reward.status, status);
    }
  });
}
