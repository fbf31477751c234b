import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type ApprovalConfig,
  type Permission,
  permittedRoles,
  roles,
} from '../../domain/operators.ts';
import { partnerRoles, permittedPartnerRoles } from '../../domain/partners.ts';
import { isMail, type Mail, type Message } from '../../messaging/message.ts';
import type { Actor, GivenFactor, OperatorActor, UserActor } from '../../operations/actor.ts';
import { createCredential, rotateCredential } from '../../operations/credentials.ts';
import { eraseCustomer, redeem } from '../../operations/customers.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { activateRule, deactivateRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import { approveGoLive } from '../../operations/go-live.ts';
import { operations } from '../../operations/index.ts';
import { updateIntegration } from '../../operations/integrations.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import {
  type AnyOperation,
  isSensitive,
  operation,
  ownAccount,
  takesTwo,
} from '../../operations/operation.ts';
import {
  revokeOperatorToken,
  revokeOwnToken,
  rotateOwnToken,
} from '../../operations/operator-tokens.ts';
import {
  changeRole,
  createFirstOperator,
  createOperator,
  resetOperatorFactor,
  revokeOperator,
} from '../../operations/operators.ts';
import { invitePartner, updatePartner } from '../../operations/partners.ts';
import { changePointsEnd } from '../../operations/points-end.ts';
import { activatePolicy, deactivatePolicy } from '../../operations/refund-policies.ts';
import { decideReview } from '../../operations/reviews.ts';
import { cancelReward, correctContactOfReward, reinstateReward } from '../../operations/rewards.ts';
import { changePlan, subscribe } from '../../operations/subscriptions.ts';
import { resetUserFactor } from '../../operations/users.ts';
import { topUp } from '../../operations/wallets.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../operations/webhook-endpoints.ts';
import { operate } from '../helpers/operate.ts';
import { takeDatabase } from '../helpers/test-database.ts';

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

const on: ApprovalConfig = { isOn: true, redemptionCents: 100, reviewCents: 500 };

const cases: [operation: AnyOperation, shown: object, isNeeded: boolean][] = [
  [topUp, {}, true],
  [withdraw, {}, true],
  [correctTopUp, {}, true],
  [recordPayment, {}, true],
  [reversePayment, {}, true],
  [voidInvoice, {}, true],
  [approveGoLive, {}, true],
  [eraseCustomer, {}, true],
  [redeem, { worstCents: 100, currency: 'USD' }, false],
  [redeem, { worstCents: 1_000_000, currency: 'IDR' }, false],
  [redeem, { worstCents: 1_000_001, currency: 'IDR' }, true],
  [redeem, { worstCents: 101, currency: 'USD' }, true],
  [cancelReward, { mode: 'LIVE', status: 'PENDING' }, true],
  [cancelReward, { mode: 'LIVE', status: 'AWAITING_FUNDING' }, true],
  [cancelReward, { mode: 'LIVE', status: 'CANCELLED' }, false],
  [cancelReward, { mode: 'TEST', status: 'PENDING' }, false],
  [reinstateReward, { mode: 'LIVE' }, true],
  [reinstateReward, { mode: 'TEST' }, false],
  [correctContactOfReward, { mode: 'LIVE' }, true],
  [correctContactOfReward, { mode: 'TEST' }, false],
  [activateRule, { mode: 'LIVE' }, true],
  [activateRule, { mode: 'TEST' }, false],
  [deactivateRule, { mode: 'LIVE' }, true],
  [deactivateRule, { mode: 'TEST' }, false],
  [changePointsEnd, { mode: 'LIVE' }, true],
  [changePointsEnd, { mode: 'TEST' }, false],
  [activatePolicy, { mode: 'LIVE' }, true],
  [activatePolicy, { mode: 'TEST' }, false],
  [deactivatePolicy, { mode: 'LIVE' }, true],
  [deactivatePolicy, { mode: 'TEST' }, false],
  [updatePartner, { changes: { name: 'Shop' }, before: { name: 'A shop' } }, false],
  ...(['name', 'legalName', 'website', 'supportEmail', 'contactEmail', 'country'] as const).flatMap(
    (field): typeof cases => {
      const change = { changes: { [field]: 'other' }, before: { [field]: 'one' } };
      return [
        [updatePartner, { ...change, mode: 'LIVE' }, true],
        [updatePartner, { ...change, mode: 'TEST' }, false],
      ];
    },
  ),
  [updatePartner, { changes: { status: 'SUSPENDED' }, before: { status: 'ACTIVE' } }, false],
  [updatePartner, { changes: { status: 'ACTIVE' }, before: { status: 'SUSPENDED' } }, true],
  [updateIntegration, { mode: 'LIVE', before: 'SERVICE', delivery: 'PARTNER' }, true],
  [updateIntegration, { mode: 'LIVE', before: 'PARTNER', delivery: 'PARTNER' }, false],
  [updateIntegration, { mode: 'TEST', before: 'SERVICE', delivery: 'PARTNER' }, false],
  [updatePartner, { changes: { maxPointMicros: 2 }, before: { maxPointMicros: 1 } }, true],
  [updatePartner, { changes: { maxRewardCents: 2 }, before: { maxRewardCents: 1 } }, true],
  [updatePartner, { changes: { maxRewardCents: 2 }, before: { maxRewardCents: 2 } }, false],
  [decideReview, { mode: 'LIVE', worstCents: 501, currency: 'USD' }, true],
  [decideReview, { mode: 'LIVE', worstCents: 500, currency: 'USD' }, false],
  [decideReview, { mode: 'LIVE', worstCents: 501, currency: 'JPY' }, true],
  [decideReview, { mode: 'LIVE', worstCents: 1_000_000, currency: 'COP' }, false],
  [decideReview, { mode: 'TEST', worstCents: 501, currency: 'USD' }, false],
  [invitePartner, { role: 'owner' }, true],
  [invitePartner, { role: 'developer', mode: 'TEST' }, false],
  ...partnerRoles.map((role): (typeof cases)[number] => [
    invitePartner,
    { role, mode: 'LIVE' },
    true,
  ]),
  [createCredential, { mode: 'LIVE' }, true],
  [createCredential, { mode: 'TEST' }, false],
  [rotateCredential, { mode: 'LIVE' }, true],
  [rotateCredential, { mode: 'TEST' }, false],
  ...[createWebhookEndpoint, deleteWebhookEndpoint, rotateWebhookSecret].flatMap(
    (one): typeof cases => [
      [one, { mode: 'LIVE' }, true],
      [one, { mode: 'TEST' }, false],
    ],
  ),
  [updateWebhookEndpoint, { mode: 'LIVE', to: { urlHash: 'other' } }, true],
  [updateWebhookEndpoint, { mode: 'LIVE', to: { eventTypes: ['*'] } }, true],
  [updateWebhookEndpoint, { mode: 'LIVE', to: { status: 'PAUSED' } }, false],
  [updateWebhookEndpoint, { mode: 'TEST', to: { urlHash: 'other' } }, false],
  [subscribe, {}, true],
  [changePlan, {}, true],
  [createOperator, { role: 'viewer' }, false],
  [createOperator, { role: 'support' }, true],
  [changeRole, { from: 'support', to: 'finance' }, true],
  [changeRole, { from: 'admin', to: 'finance' }, false],
  [resetUserFactor, { mode: 'LIVE' }, true],
  [resetUserFactor, { mode: 'TEST' }, false],
  [resetOperatorFactor, { role: 'viewer' }, false],
  [resetOperatorFactor, { role: 'support' }, true],
  [resetOperatorFactor, { role: 'admin' }, true],
];

