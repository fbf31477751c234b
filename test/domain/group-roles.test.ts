import test from 'ava';
import fc from 'fast-check';
import {
  isAdmissionOver,
  operatorRoleOf,
  parseGroupRoles,
  partnerRoleOf,
} from '../../domain/group-roles.ts';
import { isRaise, roles } from '../../domain/operators.ts';
import type { partnerRoles } from '../../domain/partners.ts';

const partnerId = `prt_${'0'.repeat(26)}`;
const mapped = parseGroupRoles(
  `admins=admin, support desk=support,money=finance,staff=viewer,shop=${partnerId}:developer`,
);

test('groups are mapped to roles of operators and of a partner’s team', (t) => {
  t.deepEqual(mapped[1], { group: 'support desk', partnerId: null, role: 'support' });
  t.deepEqual(mapped[4], { group: 'shop', partnerId, role: 'developer' });
  for (const wrong of [
    '',
    'admins',
    'a=root',
    'a=owner',
    `a=${partnerId}:admin`,
    'a=prt_1:owner',
  ]) {
    t.throws(() => parseGroupRoles(wrong), undefined, wrong);
  }
});

const signIns = [
  ['admin', ['admins'], 'admin'],
  ['admin', ['support desk'], 'support'],
  ['admin', ['staff', 'money'], 'finance'],
  ['support', ['admins'], 'support'],
  ['support', ['money'], 'viewer'],
  ['viewer', ['admins'], 'viewer'],
  ['admin', ['strangers'], null],
  ['admin', ['shop'], null],
] as const;
for (const [has, groups, becomes] of signIns) {
  test(`an operator with the role ${has} in ${groups.join(', ')} signs in as ${becomes ?? 'nobody'}`, (t) => {
    t.is(operatorRoleOf(mapped, groups, has), becomes);
  });
}

test('a member of a team gets at most the role of their group and at most their own', (t) => {
  const roleOf = (role: (typeof partnerRoles)[number], groups: string[], of = partnerId) =>
    partnerRoleOf(mapped, groups, { partnerId: of, role });
  t.is(roleOf('owner', ['shop']), 'developer');
  t.is(roleOf('developer', ['shop']), 'developer');
  t.is(roleOf('viewer', ['shop']), 'viewer');
  t.is(roleOf('owner', ['admins']), null);
  t.is(roleOf('owner', ['shop'], 'prt_other'), null);
});

test('no group ever gives more than what somebody has', (t) => {
  const groups = fc.subarray(['admins', 'support desk', 'money', 'staff', 'shop']);
  const property = fc.property(groups, fc.constantFrom(...roles), (some, has) => {
    const role = operatorRoleOf(mapped, some, has);
    return role === null || !isRaise(has, role);
  });
  fc.assert(property);
  t.pass();
});

test('what a sign-in at the provider gave ends with it, wherever the provider decides who gets in', (t) => {
  const at = Date.parse('2026-03-01T12:00:00Z');
  const signInMs = 3_600_000;
  const fresh = new Date(at - signInMs + 1);
  const old = new Date(at - signInMs);
  const [groups, everybody] = [mapped, null].map((one) => ({ groups: one, signInMs }));
  for (const [oidc, hasPasswords, ends] of [
    [null, true, { fresh: false, old: false, never: false }],
    [everybody, true, { fresh: false, old: false, never: false }],
    [groups, true, { fresh: false, old: true, never: false }],
    [groups, false, { fresh: false, old: true, never: true }],
    [everybody, false, { fresh: false, old: true, never: true }],
  ] as const) {
    const isOver = (admittedAt: Date | undefined) =>
      isAdmissionOver({ oidc: oidc ?? null, hasPasswords }, admittedAt, at);
    t.deepEqual(
      { fresh: isOver(fresh), old: isOver(old), never: isOver(undefined) },
      ends,
      JSON.stringify({ oidc, hasPasswords }),
    );
  }
});
