import test from 'ava';
import fc from 'fast-check';
import { allReviewReasons, reasonProblem, reviewReasons } from '../../domain/review.ts';
import {
  applyMove,
  type ClaimPageState,
  type CustomerStatus,
  canMove,
  claimPageStateOf,
  customerStatusOf,
  expiredAt,
  IllegalMoveError,
  initialState,
  isClaimLinkDue,
  isCorrectable,
  isCorrectionDue,
  isFunded,
  isHoldNoticeDue,
  isMature,
  isReinstatable,
  openStates,
  pointsNow,
  type RewardMove,
  type RewardState,
  type RewardStatus,
  refundStatusOf,
  reminderAtMs,
  rewardStatuses,
  rewardTable,
  statesOf,
  statusOf,
  unclaimedStates,
  waitingFor,
} from '../../domain/reward.ts';

/** All members of a union. A missing one does not compile. */
const namesOf = <Name extends string>(names: Record<Name, true>) => Object.keys(names) as Name[];

const known = namesOf<RewardState>({
  ACCEPTED: true,
  AWAITING_FUNDING: true,
  FUNDED: true,
  AVAILABLE: true,
  IN_REVIEW: true,
  EXPIRED: true,
  CANCELLED: true,
});

test('an accepted purchase creates a reward that is accepted, and not yet funded', (t) => {
  t.is(initialState, 'ACCEPTED');
  t.false(isFunded(initialState));
});

const wire: Record<RewardState, [RewardStatus, CustomerStatus, isFunded: boolean]> = {
  ACCEPTED: ['PENDING', 'AWAITING_CUSTOMER_CLAIM', false],
  AWAITING_FUNDING: ['AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', false],
  FUNDED: ['PENDING', 'AWAITING_CUSTOMER_CLAIM', true],
  AVAILABLE: ['AVAILABLE', 'CLAIMED', true],
  IN_REVIEW: ['ADMIN_REVIEW', 'CLAIMED', true],
  EXPIRED: ['EXPIRED', 'CLAIM_EXPIRED', false],
  CANCELLED: ['CANCELLED', 'CANCELLED', false],
};

test('each state has its status and customer status, and is funded or not', (t) => {
  for (const state of known) {
    t.deepEqual([statusOf(state), customerStatusOf(state), isFunded(state)], wire[state], state);
  }
});

test('a filter by status finds all states that have it', (t) => {
  t.deepEqual(statesOf('PENDING'), ['ACCEPTED', 'FUNDED']);
  for (const status of rewardStatuses) {
    const having = known.filter((state) => wire[state][0] === status);
    t.deepEqual(statesOf(status).toSorted(), having.toSorted(), status);
  }
});