for (const [operation, shown, isNeeded] of cases) {
  const title = `${operation.name} ${JSON.stringify(shown)}`;
  test(`${title} ${isNeeded ? 'needs a second operator' : 'is done alone'}`, (t) => {
    if (!isSensitive(operation)) return t.fail('the operation should be sensitive');
    t.is(needsApproval({ approvals: on }, operation, shown), isNeeded);
    t.false(needsApproval({ approvals: { ...on, isOn: false } }, operation, shown));
  });
}

test('what an operation moves at worst and cannot take back takes two, and only what moves something does', (t) => {
  for (const one of all) {
    const { undo, two } = one.atWorst ?? { undo: null, two: null };
    t.is(isSensitive(one), two !== null, `${one.name} takes two operators where it says so`);
    if (one.atWorst) t.true(undo !== null || two !== null, `${one.name} cannot be taken back`);
  }
});

test('whether an operation takes two is what it says, for whatever it is about', (t) => {
  const casesOf = (operation: AnyOperation) => cases.filter(([one]) => one === operation);
  for (const one of all) {
    if (!isSensitive(one)) continue;
    const { two } = one.atWorst;
    const isNeeded = (shown: object, moved = 0) => one.approval.needed(shown, on, moved);
    const tried = casesOf(one).map(([, shown, needed]) => ({ mode: undefined, ...shown, needed }));
    if (two === takesTwo.always) {
      for (const shown of [{}, { mode: 'TEST' }, { worstCents: 0 }]) t.true(isNeeded(shown));
    } else if (two === takesTwo.inLive) {
      const ofMode = (mode: string) => tried.filter((shown) => shown.mode === mode);
      t.true(
        ofMode('LIVE').some(({ needed }) => needed),
        one.name,
      );
      t.true(ofMode('TEST').length > 0, one.name);
      t.deepEqual(
        tried.filter(({ mode, needed }) => needed && mode !== 'LIVE'),
        [],
      );
    } else if (two === takesTwo.aboveRedemptions || two === takesTwo.aboveReviews) {
      const limit = two === takesTwo.aboveReviews ? on.reviewCents : on.redemptionCents;
      const worth = (worstCents: number) => ({ mode: 'LIVE', worstCents, currency: 'EUR' });
      t.false(isNeeded(worth(limit)));
      t.true(isNeeded(worth(limit + 1)));
      t.true(isNeeded(worth(1), limit), 'what was moved that day counts');
    } else {
      t.deepEqual([...new Set(tried.map(({ needed }) => needed))].toSorted(), [false, true]);
    }
  }
});

