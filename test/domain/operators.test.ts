import test from 'ava';
import {
  auditPatienceMs,
  isMoving,
  isRaise,
  may,
  movingOperations,
  type Permission,
  permittedRoles,
  proposalLifeMs,
  proposalStatusAt,
  refusalOf,
  roleSummaries,
  roles,
} from '../../domain/operators.ts';

const permissions = Object.keys(permittedRoles) as Permission[];

test('each role has a description', (t) => {
  for (const role of roles) t.true(roleSummaries[role].length > 0, role);
});

test('an admin can do everything, and everybody has a viewer’s permissions', (t) => {
  for (const permission of permissions) {
    t.true(may('admin', permission), permission);
    if (may('viewer', permission))
      t.true(
        roles.every((role) => may(role, permission)),
        permission,
      );
  }
});

const at = Date.parse('2026-03-10T09:00:00Z');
const proposal = {
  action: 'partner.top-up',
  proposedBy: 'opr_1',
  status: 'PROPOSED',
  expiresAt: new Date(at + 1),
} as const;
const proposer = { operatorId: 'opr_1', role: 'finance' } as const;
const other = { operatorId: 'opr_2', role: 'finance' } as const;

test('nobody approves their own proposal, and everyone can withdraw theirs', (t) => {
  t.is(refusalOf(proposal, 'APPROVED', proposer, at)?.code, 'FORBIDDEN');
  t.is(refusalOf(proposal, 'REJECTED', proposer, at), undefined);
  t.is(refusalOf(proposal, 'APPROVED', other, at), undefined);
});

test('only an operator with the permission can decide', (t) => {
  const support = { ...other, role: 'support' } as const;
  t.is(refusalOf(proposal, 'APPROVED', support, at)?.code, 'FORBIDDEN');
  t.is(refusalOf(proposal, 'REJECTED', support, at)?.code, 'FORBIDDEN');
});

test('a proposal expires after a day without approval', (t) => {
  t.is(refusalOf(proposal, 'APPROVED', other, at + 1)?.code, 'CONFLICT');
});

test('an undecided proposal expires after a day; a decision stands', (t) => {
  t.is(proposalLifeMs, 86_400_000);
  t.is(proposalStatusAt(proposal, at), 'PROPOSED');
  t.is(proposalStatusAt(proposal, at + 1), 'EXPIRED');
  for (const status of ['APPROVED', 'REJECTED'] as const) {
    t.is(proposalStatusAt({ ...proposal, status }, at + 1), status);
  }
});

test('an admin can do everything; a viewer only reads, exports, and manages their own tokens', (t) => {
  for (const [permission, allowed] of Object.entries(permittedRoles)) {
    t.true((allowed as readonly string[]).includes('admin'), permission);
  }
  const ofViewer = Object.keys(permittedRoles).filter((one) => may('viewer', one as 'read'));
  t.deepEqual(ofViewer, ['read', 'export.start', 'own-token.rotate', 'own-token.revoke']);
});

test('gaining any permission is a raise', (t) => {
  for (const role of roles) t.false(isRaise(role, role));
  t.true(isRaise('support', 'finance'));
  t.true(isRaise('finance', 'support'));
  t.false(isRaise('admin', 'viewer'));
});

test('operations that move money themselves are listed', (t) => {
  for (const name of movingOperations) t.true(isMoving(name), name);
  t.false(isMoving('review.decide'));
});

test('an operation without an outcome after ten minutes is abandoned', (t) => {
  t.is(auditPatienceMs, 600_000);
});
