import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import { walletOf } from '../../domain/postings.ts';
import { findEntry } from '../../models/ledger/index.ts';
import { type Service, startService } from '../helpers/service.ts';
import { createScene, rewardCents, type Scene } from './helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

const codeOf = (reply: { body: { error?: { code: string } } }) => reply.body.error?.code;

const funds = { fundingCents: 1_000 };
const fundedPartner = () => scene.partner('LIVE', funds);

test('LIVE: a purchase is accepted: the reward waits for the customer’s claim', async (t) => {
  const { body } = await (await fundedPartner()).purchase();
  t.like(body.reward, {
    points: 499,
    status: 'PENDING',
    customerStatus: 'AWAITING_CUSTOMER_CLAIM',
  });
});

test('LIVE: the wallet has sufficient funds: the reward is funded', async (t) => {
  const partner = await fundedPartner();
  const bought = await scene.funded(partner);
  t.like(await scene.rewardOf(bought), { status: 'PENDING', funded: true });
  t.deepEqual(await scene.wallet(partner), {
    fundingCents: 1_000 - rewardCents,
    reservedCents: rewardCents,
    owedCents: 0,
  });
});

test('LIVE: the wallet has insufficient funds: the reward waits for funding, and nobody can claim it', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 1 });
  const bought = await scene.buy(partner);
  await scene.onceStatus(bought, 'AWAITING_FUNDING');
  t.is(codeOf(await scene.claim(bought)), 'REWARD_NOT_CLAIMABLE');
  t.like(await scene.wallet(partner), { fundingCents: 1, reservedCents: 0 });
});

