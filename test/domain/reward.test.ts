import test from 'ava';
import fc from 'fast-check';
import { allReviewReasons, reasonProblem, reviewReasons } from '../../domain/review.ts';
import {
  applyMove,
  type ClaimPageState,
  type CustomerStatus,
  canMove,
  claimPageStateOf,
  IllegalMoveError,
  initialState,
  isClaimLinkDue,
  isCorrectable,
  isCorrectionDue,
  isReinstatable,
  openStatuses,
  type RewardMove,
  type RewardState,
  type RewardStatus,
  refundStatusOf,
  reminderAtMs,
  rewardTable,
  waitingFor,
} from '../../domain/reward.ts';

const pending: RewardState = {
  status: 'PENDING',
  customerStatus: 'AWAITING_CUSTOMER_CLAIM',
  funded: false,
};
const pendingFunded: RewardState = { ...pending, funded: true };
const awaitingFunding: RewardState = { ...pending, status: 'AWAITING_FUNDING' };
const available: RewardState = { status: 'AVAILABLE', customerStatus: 'CLAIMED', funded: true };
const expired: RewardState = { status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED', funded: false };
const cancelled: RewardState = { status: 'CANCELLED', customerStatus: 'CANCELLED', funded: false };
const adminReview: RewardState = {
  status: 'ADMIN_REVIEW',
  customerStatus: 'CLAIMED',
  funded: true,
};
const known = [pending, pendingFunded, awaitingFunding, available, expired, cancelled, adminReview];

test('an accepted purchase creates a reward in PENDING / AWAITING_CUSTOMER_CLAIM, not yet funded', (t) => {
  t.deepEqual(initialState, pending);
});

const rows: [title: string, from: RewardState, move: RewardMove, to: RewardState][] = [
  [
    'PENDING, accounting, insufficient funds: AWAITING_FUNDING',
    pending,
    'RUN_SHORT',
    awaitingFunding,
  ],
  ['PENDING, accounting, sufficient funds: PENDING, funded', pending, 'FUND', pendingFunded],
  ['AWAITING_FUNDING, top-up: PENDING, funded', awaitingFunding, 'FUND', pendingFunded],
  ['PENDING, funded, customer claims: AVAILABLE / CLAIMED', pendingFunded, 'CLAIM', available],
  ['PENDING, claimExpiresAt passes: EXPIRED / CLAIM_EXPIRED', pending, 'EXPIRE', expired],
  [
    'PENDING, funded, claimExpiresAt passes: EXPIRED / CLAIM_EXPIRED',
    pendingFunded,
    'EXPIRE',
    expired,
  ],
  [
    'AWAITING_FUNDING, claimExpiresAt passes: EXPIRED / CLAIM_EXPIRED',
    awaitingFunding,
    'EXPIRE',
    expired,
  ],
  ['PENDING, refund: CANCELLED / CANCELLED', pending, 'REFUND', cancelled],
  ['PENDING, funded, refund: CANCELLED / CANCELLED', pendingFunded, 'REFUND', cancelled],
  ['AWAITING_FUNDING, refund: CANCELLED / CANCELLED', awaitingFunding, 'REFUND', cancelled],
  ['PENDING, an operator cancels: CANCELLED', pending, 'CANCEL', cancelled],
  ['PENDING, funded, an operator cancels: CANCELLED', pendingFunded, 'CANCEL', cancelled],
  ['AWAITING_FUNDING, an operator cancels: CANCELLED', awaitingFunding, 'CANCEL', cancelled],
  ['AVAILABLE, refund: ADMIN_REVIEW / CLAIMED', available, 'REFUND', adminReview],
  ['ADMIN_REVIEW, upheld, the points held or spent: CANCELLED', adminReview, 'UPHOLD', cancelled],
  ['PENDING, part refunded: unchanged', pendingFunded, 'REDUCE', pendingFunded],
  ['AWAITING_FUNDING, part refunded: unchanged', awaitingFunding, 'REDUCE', awaitingFunding],
  ['ADMIN_REVIEW, upheld for a part: AVAILABLE', adminReview, 'REDUCE', available],
  ['ADMIN_REVIEW, dismissed: AVAILABLE', adminReview, 'DISMISS', available],
  ['CANCELLED, its refund was a mistake: PENDING', cancelled, 'REINSTATE', pending],
  ['PENDING, its contact was wrong: unchanged', pendingFunded, 'CORRECT', pendingFunded],
  [
    'AWAITING_FUNDING, its contact was wrong: unchanged',
    awaitingFunding,
    'CORRECT',
    awaitingFunding,
  ],
  ['CANCELLED, another refund: unchanged', cancelled, 'REFUND', cancelled],
  ['EXPIRED, another refund: unchanged', expired, 'REFUND', expired],
  ['ADMIN_REVIEW, another refund: unchanged', adminReview, 'REFUND', adminReview],
];

for (const [title, from, move, to] of rows) {
  test(title, (t) => {
    t.true(canMove(from, move));
    t.deepEqual(applyMove(from, move), to);
  });
}

test('these cases cover every row of the table', (t) => {
  for (const { from: status, funded, on } of rewardTable) {
    const of = rows.filter(([, from, move]) => from.status === status && move === on);
    const tried = of.filter(([, from]) => funded === undefined || from.funded === funded);
    t.true(tried.length > 0, `${on} from ${status}`);
  }
});

/** All members of a union. A missing one does not compile. */
const namesOf = <Name extends string>(names: Record<Name, true>) => Object.keys(names) as Name[];

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
  UPHOLD: true,
  DISMISS: true,
});

