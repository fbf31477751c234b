import { fileURLToPath } from 'node:url';
import { permittedRoles, roles } from '../domain/operator-roles.ts';
import {
  type PartnerPermission,
  partnerRoles,
  permittedPartnerRoles,
} from '../domain/partner-roles.ts';
import { operations } from '../operations/index.ts';
import { type AnyOperation, isSensitive, ownAccount } from '../operations/operation.ts';
import { alignedTable } from './table.ts';

export const rolesPage = fileURLToPath(new URL('../docs/roles.md', import.meta.url));

const marks = ['<!-- operations -->', '<!-- end of operations -->'] as const;

/** A row for every operation, from the list of operations: who may do it. */
export function rolesTable(): string {
  const all: readonly AnyOperation[] = operations;
  const rows = all.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(rowOf);
  const head = ['operation', 'operators', 'partner users', 'second factor', 'second operator'];
  return alignedTable([head, ...rows]);
}

/** @returns the page with the current table */
export function withTable(page: string): string {
  const [before = '', rest = ''] = page.split(marks[0]);
  const [, after = ''] = rest.split(marks[1]);
  return `${before}${marks[0]}\n\n${rolesTable()}\n\n${marks[1]}${after}`;
}

export function rowOf(operation: AnyOperation): string[] {
  const { name, permission, secondFactor } = operation;
  const factor = { ALWAYS: 'always', LIVE: 'for LIVE', NEVER: '' }[secondFactor];
  const approval = isSensitive(operation) ? 'may be needed' : '';
  if (permission === ownAccount) return [`\`${name}\``, 'everyone', 'everyone', factor, approval];
  const { operator, user } = permission;
  const operators = operator === null ? '' : named(permittedRoles[operator], roles);
  return [`\`${name}\``, operators, user === null ? '' : usersWith(user), factor, approval];
}

function usersWith(user: PartnerPermission | Record<'TEST' | 'LIVE', PartnerPermission>): string {
  const rolesOf = (one: PartnerPermission) => named(permittedPartnerRoles[one], partnerRoles);
  if (typeof user === 'string') return rolesOf(user);
  const [test, live] = [rolesOf(user.TEST), rolesOf(user.LIVE)];
  return test === live ? test : `TEST: ${test}; LIVE: ${live}`;
}

const named = (some: readonly string[], all: readonly string[]): string =>
  some.length === all.length ? 'everyone' : some.join(', ');
