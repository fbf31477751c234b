import test from 'ava';
import type { ErrorCode } from '../../domain/error-codes.ts';
import {
  type FactorHolder,
  isFresh,
  noticeDelayMs,
  type PartnerPermission,
  partnerMay,
  partnerRoles,
  permittedPartnerRoles,
  type Resetter,
  resetRefusal,
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
  t.true(partnerMay('developer', 'test-funding.add'));
});

test('each role has all permissions of the roles below it', (t) => {
  for (const permission of permissions) {
    const may = partnerRoles.map((role) => partnerMay(role, permission));
    t.deepEqual(may, may.toSorted().toReversed(), permission);
  }
});

const owner: Resetter = { actorIds: ['usr_1'], kind: 'owner' };
const operator: Resetter = { actorIds: ['opr_1', 'opr_3'], kind: 'operator' };
const user: FactorHolder = { actorId: 'usr_2', partnerRole: 'developer', hasFactor: true };

const cases: [what: string, by: Resetter, whose: FactorHolder, code: ErrorCode | undefined][] = [
  ['an owner resets a developer’s second factor', owner, user, undefined],
  [
    'an owner resets another owner’s second factor',
    owner,
    { ...user, partnerRole: 'owner' },
    undefined,
  ],
  ['an owner resets their own second factor', owner, { ...user, actorId: 'usr_1' }, 'FORBIDDEN'],
  [
    'an operator resets an owner’s second factor',
    operator,
    { ...user, partnerRole: 'owner' },
    undefined,
  ],
  ['an operator resets a developer’s second factor', operator, user, 'CONFLICT'],
  [
    'an operator resets another operator’s second factor',
    operator,
    { ...user, partnerRole: null },
    undefined,
  ],
  [
    'an operator resets their own second factor',
    operator,
    { ...user, actorId: 'opr_1', partnerRole: null },
    'FORBIDDEN',
  ],
  [
    'an operator approves the reset of their own second factor',
    operator,
    { ...user, actorId: 'opr_3', partnerRole: null },
    'FORBIDDEN',
  ],
  ['an owner resets a missing second factor', owner, { ...user, hasFactor: false }, 'CONFLICT'],
];
for (const [what, by, whose, code] of cases) {
  test(`${what}: ${code ?? 'allowed'}`, (t) => {
    t.is(resetRefusal(by, whose)?.code, code);
  });
}

test('a second factor is fresh for 15 minutes', (t) => {
  const givenAt = new Date('2026-03-10T09:00:00Z');
  t.true(isFresh(givenAt, Date.parse('2026-03-10T09:14:59.999Z')));
  t.false(isFresh(givenAt, Date.parse('2026-03-10T09:15:00.000Z')));
  t.false(isFresh(null, 0));
});

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

test('immediate notices go out at once, but frequent ones are collected for ten minutes', (t) => {
  t.is(noticeDelayMs('funding.low', 'AT_ONCE', at('12:00')), 0);
  t.is(noticeDelayMs('reward.awaiting_funding', 'AT_ONCE', at('12:00')), 600_000);
});

test('daily notices go out at the next seven o’clock UTC', (t) => {
  for (const [time, hours] of [
    ['06:00', 1],
    ['07:00', 24],
    ['07:30', 23.5],
    ['23:00', 8],
  ] as const) {
    t.is(noticeDelayMs('funding.low', 'DAILY', at(time)), hours * 3_600_000, time);
    t.is(noticeDelayMs('review.waiting', 'DAILY', at(time)), hours * 3_600_000, time);
  }
});