const statuses = namesOf<RewardStatus>({
  PENDING: true,
  AWAITING_FUNDING: true,
  AVAILABLE: true,
  EXPIRED: true,
  CANCELLED: true,
  ADMIN_REVIEW: true,
});

const customerStatuses = namesOf<CustomerStatus>({
  AWAITING_CUSTOMER_CLAIM: true,
  CLAIMED: true,
  CLAIM_EXPIRED: true,
  CANCELLED: true,
});

/** The moves allowed in each state. All others are refused. */
const allowed: Record<string, RewardMove[]> = {
  'PENDING, unfunded': ['FUND', 'RUN_SHORT', 'EXPIRE', 'REFUND', 'CANCEL', 'CORRECT'],
  'PENDING, funded': ['CLAIM', 'EXPIRE', 'REFUND', 'REDUCE', 'CANCEL', 'CORRECT'],
  'AWAITING_FUNDING, unfunded': ['FUND', 'EXPIRE', 'REFUND', 'REDUCE', 'CANCEL', 'CORRECT'],
  'AWAITING_FUNDING, funded': ['FUND', 'EXPIRE', 'REFUND', 'REDUCE', 'CANCEL', 'CORRECT'],
  'AVAILABLE, unfunded': ['REFUND'],
  'AVAILABLE, funded': ['REFUND'],
  'EXPIRED, unfunded': ['REFUND'],
  'EXPIRED, funded': ['REFUND'],
  'CANCELLED, unfunded': ['REINSTATE', 'REFUND'],
  'CANCELLED, funded': ['REINSTATE', 'REFUND'],
  'ADMIN_REVIEW, unfunded': ['UPHOLD', 'DISMISS', 'REFUND', 'REDUCE'],
  'ADMIN_REVIEW, funded': ['UPHOLD', 'DISMISS', 'REFUND', 'REDUCE'],
};

for (const status of statuses) {
  for (const funded of [false, true]) {
    const name = `${status}, ${funded ? 'funded' : 'unfunded'}`;
    test(`${name}: every move that is not in the table is refused`, (t) => {
      const allowedHere = allowed[name] ?? [];
      for (const customerStatus of customerStatuses) {
        const from = { status, customerStatus, funded };
        for (const move of moves) {
          const legal = allowedHere.includes(move);
          t.is(canMove(from, move), legal, move);
          if (legal) t.notThrows(() => applyMove(from, move), move);
          else t.throws(() => applyMove(from, move), { instanceOf: IllegalMoveError }, move);
        }
      }
    });
  }
}

