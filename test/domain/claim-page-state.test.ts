import test from 'ava';
import {
  type ClaimPageState,
  type CustomerStatus,
  claimPageStateOf,
  type RewardStatus,
} from '../../domain/reward.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const later = new Date(nowMs + 1);

const rows: [
  status: RewardStatus,
  customerStatus: CustomerStatus,
  standing: ClaimPageState,
  funded?: boolean,
][] = [
  ['PENDING', 'AWAITING_CUSTOMER_CLAIM', 'OPEN', true],
  ['PENDING', 'AWAITING_CUSTOMER_CLAIM', 'BEING_PREPARED'],
  ['AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', 'AWAITING_FUNDING'],
  ['AVAILABLE', 'CLAIMED', 'CLAIMED'],
  ['ADMIN_REVIEW', 'CLAIMED', 'IN_REVIEW'],
  ['EXPIRED', 'CLAIM_EXPIRED', 'EXPIRED'],
  ['CANCELLED', 'CANCELLED', 'CANCELLED'],
];

for (const [status, customerStatus, standing, funded = false] of rows) {
  const reward = { status, customerStatus, funded, claimExpiresAt: later };
  const of = `${status}${funded ? ', funded' : ''}`;

  test(`${of}, ${customerStatus} shows customers ${standing}`, (t) => {
    t.is(claimPageStateOf(reward, { isSuspended: false, nowMs }), standing);
  });

  test(`${of}, ${customerStatus} of a suspended partner is paused, unless already settled`, (t) => {
    const isSettled = customerStatus !== 'AWAITING_CUSTOMER_CLAIM';
    const expected = isSettled ? standing : 'SUSPENDED';
    t.is(claimPageStateOf(reward, { isSuspended: true, nowMs }), expected);
  });

  test(`${of}, ${customerStatus} after its claim window is expired, unless already settled`, (t) => {
    const isSettled = customerStatus !== 'AWAITING_CUSTOMER_CLAIM';
    const over = { ...reward, claimExpiresAt: new Date(nowMs) };
    for (const isSuspended of [false, true]) {
      t.is(claimPageStateOf(over, { isSuspended, nowMs }), isSettled ? standing : 'EXPIRED');
    }
  });
}