const rows: [title: string, from: RewardState, move: RewardMove, to: RewardState][] = [
  ['accounting, sufficient funds', 'ACCEPTED', 'FUND', 'FUNDED'],
  ['accounting, insufficient funds', 'ACCEPTED', 'RUN_SHORT', 'AWAITING_FUNDING'],
  ['claimExpiresAt passes', 'ACCEPTED', 'EXPIRE', 'EXPIRED'],
  ['a refund', 'ACCEPTED', 'REFUND', 'CANCELLED'],
  ['an operator cancels', 'ACCEPTED', 'CANCEL', 'CANCELLED'],
  ['its contact was wrong', 'ACCEPTED', 'CORRECT', 'ACCEPTED'],
  ['a top-up', 'AWAITING_FUNDING', 'FUND', 'FUNDED'],
  ['claimExpiresAt passes', 'AWAITING_FUNDING', 'EXPIRE', 'EXPIRED'],
  ['a refund', 'AWAITING_FUNDING', 'REFUND', 'CANCELLED'],
  ['part refunded', 'AWAITING_FUNDING', 'REDUCE', 'AWAITING_FUNDING'],
  ['an operator cancels', 'AWAITING_FUNDING', 'CANCEL', 'CANCELLED'],
  ['its contact was wrong', 'AWAITING_FUNDING', 'CORRECT', 'AWAITING_FUNDING'],
  ['its hold ends', 'AWAITING_FUNDING', 'MATURE', 'AWAITING_FUNDING'],
  ['the customer claims', 'FUNDED', 'CLAIM', 'AVAILABLE'],
  ['claimExpiresAt passes', 'FUNDED', 'EXPIRE', 'EXPIRED'],
  ['a refund', 'FUNDED', 'REFUND', 'CANCELLED'],
  ['part refunded', 'FUNDED', 'REDUCE', 'FUNDED'],
  ['an operator cancels', 'FUNDED', 'CANCEL', 'CANCELLED'],
  ['its contact was wrong', 'FUNDED', 'CORRECT', 'FUNDED'],
  ['its hold ends', 'FUNDED', 'MATURE', 'FUNDED'],
  ['a refund', 'AVAILABLE', 'REFUND', 'IN_REVIEW'],
  ['upheld, the points held or spent', 'IN_REVIEW', 'UPHOLD', 'CANCELLED'],
  ['upheld for a part', 'IN_REVIEW', 'REDUCE', 'AVAILABLE'],
  ['dismissed', 'IN_REVIEW', 'DISMISS', 'AVAILABLE'],
  ['another refund', 'IN_REVIEW', 'REFUND', 'IN_REVIEW'],
  ['another refund', 'EXPIRED', 'REFUND', 'EXPIRED'],
  ['another refund', 'CANCELLED', 'REFUND', 'CANCELLED'],
  ['its refund was a mistake', 'CANCELLED', 'REINSTATE', 'ACCEPTED'],
];

for (const [what, from, move, to] of rows) {
  test(`${from}, ${what}: ${to === from ? 'unchanged' : to}`, (t) => {
    t.true(canMove(from, move));
    t.is(applyMove(from, move), to);
  });
}

test('these cases are the whole table', (t) => {
  const tried = rows.map(([, from, move]) => `${move} from ${from}`);
  const table = known.flatMap((from) =>
    Object.keys(rewardTable[from]).map((move) => `${move} from ${from}`),
  );
  t.deepEqual(tried.toSorted(), table.toSorted());
});

const moves = namesOf<RewardMove>({
  FUND: true,
  RUN_SHORT: true,
  CLAIM: true,
  EXPIRE: true,
  REFUND: true,
  REDUCE: true,
  CANCEL: true,
  REINSTATE: true,
  CORRECT: true,
  MATURE: true,
  UPHOLD: true,
  DISMISS: true,
});

/** The moves allowed in each state. All others are refused. */
const allowed: Record<RewardState, RewardMove[]> = {
  ACCEPTED: ['FUND', 'RUN_SHORT', 'EXPIRE', 'REFUND', 'CANCEL', 'CORRECT'],
  AWAITING_FUNDING: ['FUND', 'EXPIRE', 'REFUND', 'REDUCE', 'CANCEL', 'CORRECT', 'MATURE'],
  FUNDED: ['CLAIM', 'EXPIRE', 'REFUND', 'REDUCE', 'CANCEL', 'CORRECT', 'MATURE'],
  AVAILABLE: ['REFUND'],
  IN_REVIEW: ['UPHOLD', 'DISMISS', 'REFUND', 'REDUCE'],
  EXPIRED: ['REFUND'],
  CANCELLED: ['REINSTATE', 'REFUND'],
};

for (const from of known) {
  test(`${from}: every move that is not in the table is refused`, (t) => {
    for (const move of moves) {
      const legal = allowed[from].includes(move);
      t.is(canMove(from, move), legal, move);
      if (legal) t.notThrows(() => applyMove(from, move), move);
      else t.throws(() => applyMove(from, move), { instanceOf: IllegalMoveError }, move);
    }
  });
}