test('only a refund of an unclaimed reward within its window can be taken back', (t) => {
  const at = new Date('2026-03-01T00:00:00Z');
  const of = (...made: [RewardMove, RewardStatus][]) => ({
    status: made.at(-1)?.[1] ?? 'PENDING',
    claimExpiresAt: new Date(at.getTime() + 1),
    moves: made.map(([move, status]) => ({ move, status, at })),
  });
  const funded = ['FUND', 'PENDING'] as [RewardMove, RewardStatus];
  const refunded = ['REFUND', 'CANCELLED'] as [RewardMove, RewardStatus];
  const cases: [Parameters<typeof isReinstatable>[0], boolean][] = [
    [of(refunded), true],
    [of(funded, refunded, refunded), true],
    [of(funded, refunded, ['REINSTATE', 'PENDING'], funded, refunded), true],
    [{ ...of(funded, refunded), claimExpiresAt: at }, false],
    [of(funded, ['CANCEL', 'CANCELLED'], refunded), false],
    [of(['REFUND', 'ADMIN_REVIEW'], ['UPHOLD', 'CANCELLED']), false],
    [of(funded), false],
    [of(funded, ['EXPIRE', 'EXPIRED'], ['REFUND', 'EXPIRED']), false],
  ];
  for (const [reward, can] of cases) t.is(isReinstatable(reward, at), can, JSON.stringify(reward));
});

