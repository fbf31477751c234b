import test from 'ava';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import { newId } from '../../../platform/ids.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { anotherOperator, auditOf, Operator } from '../../helpers/operator.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { townOf } from '../../helpers/town.ts';
import { storeReview } from '../../portal/helpers/stored.ts';

let service: Service;
let ada: Operator;
let partner: PartnerBackend;
/** The review of a refunded reward, opened by the reward's workflow. */
let refunded: ReviewDoc & { purchaseEventId: string };
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
  partner = await service.partner();
  const review = await townOf(service).reviewed(partner, {
    customer: { email: 'jane@example.com' },
    metadata: { note: 'for Jane' },
    reason: 'Jane sent it back',
  });
  const { purchaseEventId } = await service.models.rewards.findById(review.rewardId).orFail();
  refunded = { ...review, purchaseEventId };
});
test.after.always(() => service?.stop());

/** Stores a review for which no workflow waits. */
const aReview = async (changes: Partial<ReviewDoc> = {}): Promise<ReviewDoc> => {
  const { partnerId } = partner;
  return (
    await storeReview({ deps: { ...service, now: Date.now } }, { partnerId, mark: 'any' }, changes)
  ).review;
};

const uphold = { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED', reason: 'it came back' };

interface Listed {
  reviewId: string;
}
const listed = async (query: string) =>
  (await ada.get(`/reviews?limit=100&${query}`)).body.items.map(({ reviewId }: Listed) => reviewId);

test('a review is listed with its reward, its due time and the link to its workflow', async (t) => {
  const { _id: reviewId, rewardId, refundEventId, externalOrderId } = refunded;
  const shown = await ada.get(`/reviews/${reviewId}`);
  const { items } = (await ada.get('/reviews?status=OPEN&limit=100')).body;
  t.deepEqual(
    items.find((item: Listed) => item.reviewId === reviewId),
    shown.body,
  );
  t.like(shown.body, {
    rewardId,
    refundEventId,
    externalOrderId,
    partnerId: partner.partnerId,
    mode: 'TEST',
    points: 499,
    status: 'OPEN',
    overdue: false,
    rounds: 1,
    decision: null,
  });
  const { temporalUrl, workflowId } = shown.body;
  t.true(temporalUrl.startsWith(`${service.config.temporal.uiUrl}/namespaces/`));
  t.true(temporalUrl.endsWith(encodeURIComponent(workflowId)));
  t.like((await auditOf(service, shown))[0], { action: 'review.read', targetId: reviewId });

  const late = await aReview({ dueAt: new Date(Date.now() - 60_000) });
  const overdue = await listed('overdue=true');
  t.true(overdue.includes(late._id));
  t.false(overdue.includes(reviewId));
});

test('a decision returns the review; the same decision again does too, a different one is 409', async (t) => {
  const { _id: reviewId, rewardId } = await aReview();
  const path = `/reviews/${reviewId}/decision`;
  const refused = await ada.post(path, { ...uphold, reasonCode: 'GOODWILL' });
  t.deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_FAILED']);
  const reply = await ada.post(path, uphold);
  t.is(reply.status, 200);
  t.like(reply.body, { reviewId, status: 'DECIDED', overdue: false });
  const { operatorId } = await ada.me();
  const { decision: verdict, reasonCode, reason } = uphold;
  t.like(reply.body.decision, { verdict, reasonCode, reason, operatorId });
  t.is((await ada.get(`/rewards/${rewardId}`)).body.status, 'CANCELLED');
  t.deepEqual((await ada.post(path, uphold)).body, reply.body);
  const other = await (await anotherOperator(service, 'Bob')).post(path, uphold);
  t.deepEqual([other.status, other.body.error.code], [409, 'CONFLICT']);
  t.is((await ada.post('/reviews/rev_none/decision', uphold)).status, 404);

  const decided = await ada.get('/reviews?status=DECIDED&limit=100');
  t.true(decided.body.items.some((item: Listed) => item.reviewId === reviewId));
  const [read] = await auditOf(service, decided);
  t.true(JSON.stringify(read?.details).includes(reviewId));
});

test('notes stay among operators, questions go to the partner, and both are listed in order', async (t) => {
  const { _id: reviewId } = await aReview();
  const path = `/reviews/${reviewId}`;
  const note = await ada.post(`${path}/notes`, { text: 'Jane called' });
  t.is(note.status, 201);
  const { name } = await ada.me();
  t.like(note.body, { kind: 'NOTE', author: name, text: 'Jane called' });
  const question = await ada.post(`${path}/questions`, { text: 'Did it come back?' });
  t.like(question.body, { kind: 'QUESTION', text: 'Did it come back?' });
  const all = await ada.get(`${path}/notes`);
  t.deepEqual(all.body, { items: [note.body, question.body] });
  t.like((await auditOf(service, all))[0], { action: 'review.read', targetId: reviewId });
  t.like((await auditOf(service, question))[0], { action: 'review.ask', targetId: reviewId });

  await ada.post(`${path}/decision`, uphold);
  t.is((await ada.post(`${path}/questions`, { text: 'And now?' })).status, 409);
  t.is((await ada.post(`${path}/notes`, { text: 'It was right' })).status, 201);
  t.is((await ada.get('/reviews/rev_none/notes')).status, 404);
});

test('rewards are found by order, event, reward, key, partner and status', async (t) => {
  const { externalOrderId: order, rewardId, purchaseEventId, refundEventId } = refunded;
  const { partnerId } = partner;
  const of = async (query: string) =>
    (await ada.get(`/rewards?${query}`)).body.items.map(
      (item: { rewardId: string }) => item.rewardId,
    );
  for (const query of [
    ...[`order=${order}`, `event=${purchaseEventId}`, `event=${refundEventId}`],
    ...[`reward=${rewardId}`, `partner=${partnerId}&order=${order}&status=ADMIN_REVIEW`],
  ]) {
    t.deepEqual(await of(query), [rewardId], query);
  }
  for (const query of [
    ...[`order=${order}&status=EXPIRED`, `partner=${newId('partner')}`, 'key=none'],
    `event=${newId('event')}`,
  ]) {
    t.deepEqual(await of(query), [], query);
  }
});

test('events are found by order, event, reward, key and partner', async (t) => {
  const { externalOrderId: order, rewardId, purchaseEventId, refundEventId } = refunded;
  const keyed = aPurchase();
  const { body } = await partner.purchase(keyed, { idempotencyKey: `key-${order}` });
  for (const [query, found] of [
    [`order=${order}`, [refundEventId, purchaseEventId]],
    [`reward=${rewardId}`, [refundEventId, purchaseEventId]],
    [`event=${refundEventId}`, [refundEventId]],
    [`key=key-${order}`, [body.eventId]],
    [`partner=${partner.partnerId}&order=${order}`, [refundEventId, purchaseEventId]],
    ['partner=prt_none', []],
  ] as const) {
    const { items } = (await ada.get(`/events?${query}`)).body;
    t.deepEqual(
      items.map((item: { eventId: string }) => item.eventId),
      found,
      query,
    );
  }
  await service.rewardOf(body.reward.id);
  const { items } = (await ada.get(`/rewards?key=key-${order}`)).body;
  t.is(items[0].rewardId, body.reward.id);
});

test('a reward shows the calculation of its points and every move', async (t) => {
  const { body } = await ada.get(`/rewards/${refunded.rewardId}`);
  t.is(body.arithmetic.points, 499);
  t.is(body.moves.at(-1).move, 'REFUND');
  t.is((await ada.get('/rewards/PNR_none')).status, 404);
});

test('no list contains a customer, a reason or a claim token', async (t) => {
  const { externalOrderId: order, rewardId, purchaseEventId } = refunded;
  const claimToken = await claimTokenOf(service, purchaseEventId);
  t.is((await ada.get(`/reviews/${refunded._id}`)).status, 200, 'adds an entry to the audit log');
  for (const path of [
    ...[`/rewards?order=${order}`, `/rewards/${rewardId}`, `/events?order=${order}`],
    ...['/reviews?status=OPEN&limit=100', `/audit?partner=${partner.partnerId}`],
  ]) {
    const { status, body } = await ada.get(path);
    t.is(status, 200);
    // Other tests' order ids may contain these words.
    const ours = (body.items ?? [body]).filter(
      ({ partnerId }: { partnerId: string }) => partnerId === partner.partnerId,
    );
    t.true(ours.length > 0, path);
    for (const private_ of ['jane', 'Jane', 'sealed', claimToken, 'claimTokenHash']) {
      t.false(JSON.stringify(ours).includes(private_), `${path}: ${private_}`);
    }
  }
});

test('the request log is listed newest first, by partner and code', async (t) => {
  const other = await service.partner();
  await other.purchase();
  await other.purchase(aPurchase(), {
    headers: { 'X-Partner-Signature': `sha256=${'0'.repeat(64)}` },
  });
  await service.flushed();
  await service.allStarted(other);
  const of = async (query: string) =>
    (await ada.get(`/request-log?partner=${other.partnerId}${query}`)).body.items;
  const codes = (await of('')).map(({ code }: { code: string }) => code);
  t.deepEqual(codes, ['INVALID_SIGNATURE', 'ACCEPTED']);
  t.is((await of('&code=INVALID_SIGNATURE')).length, 1);
  t.is((await of('&mode=TEST&type=PURCHASE')).length, 2);
  t.is((await of('&type=REFUND')).length, 0);
  t.is((await of('&to=2020-01-01')).length, 0);
  const cursor = Buffer.from('iev_zzz').toString('base64url');
  for (const query of ['from=2026-02-30', `cursor=${cursor}`, 'type=OTHER']) {
    t.is((await ada.get(`/request-log?${query}`)).status, 400, query);
  }
});