test('only a refund of an unclaimed reward within its window can be taken back', (t) => {
  const at = new Date('2026-03-01T00:00:00Z');
  const of = (...made: [RewardMove, RewardState][]) => ({
    state: made.at(-1)?.[1] ?? initialState,
    claimExpiresAt: new Date(at.getTime() + 1),
    moves: made.map(([move, state]) => ({ move, state, at })),
  });
  const funded = ['FUND', 'FUNDED'] as [RewardMove, RewardState];
  const refunded = ['REFUND', 'CANCELLED'] as [RewardMove, RewardState];
  const cases: [Parameters<typeof isReinstatable>[0], boolean][] = [
    [of(refunded), true],
    [of(funded, refunded, refunded), true],
    [of(funded, refunded, ['REINSTATE', 'ACCEPTED'], funded, refunded), true],
    [{ ...of(funded, refunded), claimExpiresAt: at }, false],
    [of(funded, ['CANCEL', 'CANCELLED'], refunded), false],
    [of(['REFUND', 'IN_REVIEW'], ['UPHOLD', 'CANCELLED']), false],
    [of(funded), false],
    [of(funded, ['EXPIRE', 'EXPIRED'], ['REFUND', 'EXPIRED']), false],
  ];
  for (const [reward, can] of cases) t.is(isReinstatable(reward, at), can, JSON.stringify(reward));
});

test('a contact is corrected once, before the claim and within the window', (t) => {
  const at = new Date('2026-03-01T00:00:00Z');
  const open = { state: 'FUNDED' as RewardState, claimExpiresAt: new Date(at.getTime() + 1) };
  const correction = { correctedAt: '', fromCustomerId: 'cus_1', sealedContact: '' };
  t.true(isCorrectable(open, at));
  t.true(isCorrectable({ ...open, state: 'AWAITING_FUNDING' }, at));
  t.false(isCorrectable({ ...open, correction }, at));
  t.false(isCorrectable({ ...open, claimExpiresAt: at }, at));
  for (const state of ['AVAILABLE', 'CANCELLED', 'EXPIRED'] as const) {
    t.false(isCorrectable({ ...open, state }, at), state);
  }
});

test('a contact that was wrong is told once, within the days that a message is tried', (t) => {
  const correctedAt = '2026-03-01T00:00:00Z';
  const dayMs = 86_400_000;
  const nowMs = Date.parse(correctedAt);
  t.true(isCorrectionDue({ correctedAt }, false, nowMs));
  t.false(isCorrectionDue({ correctedAt }, true, nowMs));
  t.false(isCorrectionDue({ correctedAt }, false, nowMs + 4 * dayMs));
  t.false(isCorrectionDue({ correctedAt: null }, false, nowMs));
});

test('a refused move names itself and the state', (t) => {
  t.throws(() => applyMove('AVAILABLE', 'CLAIM'), { message: 'CLAIM from AVAILABLE' });
  t.throws(() => applyMove('ACCEPTED', 'CLAIM'), { message: 'CLAIM from ACCEPTED' });
});

/** Makes moves one after the other, and skips those that the table refuses. @returns the states */
function play(from: RewardState, played: readonly RewardMove[]): RewardState[] {
  const path = [from];
  let current = from;
  for (const move of played) {
    if (canMove(current, move)) current = applyMove(current, move);
    path.push(current);
  }
  return path;
}

const someMoves = fc.array(fc.constantFrom(...moves), { maxLength: 30 });

test('every state can be reached from a purchase', (t) => {
  const reached: RewardState[] = [initialState];
  for (const at of reached) {
    for (const next of moves.flatMap((move) => play(at, [move]).slice(1))) {
      if (!reached.includes(next)) reached.push(next);
    }
  }
  t.deepEqual(reached.toSorted(), known.toSorted());
});

for (const terminal of ['CANCELLED', 'EXPIRED'] as const) {
  test(`a ${terminal} reward stays so, unless it is reinstated`, (t) => {
    fc.assert(
      fc.property(someMoves, (played) =>
        play(
          terminal,
          played.filter((move) => move !== 'REINSTATE'),
        ).every((state) => state === terminal),
      ),
    );
    t.pass();
  });
}

