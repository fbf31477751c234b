import test from 'ava';
import {
  may,
  type Permission,
  permittedRoles,
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
