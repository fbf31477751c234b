import test from 'ava';
import { purchaseAnswer, refundAnswer, withClaimUrl } from '../../domain/answers.ts';

const recorded = { mode: 'LIVE', eventId: 'evt_1', externalOrderId: 'A1' } as const;
const claimExpiresAt = '2026-04-09T09:00:00.000Z';
const purchase = purchaseAnswer(recorded, { rewardId: 'PNR_1', points: 499, claimExpiresAt });

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
  for (const [status, refund] of [
    ['CANCELLED', 'CANCELLED'],
    ['ADMIN_REVIEW', 'ADMIN_REVIEW'],
    ['EXPIRED', 'NO_ACTION'],
  ] as const) {
    t.deepEqual(refundAnswer(recorded, 'R1', { rewardId: 'PNR_1', points: 499, status }), {
      success: true,
      ...recorded,
      refund: { externalRefundId: 'R1', status: refund },
      reward: { id: 'PNR_1', points: 499, status },
    });
  }
});