test('a refund returns CANCELLED, REDUCED, ADMIN_REVIEW, or NO_ACTION for an expired reward', (t) => {
  t.is(refundStatusOf('FUNDED'), 'REDUCED');
  t.is(refundStatusOf('AWAITING_FUNDING'), 'REDUCED');
  t.is(refundStatusOf('CANCELLED'), 'CANCELLED');
  t.is(refundStatusOf('IN_REVIEW'), 'ADMIN_REVIEW');
  t.is(refundStatusOf('EXPIRED'), 'NO_ACTION');
});

test('a refund is allowed in every state, and each resulting state has its response', (t) => {
  for (const state of known) t.notThrows(() => refundStatusOf(applyMove(state, 'REFUND')), state);
});

test('no refund leaves a reward AVAILABLE or ACCEPTED', (t) => {
  for (const state of ['AVAILABLE', 'ACCEPTED'] as const) {
    t.throws(() => refundStatusOf(state), { instanceOf: IllegalMoveError });
  }
});

test('a reward waits for the customer, for funds or an admin, and in a final state for nobody', (t) => {
  t.deepEqual(Object.fromEntries(known.map((state) => [state, waitingFor(state)])), {
    ACCEPTED: 'CUSTOMER',
    AWAITING_FUNDING: 'FUNDS',
    FUNDED: 'CUSTOMER',
    AVAILABLE: 'NOBODY',
    IN_REVIEW: 'OPERATOR',
    EXPIRED: 'NOBODY',
    CANCELLED: 'NOBODY',
  });
});

test('the claim window runs while the reward waits for the customer or for funds', (t) => {
  for (const state of known) {
    const isRunning = ['CUSTOMER', 'FUNDS'].includes(waitingFor(state));
    t.is(isRunning, canMove(state, 'EXPIRE'), state);
    t.is(isRunning, unclaimedStates.includes(state), state);
  }
});

test('a reward is open while it waits for somebody', (t) => {
  t.deepEqual(openStates.toSorted(), ['ACCEPTED', 'AWAITING_FUNDING', 'FUNDED', 'IN_REVIEW']);
});

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const reward = {
  ...({ state: 'FUNDED' } as const),
  fundedAt: at(1),
  claimExpiresAt: at(31),
};

test('the claim link is sent as soon as the reward is funded', (t) => {
  t.true(isClaimLinkDue(reward, null, Date.parse(at(1))));
  t.true(isClaimLinkDue(reward, null, Date.parse(at(4))));
});

test('the claim link is sent again for a new claim window', (t) => {
  t.true(isClaimLinkDue(reward, at(30), Date.parse(at(1))));
});

const none: [why: string, changes: object, until: string | null][] = [
  ['while the reward waits for funds', { state: 'AWAITING_FUNDING', fundedAt: null }, null],
  ['before the money is reserved', { fundedAt: null }, null],
  ['once the reward is claimed', { state: 'AVAILABLE' }, null],
  ['once the reward is cancelled', { state: 'CANCELLED' }, null],
  ['twice for one claim window', {}, reward.claimExpiresAt],
  ['after the claim window', { claimExpiresAt: at(1) }, null],
];

for (const [why, changes, offeredUntil] of none) {
  test(`the claim link is not sent ${why}`, (t) => {
    t.false(isClaimLinkDue({ ...reward, ...changes }, offeredUntil, Date.parse(at(1))));
  });
}

test('the claim link is not sent days after it was given up', (t) => {
  t.false(isClaimLinkDue(reward, null, Date.parse(at(4)) + 1));
});