test('a contact is corrected once, before the claim and within the window', (t) => {
  const at = new Date('2026-03-01T00:00:00Z');
  const open = { ...pendingFunded, claimExpiresAt: new Date(at.getTime() + 1) };
  const correction = { correctedAt: '', fromCustomerId: 'cus_1', sealedContact: '' };
  t.true(isCorrectable(open, at));
  t.true(isCorrectable({ ...open, ...awaitingFunding }, at));
  t.false(isCorrectable({ ...open, correction }, at));
  t.false(isCorrectable({ ...open, claimExpiresAt: at }, at));
  for (const state of [available, cancelled, expired]) {
    t.false(isCorrectable({ ...open, ...state }, at), state.status);
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
  t.throws(() => applyMove(available, 'CLAIM'), { message: 'CLAIM from AVAILABLE (funded)' });
  t.throws(() => applyMove(pending, 'CLAIM'), { message: 'CLAIM from PENDING' });
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

const same = (a: RewardState, b: RewardState): boolean =>
  a.status === b.status && a.customerStatus === b.customerStatus && a.funded === b.funded;

const someMoves = fc.array(fc.constantFrom(...moves), { maxLength: 30 });

test('any moves leave a reward in a known state', (t) => {
  fc.assert(
    fc.property(someMoves, (played) =>
      play(initialState, played).every((at) => known.some((state) => same(at, state))),
    ),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('every known state can be reached from a purchase', (t) => {
  const reached: RewardState[] = [initialState];
  for (const at of reached) {
    for (const next of moves.flatMap((move) => play(at, [move]).slice(1))) {
      if (!reached.some((state) => same(state, next))) reached.push(next);
    }
  }
  t.is(reached.length, known.length);
  for (const state of known)
    t.true(
      reached.some((at) => same(at, state)),
      state.status,
    );
});

for (const terminal of [cancelled, expired]) {
  test(`a ${terminal.status} reward stays so, unless it is reinstated`, (t) => {
    fc.assert(
      fc.property(someMoves, (played) =>
        play(
          terminal,
          played.filter((move) => move !== 'REINSTATE'),
        ).every((state) => same(state, terminal)),
      ),
    );
    t.pass();
  });
}

test('a move does not mutate the given state', (t) => {
  const from = { ...pendingFunded };
  applyMove(from, 'CLAIM');
  t.deepEqual(from, pendingFunded);
});

test('a refund returns CANCELLED, REDUCED, ADMIN_REVIEW, or NO_ACTION for an expired reward', (t) => {
  t.is(refundStatusOf(pendingFunded.status), 'REDUCED');
  t.is(refundStatusOf(awaitingFunding.status), 'REDUCED');
  t.is(refundStatusOf(cancelled.status), 'CANCELLED');
  t.is(refundStatusOf(adminReview.status), 'ADMIN_REVIEW');
  t.is(refundStatusOf(expired.status), 'NO_ACTION');
});

test('a refund is allowed in every state, and each resulting state has its response', (t) => {
  for (const state of known) {
    t.notThrows(() => refundStatusOf(applyMove(state, 'REFUND').status), state.status);
  }
});

for (const state of [available]) {
  test(`no refund leaves a reward ${state.status}${state.funded ? ', funded' : ''}`, (t) => {
    t.throws(() => refundStatusOf(state.status), { instanceOf: IllegalMoveError });
  });
}

test('a reward waits for the customer, for funds or an admin, and in a final state for nobody', (t) => {
  t.deepEqual(
    known.map((state) => [state.status, waitingFor(state)]),
    [
      ['PENDING', 'CUSTOMER'],
      ['PENDING', 'CUSTOMER'],
      ['AWAITING_FUNDING', 'FUNDS'],
      ['AVAILABLE', 'NOBODY'],
      ['EXPIRED', 'NOBODY'],
      ['CANCELLED', 'NOBODY'],
      ['ADMIN_REVIEW', 'OPERATOR'],
    ],
  );
});

test('the claim window runs while the reward waits for the customer or for funds', (t) => {
  for (const state of known) {
    const isRunning = ['CUSTOMER', 'FUNDS'].includes(waitingFor(state));
    t.is(isRunning, canMove(state, 'EXPIRE'), state.status);
  }
});

test('a reward is open while it waits for somebody', (t) => {
  t.deepEqual(openStatuses.toSorted(), ['ADMIN_REVIEW', 'AWAITING_FUNDING', 'PENDING']);
});

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const reward = {
  ...({ status: 'PENDING' } as const),
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
  ['while the reward waits for funds', { status: 'AWAITING_FUNDING', fundedAt: null }, null],
  ['before the money is reserved', { fundedAt: null }, null],
  ['once the reward is claimed', { status: 'AVAILABLE' }, null],
  ['once the reward is cancelled', { status: 'CANCELLED' }, null],
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

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const later = new Date(nowMs + 1);

const rowsOfClaimPageState: [
  status: RewardStatus,
  customerStatus: CustomerStatus,
  standing: ClaimPageState,
  funded?: boolean,
][] = [
  ['PENDING', 'AWAITING_CUSTOMER_CLAIM', 'OPEN', true],
  ['PENDING', 'AWAITING_CUSTOMER_CLAIM', 'BEING_PREPARED'],
  ['AWAITING_FUNDING', 'AWAITING_CUSTOMER_CLAIM', 'AWAITING_FUNDING'],
  ['AVAILABLE', 'CLAIMED', 'CLAIMED'],
  ['ADMIN_REVIEW', 'CLAIMED', 'IN_REVIEW'],
  ['EXPIRED', 'CLAIM_EXPIRED', 'EXPIRED'],
  ['CANCELLED', 'CANCELLED', 'CANCELLED'],
];

for (const [status, customerStatus, standing, funded = false] of rowsOfClaimPageState) {
  const reward = { status, customerStatus, funded, claimExpiresAt: later };
  const of = `${status}${funded ? ', funded' : ''}`;

  test(`${of}, ${customerStatus} shows customers ${standing}`, (t) => {
    t.is(claimPageStateOf(reward, { isSuspended: false, nowMs }), standing);
  });

  test(`${of}, ${customerStatus} of a suspended partner is paused, unless already settled`, (t) => {
    const isSettled = customerStatus !== 'AWAITING_CUSTOMER_CLAIM';
    const expected = isSettled ? standing : 'SUSPENDED';
    t.is(claimPageStateOf(reward, { isSuspended: true, nowMs }), expected);
  });

  test(`${of}, ${customerStatus} after its claim window is expired, unless already settled`, (t) => {
    const isSettled = customerStatus !== 'AWAITING_CUSTOMER_CLAIM';
    const over = { ...reward, claimExpiresAt: new Date(nowMs) };
    for (const isSuspended of [false, true]) {
      t.is(claimPageStateOf(over, { isSuspended, nowMs }), isSettled ? standing : 'EXPIRED');
    }
  });
}

const rewardOfClaimReminder = {
  ...({ mode: 'LIVE', status: 'PENDING' } as const),
  fundedAt: at(1),
  claimExpiresAt: at(31),
};

test('a customer is reminded three days before the claim window ends', (t) => {
  t.is(reminderAtMs(rewardOfClaimReminder), Date.parse(at(28)));
  t.is(reminderAtMs({ ...rewardOfClaimReminder, claimExpiresAt: at(8) }), Date.parse(at(5)));
});

const noneOfClaimReminder: [why: string, changes: Partial<Parameters<typeof reminderAtMs>[0]>][] = [
  ['a window shorter than a week', { claimExpiresAt: at(7) }],
  ['a TEST reward', { mode: 'TEST' }],
  ['a reward waiting for funds', { status: 'AWAITING_FUNDING', fundedAt: null }],
  ['a claimed reward', { status: 'AVAILABLE' }],
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
