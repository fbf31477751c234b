import test from 'ava';
import { purchaseAnswer, refundAnswer, withClaimUrl } from '../../domain/answers.ts';

const recorded = { mode: 'LIVE', eventId: 'evt_1', externalOrderId: 'A1' } as const;
const claimExpiresAt = '2026-04-09T09:00:00.000Z';
const purchase = purchaseAnswer(recorded, { rewardId: 'PNR_1', points: 499, claimExpiresAt });

test('a purchase is answered with its reward as it is created', (t) => {
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

test('a partner that delivers the claim link finds it in the same answer, behind the rest', (t) => {
  const claimUrl = 'https://rewards.example/claim/token';
  const body = withClaimUrl(JSON.stringify(purchase), claimUrl);
  const { reward } = purchase;
  t.is(body, JSON.stringify({ ...purchase, reward: { ...reward, claimUrl } }));
});

test('a refund is answered with what became of it and of the reward', (t) => {
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