test('the claim link of a reward on hold is sent when the hold is over, and until days after', (t) => {
  const held = { ...reward, claimableFrom: at(15) };
  t.false(isClaimLinkDue(held, null, Date.parse(at(1))));
  t.false(isClaimLinkDue(held, null, Date.parse(at(15)) - 1));
  t.true(isClaimLinkDue(held, null, Date.parse(at(15))));
  t.true(isClaimLinkDue(held, null, Date.parse(at(18))));
  t.false(isClaimLinkDue(held, null, Date.parse(at(18)) + 1));
});

test('a customer is told of points on hold once they are funded, and again if they are funded anew', (t) => {
  const held = { ...reward, claimableFrom: at(15) };
  t.true(isHoldNoticeDue(held, undefined, Date.parse(at(1))));
  t.true(isHoldNoticeDue(held, at(0), Date.parse(at(1))));
  const none: [why: string, changes: object, toldOf: string | undefined, at: string][] = [
    ['told before', {}, at(1), at(1)],
    ['without a hold', { claimableFrom: undefined }, undefined, at(1)],
    ['once it is over', {}, undefined, at(15)],
    ['days after it was given up', {}, undefined, at(5)],
    ['while it waits for funds', { state: 'AWAITING_FUNDING', fundedAt: null }, undefined, at(1)],
  ];
  for (const [why, changes, toldOf, now] of none) {
    t.false(isHoldNoticeDue({ ...held, ...changes }, toldOf, Date.parse(now)), why);
  }
});

test('a hold is over once, for a reward that was funded during it', (t) => {
  const claimableFrom = new Date(at(15));
  const made = (...all: [RewardMove, number][]) =>
    all.map(([move, day]) => ({ move, at: new Date(at(day)), state: 'FUNDED' as const }));
  const held = { state: 'FUNDED' as RewardState, claimableFrom, moves: made(['FUND', 1]) };
  const cases: [why: string, reward: Parameters<typeof isMature>[0], day: number, is: boolean][] = [
    ['at its end', held, 15, true],
    ['before its end', held, 14, false],
    ['said before', { ...held, moves: made(['FUND', 1], ['MATURE', 15]) }, 16, false],
    ['funded after its end', { ...held, moves: made(['FUND', 16]) }, 17, false],
    ['after it was corrected', { ...held, moves: made(['FUND', 1], ['CORRECT', 2]) }, 15, true],
    [
      'funded anew during it',
      { ...held, moves: made(['FUND', 1], ['REINSTATE', 3], ['FUND', 3]) },
      15,
      true,
    ],
    ['waiting for funds', { ...held, state: 'AWAITING_FUNDING', moves: [] }, 15, false],
    ['without a hold', { state: 'FUNDED', moves: held.moves }, 15, false],
  ];
  for (const [why, one, day, is] of cases) t.is(isMature(one, new Date(at(day))), is, why);
});

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const later = new Date(nowMs + 1);

const shownOf: Record<RewardState, ClaimPageState> = {
  ACCEPTED: 'OPEN',
  AWAITING_FUNDING: 'AWAITING_FUNDING',
  FUNDED: 'OPEN',
  AVAILABLE: 'CLAIMED',
  IN_REVIEW: 'IN_REVIEW',
  EXPIRED: 'EXPIRED',
  CANCELLED: 'CANCELLED',
};

for (const state of known) {
  const reward = { state, claimExpiresAt: later };
  const isSettled = !unclaimedStates.includes(state);

  test(`${state} shows customers ${shownOf[state]}`, (t) => {
    t.is(claimPageStateOf(reward, { isSuspended: false, nowMs }), shownOf[state]);
  });

  test(`${state} shows customers on hold when it can be claimed, unless already settled`, (t) => {
    const held = { ...reward, claimableFrom: later };
    const expected = isSettled ? shownOf[state] : 'ON_HOLD';
    t.is(claimPageStateOf(held, { isSuspended: false, nowMs }), expected);
    t.is(claimPageStateOf(held, { isSuspended: true, nowMs }), isSettled ? expected : 'SUSPENDED');
    t.is(
      claimPageStateOf({ ...held, claimableFrom: new Date(nowMs) }, { isSuspended: false, nowMs }),
      shownOf[state],
    );
  });

  test(`${state} of a suspended partner is paused, unless already settled`, (t) => {
    const expected = isSettled ? shownOf[state] : 'SUSPENDED';
    t.is(claimPageStateOf(reward, { isSuspended: true, nowMs }), expected);
  });

  test(`${state} after its claim window is expired, unless already settled`, (t) => {
    const over = { ...reward, claimExpiresAt: new Date(nowMs) };
    for (const isSuspended of [false, true]) {
      t.is(claimPageStateOf(over, { isSuspended, nowMs }), isSettled ? shownOf[state] : 'EXPIRED');
    }
  });
}