/** What takes back what they do, where no operation does. */
const undoneOtherwise = ['suspending the partner'];

test('what an operation says that it is undone by exists, and what takes one person can be undone', (t) => {
  const names: readonly string[] = all.map(({ name }) => name);
  const alone: string[] = [];
  for (const { name, atWorst } of all) {
    if (atWorst === undefined) continue;
    const { undo, two } = atWorst;
    if (undo !== null) t.true(names.includes(undo) || undoneOtherwise.includes(undo), name);
    if (two === null) alone.push(name);
  }
  t.deepEqual(alone, ['subscription.cancel'], 'it can be undone, and moves no money');
});

test('every operation that can need approval has cases here', (t) => {
  const all: readonly AnyOperation[] = operations;
  const tried = new Set(cases.map(([{ name }]) => name));
  t.deepEqual(
    all.filter((one) => isSensitive(one) && !tried.has(one.name)).map(({ name }) => name),
    [],
  );
});

test('the last two admins cannot both be revoked, even if they revoke each other at once', async (t) => {
  const database = await takeDatabase();
  t.teardown(() => database.giveBack());
  const { models } = database;
  const deps = { models, now: Date.now };
  const made = async (role: 'admin' | 'viewer') =>
    (await operate(deps, createFirstOperator, { name: role, role })).operator._id;
  const [one, two, three] = [await made('admin'), await made('admin'), await made('admin')];
  const viewer = await made('viewer');
  const admins = async () =>
    (await models.operators.find({ role: 'admin', revokedAt: null }).sort({ _id: 1 })).map(
      ({ _id }) => _id,
    );
  const revoke = (operatorId: string) => operate(deps as never, revokeOperator, { operatorId });
  const lower = (operatorId: string) =>
    operate(deps as never, changeRole, { operatorId, role: 'viewer' }, { as: one });

  t.truthy((await revoke(viewer)).revokedAt);
  await Promise.allSettled([revoke(one), revoke(two), lower(three)]);
  t.true((await admins()).length >= 2);
  const left = await admins();
  for (const end of left.length > 2 ? left.slice(2) : []) await revoke(end);
  const last = await admins();
  t.is(last.length, 2);
  for (const operatorId of last) {
    for (const end of [revoke, lower]) {
      const refusal = await t.throwsAsync(end(operatorId), { instanceOf: ServiceError });
      t.is((refusal as ServiceError).code, 'CONFLICT');
    }
  }
  t.deepEqual(await admins(), last);
  t.truthy((await revoke(viewer)).revokedAt, 'a repeat still succeeds');
});

test('an operator is emailed about each change of their role and tokens, even if the mail server fails', async (t) => {
  const database = await takeDatabase();
  t.teardown(() => database.giveBack());
  const { models } = database;
  const mails: Mail[] = [];
  const logged: unknown[] = [];
  let isAway = false;
  const deps = {
    models,
    now: Date.now,
    log: { error: (...line: unknown[]) => logged.push(line) },
    config: { portal: { url: 'https://portal.example' } },
    async sendMessage(message: Message) {
      if (isAway) throw new Error('the mail server is down');
      if (isMail(message)) mails.push(message);
    },
  } as never;
  const email = 'ann@operators.example';
  const fields = { name: 'Ann', role: 'viewer' as const, email };
  const { _id: operatorId } = await operate(deps, createOperator, fields, { as: 'opr_other' });
  const told = (what: RegExp) => {
    const mail = mails.pop();
    t.is(mail?.to, email);
    t.regex(mail?.text ?? '', what);
    t.is(mails.length, 0);
  };
  const newToken = async () =>
    (await operate(deps, rotateOwnToken, {}, { as: operatorId })).tokenId;

  await operate(deps, changeRole, { operatorId, role: 'support' }, { as: 'opr_other' });
  told(/Your role as an operator is now support/);
  await operate(deps, changeRole, { operatorId, role: 'support' }, { as: 'opr_other' });
  t.is(mails.length, 0, 'an unchanged role is not announced');
  const first = await newToken();
  told(new RegExp(`${first} was created`));
  await operate(deps, revokeOperatorToken, { operatorId, tokenId: first }, { as: 'opr_other' });
  told(new RegExp(`${first} was revoked by another operator`));
  const second = await newToken();
  told(new RegExp(`${second} was created`));
  await operate(deps, revokeOwnToken, { tokenId: second }, { as: operatorId });
  told(new RegExp(`${second} was revoked`));

  isAway = true;
  await operate(deps, changeRole, { operatorId, role: 'viewer' }, { as: 'opr_other' });
  t.is((await models.operators.findById(operatorId))?.role, 'viewer');
  t.is(logged.length, 1);
  isAway = false;
  await operate(deps, revokeOperator, { operatorId }, { as: 'opr_other' });
  told(/You are no longer an operator/);
});
