import { randomUUID } from 'node:crypto';
import test from 'ava';
import { eventually } from '../helpers/eventually.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';

let service: Service;
let town: Town;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  town = townOf(service);
  partner = await town.partner('LIVE');
});
test.after.always(() => service.stop());

/** A purchase of 49.90, which earns 499 points, and how parts of it are refunded. */
async function bought(from: PartnerBackend = partner) {
  const purchase = await town.funded(from);
  const { externalOrderId } = purchase;
  const part = (amountCents: number, externalRefundId: string = randomUUID()) =>
    from.refund({ externalOrderId, externalRefundId, amountCents });
  return { ...purchase, part };
}

/** What is stored of a reward, without what its workflow has to be told, which ends by itself. */
async function stored(rewardId: string) {
  const { due: _, ...reward } = await service.models.rewards.findById(rewardId).orFail();
  return reward;
}

test('a refund of a part reduces an unclaimed reward, and says what it was and what remains', async (t) => {
  const { rewardId, part, externalOrderId } = await bought();
  const { status, body } = await part(1_200, 'the blue one');
  t.is(status, 201);
  t.deepEqual(body.refund, {
    externalRefundId: 'the blue one',
    status: 'REDUCED',
    amountCents: 1_200,
  });
  t.deepEqual(body.reward, { id: rewardId, points: 379, status: 'PENDING' });
  const { body: read } = await partner.send(undefined, {
    method: 'GET',
    path: `/api/v1/partner/rewards/${rewardId}`,
  });
  t.is(read.reward.points, 379);
  t.like(read.reward.refunds[0], { status: 'REDUCED', amountCents: 1_200 });
  const { liabilityCents, arithmetic } = await stored(rewardId);
  t.is(liabilityCents, 379);
  t.is(arithmetic.explanation, 'of 4990, 1200 came back: floor(3790 × 10 / 100) = 379');

  const { body: rest } = await partner.refund({ externalOrderId });
  t.like(rest.refund, { status: 'CANCELLED', amountCents: 3_790 });
  t.like(rest.reward, { points: 379, status: 'CANCELLED' });
});

test('a refund of more than is left is refused with what is left, and changes nothing', async (t) => {
  const { rewardId, part } = await bought();
  await part(4_000);
  const before = await stored(rewardId);
  const { status, body } = await part(991);
  t.is(status, 422);
  t.is(body.error.code, 'REFUND_EXCEEDS_ORDER');
  t.regex(body.error.message, /\$9\.90 .* at most 990/);
  t.deepEqual(await stored(rewardId), before);
  t.is((await part(990)).body.refund.status, 'CANCELLED');
  t.regex((await part(1)).body.error.message, /^\$0\.00 of .* is left to refund\. /);
});

test('a refund of a part needs an id of its own and a whole amount', async (t) => {
  const { externalOrderId, part } = await bought();
  const { status, body } = await partner.refund({ externalOrderId, amountCents: 100 });
  t.is(status, 400);
  t.is(body.error.code, 'VALIDATION_FAILED');
  t.regex(body.error.message, /externalRefundId is required with amountCents/);
  for (const amount of [0, -1, 1.5, '100', true]) {
    const refused = await part(amount as number);
    t.is(refused.status, 400, String(amount));
    t.regex(refused.body.error.message, /amountCents/);
  }
});

test('equal parts that are refunded at once are one refund, even if two would exceed the order', async (t) => {
  const { externalOrderId } = await bought();
  const part = { externalOrderId, externalRefundId: 'same', amountCents: 4_000 };
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => partner.refund(part, { idempotencyKey: 'same' })),
  );
  const texts = [...new Set(replies.map(({ text }) => text))];
  t.deepEqual(texts, texts.slice(0, 1));
  t.true(replies.every(({ status }) => status === 201));
});

test('parts that are refunded at once never exceed their order', async (t) => {
  const { rewardId, part } = await bought();
  const replies = await Promise.all(Array.from({ length: 8 }, () => part(1_000)));
  t.is(replies.filter(({ status }) => status === 201).length, 4);
  t.like(await stored(rewardId), { refundedCents: 4_000, points: 99, liabilityCents: 99 });
});

test('parts of a claimed order are one review with their sum; upheld, the difference alone is taken back', async (t) => {
  const shop = await town.partner('LIVE');
  const order = await bought(shop);
  const { rewardId, part } = order;
  await town.claim(order);
  const before = await town.wallet(shop);
  const first = await part(1_200);
  t.like(first.body.refund, { status: 'ADMIN_REVIEW', amountCents: 1_200 });
  t.like(first.body.reward, { points: 499, status: 'ADMIN_REVIEW' });
  await part(800);
  const reviews = await service.models.reviews.find({ rewardId });
  t.is(reviews.length, 1);
  t.like(reviews[0], { amountCents: 2_000, points: 200, liabilityCents: 200, status: 'OPEN' });

  t.is((await town.decide(await town.reviewOf(order), 'UPHOLD')).status, 200);
  t.like(await stored(rewardId), { state: 'AVAILABLE', points: 299, liabilityCents: 299 });
  const after = await town.wallet(shop);
  t.is(after.fundingCents - before.fundingCents, 200);
  const told = await eventually(
    async () => service.mails.find(({ id }) => id === `taken-back-${reviews[0]?._id}`),
    'the customer is told',
  );
  t.regex(told.text, /200 of the points you claimed for it were taken back\. You keep 299 points/);

  await town.refund(order);
  t.is((await town.decide(await town.reviewOf(order), 'UPHOLD')).status, 200);
  t.like(await stored(rewardId), { state: 'CANCELLED', points: 299, refundedCents: 4_990 });
  const emptied = await town.wallet(shop);
  t.is(emptied.fundingCents - before.fundingCents, 499);
});

test('a dismissed part leaves the reward as it was, and can be refunded again', async (t) => {
  const order = await bought();
  await town.claim(order);
  await order.part(1_200);
  await town.decide(await town.reviewOf(order), 'DISMISS');
  t.like(await stored(order.rewardId), { state: 'AVAILABLE', points: 499, refundedCents: 0 });
  t.is((await order.part(4_990)).status, 201);
});

test('an operator who saw less than a review is about by now decides nothing', async (t) => {
  const order = await bought();
  await town.claim(order);
  await order.part(1_200);
  const reviewId = await town.reviewOf(order);
  await order.part(800);
  const seen = { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED', amountCents: 1_200 };
  const refused = await town.admin.post(`/reviews/${reviewId}/decision`, seen);
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /Another refund of the order has been reported/);
  t.is((await stored(order.rewardId)).state, 'IN_REVIEW');
  const now = { ...seen, amountCents: 2_000 };
  t.is((await town.admin.post(`/reviews/${reviewId}/decision`, now)).status, 200);
  t.is((await stored(order.rewardId)).points, 299);
});
