import test from 'ava';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { anotherOperator, auditOf, Operator } from './helpers/operator.ts';

let service: OwnService;
let ada: Operator;
let bob: Operator;
let partner: PartnerBackend;
test.before(async () => {
  service = await startOwnService();
  ada = new Operator(service, service.adminToken);
  bob = await anotherOperator(service, 'Bob');
  partner = await service.partner();
});
test.after.always(() => service?.stop());

/** A purchase whose reward the customer claimed. */
async function aClaimed() {
  const purchase = aPurchase({
    customer: { email: 'jane@example.com' },
    metadata: { note: 'for Jane' },
  });
  const { body } = await partner.purchase(purchase, {
    idempotencyKey: `key-${purchase.externalOrderId}`,
  });
  const claimToken = await claimTokenOf(service, body.eventId);
  await service.claim(claimToken);
  return {
    order: purchase.externalOrderId,
    rewardId: body.reward.id as string,
    eventId: body.eventId as string,
    claimToken,
  };
}

/** A refund of a claimed reward, before the admins. */
async function aReview() {
  const claimed = await aClaimed();
  const refund = await partner.refund({
    externalOrderId: claimed.order,
    reason: 'Jane sent it back',
  });
  const rewardId = claimed.rewardId;
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }).lean(),
    'a review',
  );
  return { ...claimed, reviewId: review._id, refundEventId: refund.body.eventId as string };
}

const uphold = {
  decision: 'UPHOLD',
  reasonCode: 'GOODS_RETURNED',
  reason: 'the parcel came back',
};
const dismiss = { decision: 'DISMISS', reasonCode: 'GOODWILL', reason: uphold.reason };

test('an open review is listed with its reward, its due time and the link to its workflow', async (t) => {
  const { reviewId, rewardId, order, refundEventId } = await aReview();
  const { items } = (await ada.get('/reviews?status=OPEN&limit=100')).body;
  const review = items.find((item: { reviewId: string }) => item.reviewId === reviewId);
  t.like(review, {
    rewardId,
    refundEventId,
    externalOrderId: order,
    partnerId: partner.partnerId,
    mode: 'TEST',
    points: 499,
    status: 'OPEN',
    overdue: false,
    rounds: 1,
    decision: null,
  });
  t.true(
    review.temporalUrl.startsWith(`${service.config.temporal.uiUrl}/namespaces/default/workflows/`),
  );
  t.true(review.temporalUrl.endsWith(encodeURIComponent(review.workflowId)));
});

