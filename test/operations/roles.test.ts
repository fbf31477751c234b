import { readFileSync } from 'node:fs';
import test from 'ava';
import { rolesPage, withTable } from '../../dev/roles-table.ts';

test('docs/roles.md lists the roles of every operation (npm run docs:tables writes it)', (t) => {
  const page = readFileSync(rolesPage, 'utf8');
  t.is(page, withTable(page));
});
