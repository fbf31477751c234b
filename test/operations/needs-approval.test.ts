import test from 'ava';
import type { ApprovalConfig } from '../../domain/operators.ts';
import { createCredential, rotateCredential } from '../../operations/credentials.ts';
import { eraseCustomer, redeem } from '../../operations/customers.ts';
import { activateRule, deactivateRule } from '../../operations/earning-rules.ts';
import { approveGoLive } from '../../operations/go-live.ts';
import { operations } from '../../operations/index.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { type AnyOperation, isSensitive } from '../../operations/operation.ts';
import { changeRole, createOperator, resetOperatorFactor } from '../../operations/operators.ts';
import { invitePartner, updatePartner } from '../../operations/partners.ts';
import { decideReview } from '../../operations/reviews.ts';
import { topUp } from '../../operations/wallets.ts';

const on: ApprovalConfig = { isOn: true, redemptionCents: 100, reviewCents: 500 };

const cases: [operation: AnyOperation, facts: object, isNeeded: boolean][] = [
  [topUp, {}, true],
  [approveGoLive, {}, true],
  [eraseCustomer, {}, true],
  [redeem, { cents: 100 }, false],
  [redeem, { cents: 101 }, true],
  [activateRule, { mode: 'LIVE' }, true],
  [activateRule, { mode: 'TEST' }, false],
  [deactivateRule, { mode: 'LIVE' }, true],
  [deactivateRule, { mode: 'TEST' }, false],
  [updatePartner, { changes: { name: 'Shop' }, before: { name: 'A shop' } }, false],
  [updatePartner, { changes: { maxPointMicros: 2 }, before: { maxPointMicros: 1 } }, true],
  [updatePartner, { changes: { maxRewardCents: 2 }, before: { maxRewardCents: 1 } }, true],
  [updatePartner, { changes: { maxRewardCents: 2 }, before: { maxRewardCents: 2 } }, false],
  [decideReview, { mode: 'LIVE', liabilityCents: 501 }, true],
  [decideReview, { mode: 'LIVE', liabilityCents: 500 }, false],
  [decideReview, { mode: 'TEST', liabilityCents: 501 }, false],
  [invitePartner, { role: 'owner' }, true],
  [invitePartner, { role: 'developer' }, false],
  [createCredential, { mode: 'LIVE' }, true],
  [createCredential, { mode: 'TEST' }, false],
  [rotateCredential, { mode: 'LIVE' }, true],
  [rotateCredential, { mode: 'TEST' }, false],
  [createOperator, { role: 'viewer' }, false],
  [createOperator, { role: 'support' }, true],
  [changeRole, { from: 'support', to: 'finance' }, true],
  [changeRole, { from: 'admin', to: 'finance' }, false],
  [resetOperatorFactor, { role: 'viewer' }, false],
  [resetOperatorFactor, { role: 'support' }, true],
  [resetOperatorFactor, { role: 'admin' }, true],
];

for (const [operation, facts, isNeeded] of cases) {
  const title = `${operation.name} ${JSON.stringify(facts)}`;
  test(`${title} ${isNeeded ? 'needs a second operator' : 'is done alone'}`, (t) => {
    if (!isSensitive(operation)) return t.fail('the operation should be sensitive');
    t.is(needsApproval({ approvals: on }, operation, facts), isNeeded);
    t.false(needsApproval({ approvals: { ...on, isOn: false } }, operation, facts));
  });
}

test('every operation that can need approval has cases here', (t) => {
  const all: readonly AnyOperation[] = operations;
  const tried = new Set(cases.map(([{ name }]) => name));
  t.deepEqual(
    all.filter((one) => isSensitive(one) && !tried.has(one.name)).map(({ name }) => name),
    [],
  );
});