const rewardOfClaimReminder = {
  ...({ mode: 'LIVE', state: 'FUNDED' } as const),
  fundedAt: at(1),
  claimExpiresAt: at(31),
};

test('a customer is reminded three days before the claim window ends', (t) => {
  t.is(reminderAtMs(rewardOfClaimReminder), Date.parse(at(28)));
  t.is(reminderAtMs({ ...rewardOfClaimReminder, claimExpiresAt: at(8) }), Date.parse(at(5)));
});

test('the claim window of a reminder begins when the hold is over', (t) => {
  const held = { ...rewardOfClaimReminder, claimableFrom: at(15) };
  t.is(reminderAtMs(held), Date.parse(at(28)));
  t.is(reminderAtMs({ ...held, claimableFrom: at(25) }), null, 'shorter than a week');
});

const noneOfClaimReminder: [why: string, changes: Partial<Parameters<typeof reminderAtMs>[0]>][] = [
  ['a window shorter than a week', { claimExpiresAt: at(7) }],
  ['a TEST reward', { mode: 'TEST' }],
  ['a reward waiting for funds', { state: 'AWAITING_FUNDING', fundedAt: null }],
  ['a claimed reward', { state: 'AVAILABLE' }],
];

for (const [why, changes] of noneOfClaimReminder) {
  test(`no reminder is sent for ${why}`, (t) => {
    t.is(reminderAtMs({ ...rewardOfClaimReminder, ...changes }), null);
  });
}

for (const verdict of ['UPHOLD', 'DISMISS'] as const) {
  test(`${verdict} needs one of its own reasons, and OTHER an explanation`, (t) => {
    const own: readonly string[] = reviewReasons[verdict];
    for (const reason of allReviewReasons) {
      t.is(reasonProblem(verdict, reason, 'in words') === undefined, own.includes(reason), reason);
    }
    t.is(reasonProblem(verdict, reviewReasons[verdict][0], ''), undefined);
    t.regex(reasonProblem(verdict, 'OTHER', '') ?? '', /reason is required/);
  });
}

test('every reason is listed once', (t) => {
  const all = new Set<string>([...reviewReasons.UPHOLD, ...reviewReasons.DISMISS]);
  t.deepEqual(allReviewReasons.toSorted(), [...all].sort());
});

test('the points of a reward that is over are nobody’s', (t) => {
  for (const state of known) {
    const isOver = state === 'EXPIRED' || state === 'CANCELLED';
    t.is(pointsNow({ state, points: 499 }), isOver ? 0 : 499, state);
  }
});

test('a reward expired at the end of its window, or when the TEST clock ended it', (t) => {
  const claimExpiresAt = new Date('2026-03-31T12:00:00.000Z');
  const expired = (at: string) =>
    expiredAt({ claimExpiresAt, moves: [{ move: 'EXPIRE', state: 'EXPIRED', at: new Date(at) }] });
  t.deepEqual(expiredAt({ claimExpiresAt, moves: [] }), claimExpiresAt);
  t.deepEqual(expired('2026-03-31T12:07:00.000Z'), claimExpiresAt, 'its workflow was late');
  const early = '2026-03-10T09:00:00.000Z';
  t.deepEqual(expired(early), new Date(early));
});
