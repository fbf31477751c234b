import test from 'ava';
import type { ErrorCode } from '../../domain/errors.ts';
import { type FactorHolder, isFresh, type Resetter, resetRefusal } from '../../domain/partners.ts';

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
