import test from 'ava';
import { purchaseActivities } from '../../activities/purchases.ts';
import { mailPatienceMs } from '../../domain/messages.ts';
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
