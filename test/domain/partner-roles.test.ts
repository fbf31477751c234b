import test from 'ava';
import {
  type PartnerPermission,
  partnerMay,
  partnerRoles,
  permittedPartnerRoles,
} from '../../domain/partner-roles.ts';

const permissions = Object.keys(permittedPartnerRoles) as PartnerPermission[];

test('an owner may do everything', (t) => {
  for (const permission of permissions) t.true(partnerMay('owner', permission), permission);
});

test('a viewer reads, and nothing else', (t) => {
  t.deepEqual(
    permissions.filter((permission) => partnerMay('viewer', permission)),
    ['read'],
  );
});

test('a developer touches neither money nor what is LIVE, nor who is in the team', (t) => {
  for (const permission of permissions) {
    if (/live|^user\.|^partner\.|^subscription\./.test(permission)) {
      t.false(partnerMay('developer', permission), permission);
    }
  }
  t.true(partnerMay('developer', 'credential.test'));
  t.true(partnerMay('developer', 'integration.test-funding'));
});

test('whatever a role may, the ones above it may', (t) => {
  for (const permission of permissions) {
    const may = partnerRoles.map((role) => partnerMay(role, permission));
    t.deepEqual(may, may.toSorted().toReversed(), permission);
  }
});
