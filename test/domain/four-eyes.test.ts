import test from 'ava';
import { type FourEyes, type GraveMatter, needsTwo, refusalOf } from '../../domain/four-eyes.ts';
import { isRaise, may, permittedRoles, roles } from '../../domain/operator-roles.ts';

const on: FourEyes = { isOn: true, redemptionPoints: 100, reviewCents: 500 };

const matters: [matter: GraveMatter, isGrave: boolean][] = [
  [{ action: 'partner.top-up' }, true],
  [{ action: 'partner.approve-go-live' }, true],
  [{ action: 'customer.erase' }, true],
  [{ action: 'customer.redeem', points: 100 }, false],
  [{ action: 'customer.redeem', points: 101 }, true],
  [{ action: 'review.decide', mode: 'LIVE', liabilityCents: 500 }, false],
  [{ action: 'review.decide', mode: 'LIVE', liabilityCents: 501 }, true],
  [{ action: 'review.decide', mode: 'TEST', liabilityCents: 501 }, false],
  [{ action: 'partner.invite', role: 'owner', isFirstOwner: true }, false],
  [{ action: 'partner.invite', role: 'owner', isFirstOwner: false }, true],
  [{ action: 'partner.invite', role: 'developer', isFirstOwner: false }, false],
  [{ action: 'credential.create', mode: 'LIVE' }, true],
  [{ action: 'credential.create', mode: 'TEST' }, false],
  [{ action: 'credential.rotate', mode: 'LIVE' }, true],
  [{ action: 'credential.rotate', mode: 'TEST' }, false],
  [{ action: 'operator.create', role: 'viewer' }, false],
  [{ action: 'operator.create', role: 'support' }, true],
  [{ action: 'operator.change-role', from: 'support', to: 'finance' }, true],
  [{ action: 'operator.change-role', from: 'admin', to: 'finance' }, false],
  [{ action: 'operator.rotate-token' }, true],
  [{ action: 'operator.reset-second-factor', role: 'viewer' }, false],
  [{ action: 'operator.reset-second-factor', role: 'support' }, true],
  [{ action: 'operator.reset-second-factor', role: 'admin' }, true],
];

for (const [matter, isGrave] of matters) {
  test(`${JSON.stringify(matter)} ${isGrave ? 'needs two' : 'is done alone'}`, (t) => {
    t.is(needsTwo(on, matter), isGrave);
    t.false(needsTwo({ ...on, isOn: false }, matter));
  });
}

const at = Date.parse('2026-03-10T09:00:00Z');
const proposal = {
  action: 'partner.top-up',
  proposedBy: 'adm_1',
  status: 'PROPOSED',
  expiresAt: new Date(at + 1),
} as const;
const proposer = { adminId: 'adm_1', role: 'finance' } as const;
const other = { adminId: 'adm_2', role: 'finance' } as const;

test('nobody approves their own proposal, and everyone may take it back', (t) => {
  t.is(refusalOf(proposal, 'APPROVED', proposer, at)?.code, 'FORBIDDEN');
  t.is(refusalOf(proposal, 'REJECTED', proposer, at), undefined);
  t.is(refusalOf(proposal, 'APPROVED', other, at), undefined);
});

test('who may not do it may not decide it either', (t) => {
  const support = { ...other, role: 'support' } as const;
  t.is(refusalOf(proposal, 'APPROVED', support, at)?.code, 'FORBIDDEN');
  t.is(refusalOf(proposal, 'REJECTED', support, at)?.code, 'FORBIDDEN');
});

test('a proposal that nobody approved within its day is over', (t) => {
  t.is(refusalOf(proposal, 'APPROVED', other, at + 1)?.code, 'CONFLICT');
});

test('admin may everything, a viewer changes nothing but their own tokens', (t) => {
  for (const [permission, allowed] of Object.entries(permittedRoles)) {
    t.true((allowed as readonly string[]).includes('admin'), permission);
  }
  const ofViewer = Object.keys(permittedRoles).filter((one) => may('viewer', one as 'read'));
  t.deepEqual(ofViewer, ['read', 'own-token.rotate', 'own-token.revoke']);
});

test('a role is raised by whatever it could not do before', (t) => {
  for (const role of roles) t.false(isRaise(role, role));
  t.true(isRaise('support', 'finance'));
  t.true(isRaise('finance', 'support'));
  t.false(isRaise('admin', 'viewer'));
});
