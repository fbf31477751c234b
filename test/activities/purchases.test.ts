import test from 'ava';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { at, openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const input = { at, offeredUntil: null };

/** A partner with so much funding, and a purchase that was recorded. */
async function purchase(fundingCents: number) {
  const stage = await openStage(database);
  await stage.fund(fundingCents);
  await stage.rule();
  return { stage, ref: await stage.report(stage.purchase()) };
}

test('the claim link is sent once per claim window', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, { unsent: [], fundingNotice: null, reward: { funded: true, isPending: false } });
  t.is(stage.mails.size, 1);
  stage.mails.clear();
  const offeredUntil = begun.reward.claimExpiresAt;
  const next = await stage.call((activities) => activities.carryOut(ref, { at, offeredUntil }));
  t.is(next.unsent, null);
  t.is(stage.mails.size, 0);
});

test('a purchase that was refunded before its workflow began gets no claim link', async (t) => {
  const { stage, ref } = await purchase(1_000);
  const reward = await stage.call((activities) => activities.createReward(ref));
  const { origin, request } = stage.refund(reward);
  await stage.process.refund(origin, request);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, { unsent: null, reward: { isPending: true } });
  const { reward: after, unsent } = await stage.call((a) => a.carryOut(ref, input));
  t.is(after.status, 'CANCELLED');
  t.is(unsent, null);
  t.is(stage.mails.size, 0);
});

test('a reward that waits for funds is offered by the step that finds it funded', async (t) => {
  const { stage, ref } = await purchase(30);
  const begun = await stage.call((activities) => activities.beginPurchase(ref, input));
  t.like(begun, {
    unsent: null,
    reward: { status: 'AWAITING_FUNDING' },
    fundingNotice: { missingCents: 70 },
  });
  t.is(stage.mails.size, 0);
  await stage.fund(1_000);
  await stage.call((activities) =>
    activities.fundWaiting(stage.wallet(), [begun.reward.rewardId], 1_030, at),
  );
  const funded = await stage.call((activities) => activities.carryOut(ref, input));
  t.like(funded, { unsent: [], reward: { funded: true } });
  t.is(stage.mails.size, 1);
});
