import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { type Permission, permittedRoles, roles } from '../../domain/operators.ts';
import { partnerRoles, permittedPartnerRoles } from '../../domain/partners.ts';
import type { Actor, GivenFactor, OperatorActor, UserActor } from '../../operations/actor.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { execute } from '../../operations/execute.ts';
import { operations } from '../../operations/index.ts';
import {
  type AnyOperation,
  isSensitive,
  operation,
  ownAccount,
} from '../../operations/operation.ts';

const all: readonly AnyOperation[] = operations;
const requestId = 'req_test';
const partnerId = 'prt_own';
const now = () => Date.parse('2026-03-10T09:00:00Z');

const operatorOf = (role: OperatorActor['role'], factor: GivenFactor = 'TOKEN'): OperatorActor => ({
  kind: 'operator',
  id: 'opr_1',
  role,
  requestId,
  factor,
});
const userOf = (role: UserActor['role'], factor: GivenFactor = new Date(now())): UserActor => ({
  kind: 'user',
  id: 'usr_1',
  role,
  partnerId,
  requestId,
  factor,
});

/** Any access to dependencies other than the clock means that the actor was admitted. */
const deps = new Proxy({ now } as unknown as OperationDeps, {
  get(target, name) {
    if (name === 'now') return target.now;
    throw new Error('admitted');
  },
});

/** Whether the permission check admits an actor, even if the operation then fails on its empty input. */
async function isAdmitted(one: AnyOperation, actor: Actor): Promise<boolean> {
  try {
    await execute(deps, one as never, actor, {});
    return true;
  } catch (error) {
    return !(error instanceof ServiceError && error.code === 'FORBIDDEN');
  }
}

for (const one of all) {
  const { name, permission } = one;
  const operators: readonly string[] =
    permission === ownAccount
      ? roles
      : permission.operator === null
        ? []
        : permittedRoles[permission.operator];
  const asked =
    permission === ownAccount || permission.user === null
      ? []
      : typeof permission.user === 'string'
        ? [permission.user]
        : Object.values(permission.user);
  const users: readonly string[] =
    permission === ownAccount ? partnerRoles : asked.flatMap((each) => permittedPartnerRoles[each]);

  test(`${name} is for operators who are ${operators.join(', ') || 'nobody'}, and users who are ${[...new Set(users)].join(', ') || 'nobody'}`, async (t) => {
    for (const role of roles) {
      t.is(await isAdmitted(one, operatorOf(role)), operators.includes(role), role);
    }
    for (const role of partnerRoles) {
      t.is(await isAdmitted(one, userOf(role)), users.includes(role), role);
    }
  });

  if (one.secondFactor === 'ALWAYS') {
    test(`${name} requires a second factor entered within 15 minutes`, async (t) => {
      const old = new Date(now() - 15 * 60_000);
      for (const factor of [null, old]) {
        t.false(await isAdmitted(one, operatorOf('admin', factor)));
        t.false(await isAdmitted(one, userOf('owner', factor)));
      }
    });
  }
}

test('each operation has a unique name, which a sensitive one shares with its permission', (t) => {
  t.is(new Set(all.map(({ name }) => name)).size, all.length);
  for (const one of all.filter(isSensitive)) {
    t.like(one.permission, { operator: one.name as Permission });
  }
});

/** An operation of partners' users, with a permission for each mode. */
const aChange = operation({
  name: 'test.change',
  permission: { operator: null, user: { TEST: 'credential.test', LIVE: 'credential.live' } },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string; mode: Mode }>({
    partnerId: Joi.string().required(),
    mode: Joi.string().required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId: whose }) => ({ partnerId: whose, targetId: null }),
  run: async (_deps: { now: () => number }) => 'done',
});

const entries = { create: async () => undefined, updateOne: async () => undefined };
const stored = { now, models: { auditEntries: entries } } as unknown as OperationDeps;

async function outcomeOf(actor: UserActor, input: { partnerId: string; mode: Mode }) {
  try {
    return await execute(stored, aChange, actor, input);
  } catch (error) {
    return error instanceof ServiceError ? error.code : error;
  }
}

test('a user can operate on their own partner’s data, and does not find another’s', async (t) => {
  const owner = userOf('owner');
  t.is(await outcomeOf(owner, { partnerId, mode: 'TEST' }), 'done');
  t.is(await outcomeOf(owner, { partnerId: 'prt_other', mode: 'TEST' }), 'NOT_FOUND');
});

test('a LIVE operation requires the LIVE permission and a fresh second factor', async (t) => {
  t.is(await outcomeOf(userOf('developer', null), { partnerId, mode: 'TEST' }), 'done');
  t.is(await outcomeOf(userOf('developer'), { partnerId, mode: 'LIVE' }), 'FORBIDDEN');
  t.is(await outcomeOf(userOf('owner'), { partnerId, mode: 'LIVE' }), 'done');
  t.is(await outcomeOf(userOf('owner', null), { partnerId, mode: 'LIVE' }), 'FORBIDDEN');
});

/** These have a second declaration with the same name, for the commands that install or restore. */
const declaredTwice = ['operator.create', 'customer.erase'];

test('every declared operation is in the list of operations', (t) => {
  const cwd = fileURLToPath(new URL('../../operations', import.meta.url));
  const declared = globSync('**/*.ts', { cwd }).flatMap((file) =>
    [
      ...readFileSync(`${cwd}/${file}`, 'utf8').matchAll(
        /= (?:operation|sensitiveOperation)\(\{\s+name: '([^']+)'/g,
      ),
    ].map(([, name]) => name ?? ''),
  );
  const listed = all.map(({ name }) => name);
  t.deepEqual(declared.toSorted(), [...listed, ...declaredTwice].toSorted());
});