test('LIVE: the customer claims: the reserved money is owed to them', async (t) => {
  const partner = await fundedPartner();
  const bought = await scene.funded(partner);
  t.is((await scene.claim(bought)).body.reward.customerStatus, 'CLAIMED');
  t.like(await scene.rewardOf(bought), { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  t.deepEqual(await scene.wallet(partner), {
    fundingCents: 1_000 - rewardCents,
    reservedCents: 0,
    owedCents: rewardCents,
  });
  await scene.closed(bought);
});

test('LIVE: a refund before the claim cancels the reward, and its money is free again', async (t) => {
  const partner = await fundedPartner();
  const bought = await scene.funded(partner);
  const { body } = await scene.refund(bought);
  t.is(body.refund.status, 'CANCELLED');
  t.is(body.reward.status, 'CANCELLED');
  await scene.closed(bought);
  t.deepEqual(await scene.wallet(partner), untouched);
  t.is(codeOf(await scene.claim(bought)), 'REWARD_NOT_CLAIMABLE');
});

test('LIVE: a refund after the claim opens a review, and no balance moves', async (t) => {
  const { partner, bought } = await inReview('LIVE');
  t.like(await scene.rewardOf(bought), { status: 'ADMIN_REVIEW', customerStatus: 'CLAIMED' });
  t.like(await scene.wallet(partner), { reservedCents: 0, owedCents: rewardCents });
});

/** TEST has the same rows, with the integration's test funding. Those above are run in TEST by the tests of activities. */
for (const mode of ['TEST', 'LIVE'] as const) {
  test(`${mode}: the claim window ends: the reward expires and its money is free again`, async (t) => {
    const partner = await scene.partner(mode, { ...funds, rule: { claimWindow: 'PT1S' } });
    const bought = await scene.buy(partner);
    const expired = await scene.onceStatus(bought, 'EXPIRED');
    t.is(expired.customerStatus, 'CLAIM_EXPIRED');
    await scene.closed(bought);
    t.deepEqual(await scene.wallet(partner), untouched);
    t.is(codeOf(await scene.claim(bought)), 'CLAIM_EXPIRED');
  });

  test(`${mode}: another refund of a cancelled, expired or reviewed order is recorded and changes nothing`, async (t) => {
    const cancelled = await scene.buy(await scene.partner(mode, funds));
    await scene.refund(cancelled);
    const expired = await scene.buy(
      await scene.partner(mode, { ...funds, rule: { claimWindow: 'PT1S' } }),
    );
    await scene.onceStatus(expired, 'EXPIRED');
    const { bought: reviewed, reviewId } = await inReview(mode);
    for (const [bought, status] of [
      [cancelled, 'CANCELLED'],
      [expired, 'NO_ACTION'],
      [reviewed, 'ADMIN_REVIEW'],
    ] as const) {
      const before = await scene.rewardOf(bought);
      const { status: http, body } = await scene.refund(bought, 'another');
      t.is(http, 201);
      t.is(body.refund.status, status);
      t.is(body.reward.status, before.status);
      const after = await scene.rewardOf(bought);
      t.is(after.status, before.status);
      t.true(await hasEvent(body.eventId));
    }
    t.is(await scene.reviewOf(reviewed), reviewId);
  });

  test(`${mode}: a reward whose refund was dismissed can be refunded again, with a new review`, async (t) => {
    const { bought, reviewId } = await inReview(mode);
    await scene.decide(reviewId, 'DISMISS');
    t.is((await scene.refund(bought, 'second')).body.refund.status, 'ADMIN_REVIEW');
    const second = await scene.reviewOf(bought);
    t.not(second, reviewId);
    await scene.decide(second, 'UPHOLD');
    t.is((await scene.rewardOf(bought)).status, 'CANCELLED');
  });

  test(`${mode}: a top-up funds the waiting reward, and its claim window starts anew`, async (t) => {
    const partner = await scene.partner(mode, { fundingCents: 1 });
    const bought = await scene.buy(partner);
    const waiting = await scene.onceStatus(bought, 'AWAITING_FUNDING');
    await scene.topUp(partner, rewardCents);
    const funded = await scene.onceStatus(bought, 'PENDING');
    t.true(funded.funded);
    t.true(funded.claimExpiresAt > waiting.claimExpiresAt);
    t.like(await scene.wallet(partner), { fundingCents: 1, reservedCents: rewardCents });
    t.is((await scene.claim(bought)).status, 200);
  });

  test(`${mode}: a reward waiting for funds expires as well`, async (t) => {
    const bought = await scene.boughtBriefly(
      mode,
      { fundingCents: 1 },
      ({ status }) => status === 'AWAITING_FUNDING',
    );
    const { partner } = bought;
    const { moves } = await scene.onceStatus(bought, 'EXPIRED');
    t.deepEqual(
      moves.map(({ move }) => move),
      ['RUN_SHORT', 'EXPIRE'],
    );
    await scene.topUp(partner, 10_000);
    await scene.closed(bought);
    t.like(await scene.wallet(partner), { fundingCents: 10_001, reservedCents: 0 });
  });

  test(`${mode}: a refund cancels a reward waiting for funds`, async (t) => {
    const partner = await scene.partner(mode, { fundingCents: 1 });
    const bought = await scene.buy(partner);
    await scene.onceStatus(bought, 'AWAITING_FUNDING');
    t.is((await scene.refund(bought)).body.refund.status, 'CANCELLED');
    await scene.topUp(partner, 10_000);
    await scene.closed(bought);
    t.like(await scene.wallet(partner), { fundingCents: 10_001, reservedCents: 0 });
  });

  test(`${mode}: an admin upholds the refund: the points and the money are taken back`, async (t) => {
    const { partner, bought, reviewId } = await inReview(mode);
    t.is((await scene.decide(reviewId, 'UPHOLD')).status, 200);
    t.like(await scene.rewardOf(bought), { status: 'CANCELLED', customerStatus: 'CANCELLED' });
    t.deepEqual(await scene.wallet(partner), untouched);
    await scene.closed(bought);
  });

  test(`${mode}: an admin dismisses the refund: the reward stays the customer’s`, async (t) => {
    const { partner, bought, reviewId } = await inReview(mode);
    t.is((await scene.decide(reviewId, 'DISMISS')).status, 200);
    t.like(await scene.rewardOf(bought), { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
    t.like(await scene.wallet(partner), { reservedCents: 0, owedCents: rewardCents });
    await scene.closed(bought);
  });
}

/** The balances of a partner whose 10.00 are all available. */
const untouched = { fundingCents: 1_000, reservedCents: 0, owedCents: 0 };

async function inReview(mode: Mode) {
  const partner = await scene.partner(mode, funds);
  const bought = await scene.funded(partner);
  await scene.claim(bought);
  const { body } = await scene.refund(bought);
  if (body.refund.status !== 'ADMIN_REVIEW') throw new Error(`the refund is ${body.refund.status}`);
  return { partner, bought, reviewId: await scene.reviewOf(bought) };
}

const hasEvent = async (eventId: string) =>
  (await service.models.orderEvents.exists({ _id: eventId })) !== null;

test('LIVE: a refund is upheld after points were spent: the loss is written off, no balance goes below zero', async (t) => {
  const { partner, bought, reviewId } = await inReview('LIVE');
  const { customerId } = await scene.rewardOf(bought);
  await scene.admin.post(`/customers/${customerId}/redemptions`, { points: 300, reference: 'v' });
  await scene.decide(reviewId, 'UPHOLD');
  t.like(await scene.rewardOf(bought), { status: 'CANCELLED' });
  await service.carriedOut(partner);
  t.like((await scene.admin.get(`/customers/${customerId}`)).body, { points: 0, owedCents: 0 });
  t.deepEqual(await scene.wallet(partner), {
    fundingCents: 1_000 - 300,
    reservedCents: 0,
    owedCents: 0,
  });
  const written = await findEntry(service.models, walletOf(partner), `clawback:${bought.rewardId}`);
  t.is(written?.postings.find(({ account }) => account === 'writeOff')?.amount, 300);
});

test('TEST without test funding: every reward counts as funded', async (t) => {
  const bought = await scene.funded(await scene.partner('TEST'));
  t.is((await scene.claim(bought)).status, 200);
});