test('a decision to uphold cancels the reward; who and why are kept, the reason sealed', async (t) => {
  const { reviewId, rewardId } = await aReview();
  const reply = await ada.post(`/reviews/${reviewId}/decision`, uphold);
  t.is(reply.status, 200);
  t.like(reply.body, { reviewId, status: 'DECIDED', overdue: false });
  const { reasonCode, reason } = uphold;
  t.like(reply.body.decision, { verdict: 'UPHOLD', reasonCode, reason });
  t.regex(reply.body.decision.operatorId, /^opr_/);
  t.is((await ada.get(`/rewards/${rewardId}`)).body.status, 'CANCELLED');
  const entries = await auditOf(service, reply);
  t.is(entries.length, 1);
  t.like(entries[0], {
    action: 'review.decide',
    targetId: reviewId,
    details: { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' },
  });
  const shown = await ada.get(`/reviews/${reviewId}`);
  t.like((await auditOf(service, shown))[0], { action: 'review.read', targetId: reviewId });
  const listed = await ada.get('/reviews?status=DECIDED&limit=100');
  const [read] = await auditOf(service, listed);
  t.true(JSON.stringify(read?.details).includes(reviewId));
  const stored = await service.models.reviews.findById(reviewId).lean();
  t.false(JSON.stringify([stored, entries]).includes(uphold.reason));
});

test('a decision to dismiss leaves the reward available', async (t) => {
  const { reviewId, rewardId } = await aReview();
  const reply = await ada.post(`/reviews/${reviewId}/decision`, dismiss);
  t.is(reply.body.decision.verdict, 'DISMISS');
  t.is((await ada.get(`/rewards/${rewardId}`)).body.status, 'AVAILABLE');
  const { items } = (await ada.get('/reviews?status=DECIDED&limit=100')).body;
  t.true(items.some((item: { reviewId: string }) => item.reviewId === reviewId));
});

test('two admins decide at once: one wins, the other gets 409 and reads who did', async (t) => {
  const { reviewId } = await aReview();
  const replies = await Promise.all([
    ada.post(`/reviews/${reviewId}/decision`, uphold),
    bob.post(`/reviews/${reviewId}/decision`, dismiss),
  ]);
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  const won = replies.find(({ status }) => status === 200);
  const lost = replies.find(({ status }) => status === 409);
  t.is(lost?.body.error.code, 'CONFLICT');
  const { verdict, operatorId, decidedAt } = won?.body.decision ?? {};
  for (const part of [verdict, operatorId, decidedAt])
    t.true(lost?.body.error.message.includes(part));
  t.regex(lost?.body.error.message, won === replies[0] ? /Ada/ : /Bob/);
  const rewards = await ada.get(`/rewards?reward=${won?.body.rewardId}`);
  t.is(rewards.body.items[0].status, verdict === 'UPHOLD' ? 'CANCELLED' : 'AVAILABLE');
});

test('the same decision sent again by the same admin is answered the same; another one is a conflict', async (t) => {
  const { reviewId } = await aReview();
  const first = await ada.post(`/reviews/${reviewId}/decision`, uphold);
  const again = await ada.post(`/reviews/${reviewId}/decision`, uphold);
  t.is(again.status, 200);
  t.deepEqual(again.body, first.body);
  t.deepEqual(await auditOf(service, again), []);
  for (const reply of [
    await ada.post(`/reviews/${reviewId}/decision`, { ...uphold, reason: 'on second thoughts' }),
    await ada.post(`/reviews/${reviewId}/decision`, dismiss),
    await bob.post(`/reviews/${reviewId}/decision`, uphold),
  ]) {
    t.is(reply.status, 409);
  }
});

test('a review that nobody opened is NOT_FOUND, and a decision without a reason is refused', async (t) => {
  const { reviewId } = await aReview();
  t.is((await ada.post('/reviews/rev_none/decision', uphold)).status, 404);
  for (const body of [
    { decision: 'UPHOLD', reason: 'x' },
    { ...uphold, reasonCode: 'GOODWILL' },
    { ...dismiss, reasonCode: 'FRAUD' },
    { decision: 'UPHOLD', reasonCode: 'OTHER' },
    { ...uphold, reason: '' },
    { ...uphold, reason: 'x'.repeat(501) },
    { ...uphold, decision: 'MAYBE' },
  ]) {
    t.is(
      (await ada.post(`/reviews/${reviewId}/decision`, body)).body.error.code,
      'VALIDATION_FAILED',
    );
  }
});

test('a review that no activity waits for is decided all the same', async (t) => {
  const { reviewId } = await aReview();
  const review = await service.models.reviews.findById(reviewId).lean().orFail();
  const orphan = { ...review, _id: `${reviewId}X`, workflowId: 'purchase/TEST/none/none' };
  await service.models.reviews.create(orphan);
  const reply = await ada.post(`/reviews/${orphan._id}/decision`, uphold);
  await service.models.reviews.deleteOne({ partnerId: orphan.partnerId, _id: orphan._id });
  t.is(reply.status, 200);
  t.like(reply.body, { status: 'DECIDED' });
  t.like((await auditOf(service, reply))[0], { status: 'DONE' });
});

test.serial('a review past its due time shows as overdue and stays open', async (t) => {
  const { reviewId } = await aReview();
  const overdue = async () => (await ada.get('/reviews?overdue=true&limit=100')).body.items;
  t.deepEqual(await overdue(), []);
  service.setClockOffsetMs(service.config.reviewDueMs + 60_000);
  const found = (await overdue()).find((item: { reviewId: string }) => item.reviewId === reviewId);
  service.setClockOffsetMs(0);
  t.like(found, { status: 'OPEN', overdue: true });
});

test('rewards are found by order, event, reward, key, partner and status', async (t) => {
  const { order, rewardId, eventId, refundEventId } = await aReview();
  for (const query of [
    `order=${order}`,
    `event=${eventId}`,
    `event=${refundEventId}`,
    `reward=${rewardId}`,
    `key=key-${order}`,
    `partner=${partner.partnerId}&order=${order}&status=ADMIN_REVIEW`,
  ]) {
    const { items } = (await ada.get(`/rewards?${query}`)).body;
    t.deepEqual(
      items.map((item: { rewardId: string }) => item.rewardId),
      [rewardId],
      query,
    );
  }
  for (const query of [
    `order=${order}&status=EXPIRED`,
    'partner=prt_none',
    'key=none',
    'event=evt_none',
  ]) {
    t.deepEqual((await ada.get(`/rewards?${query}`)).body.items, [], query);
  }
});

test('events are found by order, event, reward, key and partner', async (t) => {
  const { order, rewardId, eventId, refundEventId } = await aReview();
  for (const [query, found] of [
    [`order=${order}`, [refundEventId, eventId]],
    [`reward=${rewardId}`, [refundEventId, eventId]],
    [`event=${refundEventId}`, [refundEventId]],
    [`key=key-${order}`, [eventId]],
    [`partner=${partner.partnerId}&order=${order}`, [refundEventId, eventId]],
    ['partner=prt_none', []],
  ] as const) {
    const { items } = (await ada.get(`/events?${query}`)).body;
    t.deepEqual(
      items.map((item: { eventId: string }) => item.eventId),
      found,
      query,
    );
  }
});

test('a reward shows the sum behind its points and every move it made', async (t) => {
  const { rewardId } = await aClaimed();
  const { body } = await ada.get(`/rewards/${rewardId}`);
  t.is(body.arithmetic.points, 499);
  t.is(body.moves.at(-1).move, 'CLAIM');
  t.is((await ada.get('/rewards/PNR_none')).status, 404);
});

test('no list shows a customer, a reason, or a claim token', async (t) => {
  const { order, rewardId, claimToken } = await aReview();
  for (const path of [
    `/rewards?order=${order}`,
    `/rewards/${rewardId}`,
    `/events?order=${order}`,
    '/reviews',
    '/audit',
  ]) {
    const { status, text } = await ada.get(path);
    t.is(status, 200);
    for (const private_ of ['jane', 'Jane', 'sealed', claimToken, 'claimTokenHash']) {
      t.false(text.includes(private_), `${path}: ${private_}`);
    }
  }
});

test('integration events are listed newest first, by partner and code', async (t) => {
  const other = await service.partner();
  await other.purchase();
  await other.purchase(aPurchase(), {
    headers: { 'X-Partner-Signature': `sha256=${'0'.repeat(64)}` },
  });
  await service.flushed();
  await service.allBegun();
  const of = async (query: string) =>
    (await ada.get(`/integration-events?partner=${other.partnerId}${query}`)).body.items;
  const codes = (await of('')).map(({ code }: { code: string }) => code);
  t.deepEqual(codes, ['INVALID_SIGNATURE', 'ACCEPTED']);
  t.is((await of('&code=INVALID_SIGNATURE')).length, 1);
  t.is((await of('&mode=TEST&type=PURCHASE')).length, 2);
  t.is((await of('&type=REFUND')).length, 0);
  t.is((await of('&to=2020-01-01')).length, 0);
  const cursor = Buffer.from('iev_zzz').toString('base64url');
  for (const query of ['from=2026-02-30', `cursor=${cursor}`, 'type=OTHER']) {
    t.is((await ada.get(`/integration-events?${query}`)).status, 400, query);
  }
});
