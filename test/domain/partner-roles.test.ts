import test from 'ava';
import {
  type PartnerPermission,
  partnerMay,
  partnerRoles,
  permittedPartnerRoles,
} from '../../domain/partners.ts';

const permissions = Object.keys(permittedPartnerRoles) as PartnerPermission[];

test('an owner can do everything', (t) => {
  for (const permission of permissions) t.true(partnerMay('owner', permission), permission);
});

test('a viewer only reads', (t) => {
  t.deepEqual(
    permissions.filter((permission) => partnerMay('viewer', permission)),
    ['read'],
  );
});

test('a developer has no permissions for money, LIVE or the team', (t) => {
  for (const permission of permissions) {
    if (/live|^user\.|^partner\.|^subscription\./.test(permission)) {
      t.false(partnerMay('developer', permission), permission);
    }
  }
  t.true(partnerMay('developer', 'credential.test'));
  t.true(partnerMay('developer', 'integration.test-funding'));
});

test('each role has all permissions of the roles below it', (t) => {
  for (const permission of permissions) {
    const may = partnerRoles.map((role) => partnerMay(role, permission));
    t.deepEqual(may, may.toSorted().toReversed(), permission);
  }
});
