import test from 'ava';
import { purchaseAnswer, refundAnswer, refusals, withClaimUrl } from '../../domain/answers.ts';

const recorded = { mode: 'LIVE', eventId: 'evt_1', externalOrderId: 'A1' } as const;
const claimExpiresAt = '2026-04-09T09:00:00.000Z';
const purchase = purchaseAnswer(recorded, {
  rewardId: 'PNR_1',
  points: 499,
  claimExpiresAt,
  claimableFrom: null,
});

test('the response to a purchase contains its new reward', (t) => {
  t.deepEqual(purchase, {
    success: true,
    ...recorded,
    reward: {
      id: 'PNR_1',
      points: 499,
      status: 'PENDING',
      customerStatus: 'AWAITING_CUSTOMER_CLAIM',
      claimExpiresAt,
      claimableFrom: null,
    },
  });
});

test('the response to a partner that delivers the claim link ends with the link', (t) => {
  const claimUrl = 'https://rewards.example/claim/token';
  const body = withClaimUrl(JSON.stringify(purchase), claimUrl);
  const { reward } = purchase;
  t.is(body, JSON.stringify({ ...purchase, reward: { ...reward, claimUrl } }));
});

test('the response to a refund contains the refund’s outcome and the reward', (t) => {
  for (const [state, refund, status] of [
    ['CANCELLED', 'CANCELLED', 'CANCELLED'],
    ['IN_REVIEW', 'ADMIN_REVIEW', 'ADMIN_REVIEW'],
    ['EXPIRED', 'NO_ACTION', 'EXPIRED'],
    ['FUNDED', 'REDUCED', 'PENDING'],
    ['AWAITING_FUNDING', 'REDUCED', 'AWAITING_FUNDING'],
  ] as const) {
    const refunded = { externalRefundId: 'R1', amountCents: 1_200 };
    t.deepEqual(refundAnswer(recorded, refunded, { rewardId: 'PNR_1', points: 499, state }), {
      success: true,
      ...recorded,
      refund: { externalRefundId: 'R1', status: refund, amountCents: 1_200 },
      reward: { id: 'PNR_1', points: 499, status },
    });
  }
});

test('a key reused with different data is IDEMPOTENCY_CONFLICT', (t) => {
  const refused = refusals.conflict();
  t.is(refused.kind, 'REFUSED');
  t.is(refused.code, 'IDEMPOTENCY_CONFLICT');
});

test("a repeated externalOrderId is DUPLICATE_EXTERNAL_ORDER and names the first event's id", (t) => {
  const refused = refusals.duplicateOrder({ _id: 'evt_first', externalOrderId: 'A "1"\n' });
  t.is(refused.code, 'DUPLICATE_EXTERNAL_ORDER');
  t.true(refused.message.includes('evt_first'));
  t.true(refused.message.includes(JSON.stringify('A "1"\n')));
});

test("a repeated externalRefundId is DUPLICATE_EXTERNAL_REFUND and names the first event's id", (t) => {
  const refused = refusals.duplicateRefund({ _id: 'evt_first', externalRefundId: 'R1' });
  t.is(refused.code, 'DUPLICATE_EXTERNAL_REFUND');
  t.true(refused.message.includes('evt_first'));
  t.true(refused.message.includes('"R1"'));
});

test('a refund beyond an order’s limit is TOO_MANY_REFUNDS, with the limit', (t) => {
  const refused = refusals.tooManyRefunds({ externalOrderId: 'A1' });
  t.is(refused.code, 'TOO_MANY_REFUNDS');
  t.regex(refused.message, /^externalOrderId "A1" has had 100 refunds/);
});
