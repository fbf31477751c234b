import test from 'ava';
import {
  may,
  type Permission,
  permittedRoles,
  roleSummaries,
  roles,
} from '../../domain/operator-roles.ts';

const permissions = Object.keys(permittedRoles) as Permission[];

test('each role is described', (t) => {
  for (const role of roles) t.true(roleSummaries[role].length > 0, role);
});

test('an admin may do everything, and whatever a viewer may, everybody may', (t) => {
  for (const permission of permissions) {
    t.true(may('admin', permission), permission);
    if (may('viewer', permission))
      t.true(
        roles.every((role) => may(role, permission)),
        permission,
      );
  }
});
