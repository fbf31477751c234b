import test from 'ava';
import fc from 'fast-check';
import type { Mode } from '../../domain/mode.ts';
import {
  accounts,
  type BalanceOf,
  balance,
  claimPostings,
  invoicePostings,
  isUnlimited,
  liabilityCentsOf,
  mustNotGoNegative,
  type Posting,
  releasePostings,
  reservationPostings,
  topUpPostings,
  UnbalancedError,
  uphold,
} from '../../domain/postings.ts';
import { redeemPostings as redeem } from '../helpers/a-redemption.ts';

const customerId = 'cus_ann';
const reward = { liabilityCents: 499, points: 500, customerId };
const { payable, points } = accounts;
const owed = payable(customerId);
const held = points.customer(customerId);
const lost = accounts.writeOff(customerId);
const lostPoints = points.writeOff(customerId);

const cents = (account: string, amount: number): Posting => ({ account, unit: 'CENTS', amount });
const amountIn = (postings: Posting[], account: string) =>
  postings.find((posting) => posting.account === account)?.amount;
/** The amounts by account, without zeros. */
const moved = (postings: Posting[]) =>
  Object.fromEntries(
    postings.filter(({ amount }) => amount !== 0).map(({ account, amount }) => [account, amount]),
  );
/** The balances of a customer with points. */
const customerWith =
  (owedCents: number, heldPoints: number): BalanceOf =>
  (account) =>
    ({ [owed]: owedCents, [held]: heldPoints })[account] ?? 0;

const moneyCents = fc.nat({ max: 1_000_000_000 });

test('every move of the accounting table debits and credits the right accounts', (t) => {
  const table: [string, Posting[], Record<string, number>][] = [
    ['top-up', topUpPostings(1_000), { cash: -1_000, funding: 1_000 }],
    ['reserve', reservationPostings('funding', reward), { funding: -499, reserved: 499 }],
    ['release', releasePostings('funding', reward), { reserved: -499, funding: 499 }],
    [
      'claim',
      claimPostings(reward),
      { reserved: -499, [owed]: 499, pointsIssued: -500, [held]: 500 },
    ],
    [
      'redeem',
      redeem(customerId, 100, customerWith(499, 500)),
      { [owed]: -99, redeemed: 99, [held]: -100, pointsRedeemed: 100 },
    ],
    [
      'uphold',
      uphold('funding', reward, customerWith(499, 500)).postings,
      { [owed]: -499, funding: 499, [held]: -500, pointsIssued: 500 },
    ],
    ['invoice', invoicePostings(2_900), { planReceivable: -2_900, revenue: 2_900 }],
  ];
  for (const [name, postings, expected] of table) t.deepEqual(moved(postings), expected, name);
});

test('what cash paid for goes back to cash, and never touches the funding', (t) => {
  t.deepEqual(moved(reservationPostings('cash', reward)), { cash: -499, reserved: 499 });
  t.deepEqual(moved(releasePostings('cash', reward)), { reserved: -499, cash: 499 });
  t.deepEqual(moved(uphold('cash', reward, customerWith(499, 500)).postings), {
    [owed]: -499,
    cash: 499,
    [held]: -500,
    pointsIssued: 500,
  });
});

test('only a TEST wallet that no test funding was added to is unlimited', (t) => {
  const table: [Mode, Record<string, number>, boolean][] = [
    ['TEST', {}, true],
    ['TEST', { cash: -499, reserved: 499 }, true],
    ['TEST', { cash: -1_000, funding: 1_000 }, false],
    ['TEST', { cash: -499, funding: 0, reserved: 499 }, false],
    ['LIVE', {}, false],
  ];
  for (const [mode, balances, expected] of table) t.is(isUnlimited({ mode, balances }), expected);
});

test('every move balances in each unit, for any value of a reward', (t) => {
  const sumOf = (postings: Posting[], unit: string) =>
    postings.filter((one) => one.unit === unit).reduce((sum, { amount }) => sum + amount, 0);
  const property = fc.property(
    moneyCents,
    moneyCents,
    moneyCents,
    moneyCents,
    fc.constantFrom('funding' as const, 'cash' as const),
    (liabilityCents, worthPoints, owedCents, heldPoints, payer) => {
      const one = { liabilityCents, points: worthPoints, customerId };
      const balances = customerWith(owedCents, heldPoints);
      const moves = [
        topUpPostings(liabilityCents),
        reservationPostings(payer, one),
        releasePostings(payer, one),
        claimPostings(one),
        uphold(payer, one, balances).postings,
        invoicePostings(liabilityCents),
        ...(heldPoints > 0 ? [redeem(customerId, 1 + (worthPoints % heldPoints), balances)] : []),
      ];
      return moves.every(
        (postings) => sumOf(postings, 'CENTS') === 0 && sumOf(postings, 'POINTS') === 0,
      );
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('a transaction that does not balance cannot be built', (t) => {
  const wrong: [string, Posting[]][] = [
    ['one side alone', [cents('funding', 5)]],
    ['a cent too many', [cents('funding', -5), cents('reserved', 6)]],
    [
      'cents against points',
      [cents('funding', -5), { account: 'pointsIssued', unit: 'POINTS', amount: 5 }],
    ],
    ['a fraction', [cents('funding', -0.5), cents('reserved', 0.5)]],
    ['no number', [cents('funding', Number.NaN), cents('reserved', 1)]],
    ['infinity', [cents('funding', -Infinity), cents('reserved', Infinity)]],
    ['beyond the safe integers', [cents('funding', -(2 ** 53)), cents('reserved', 2 ** 53)]],
    ['an account twice', [cents('funding', -5), cents('funding', 3), cents('reserved', 2)]],
    ['an account with itself', [cents('funding', -5), cents('funding', 5)]],
  ];
  for (const [name, postings] of wrong) {
    t.throws(() => balance(postings), { instanceOf: UnbalancedError }, name);
  }
});

test('sums are exact where floating point would be inexact', (t) => {
  const most = Number.MAX_SAFE_INTEGER;
  const exact = [cents('a', most), cents('b', most), cents('c', -most), cents('d', -most)];
  t.is(balance(exact).length, 4);
  const offByOne = [cents('a', most), cents('b', most), cents('c', -most), cents('d', 1 - most)];
  t.throws(() => balance(offByOne), { instanceOf: UnbalancedError });
});

test('any postings are either balanced and accepted, or refused', (t) => {
  const posting = fc.record({
    account: fc.constantFrom('a', 'b', 'c', 'd'),
    unit: fc.constantFrom('CENTS' as const, 'POINTS' as const),
    amount: fc.integer({ min: -3, max: 3 }),
  });
  const property = fc.property(fc.array(posting, { maxLength: 4 }), (postings) => {
    const moving = postings.filter(({ amount }) => amount !== 0);
    const sum = (unit: string) =>
      moving.filter((one) => one.unit === unit).reduce((total, { amount }) => total + amount, 0);
    const isTwice = new Set(moving.map(({ account }) => account)).size < moving.length;
    const isRight = sum('CENTS') === 0 && sum('POINTS') === 0 && !isTwice;
    try {
      const made = balance(postings);
      return isRight && made.length === moving.length && made.length !== 1;
    } catch (error) {
      return !isRight && error instanceof UnbalancedError;
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 500 }));
});

test('a zero move has no postings, but an account that a decision read gets a zero posting', (t) => {
  t.deepEqual(balance([]), []);
  t.deepEqual(reservationPostings('funding', { ...reward, liabilityCents: 0 }), []);
  t.deepEqual(balance([cents('a', 0), cents('b', 0)], ['a']), []);
  const some = [cents('a', -1), cents('b', 1), cents('c', 0), cents('d', 0)];
  t.deepEqual(balance(some), some.slice(0, 2));
  t.deepEqual(balance(some, ['c']), some.slice(0, 3));
  t.throws(() => balance(some, ['e']), { instanceOf: UnbalancedError, message: /e was read/ });
});

test('a decision that reads a customer’s balances posts to both', (t) => {
  const anything = fc.property(moneyCents, fc.integer({ min: 1, max: 1_000 }), (owedCents, has) => {
    const balances = customerWith(owedCents, has);
    const decided = [
      redeem(customerId, has, balances),
      uphold('funding', reward, balances).postings,
    ];
    return decided.every((postings) =>
      [owed, held].every((account) => amountIn(postings, account) !== undefined),
    );
  });
  t.notThrows(() => fc.assert(anything));
  const drained = uphold('funding', reward, customerWith(0, 0)).postings;
  t.deepEqual(
    [owed, held].map((account) => amountIn(drained, account)),
    [0, 0],
  );
});

const worthOf = (pointValueMicros: number, currency = 'USD') => ({ pointValueMicros, currency });

test('a reward costs its points times their value, rounded up to the cent', (t) => {
  const table = [
    [0, 10_000, 0],
    [499, 10_000, 499],
    [1, 1, 1],
    [10_000, 1, 1],
    [10_001, 1, 2],
    [3, 3_333, 1],
    [4, 2_500, 1],
    [5, 2_500, 2],
    [7, 0, 0],
  ] as const;
  for (const [worth, micros, expected] of table) {
    t.is(liabilityCentsOf(worth, worthOf(micros)), expected, `${worth} × ${micros}`);
  }
  t.is(liabilityCentsOf(Number.MAX_SAFE_INTEGER, worthOf(10_000)), Number.MAX_SAFE_INTEGER);
  t.throws(() => liabilityCentsOf(Number.MAX_SAFE_INTEGER, worthOf(10_001)), {
    instanceOf: RangeError,
  });
});

test('a reward costs minor units of its currency', (t) => {
  t.is(liabilityCentsOf(100, worthOf(1_000_000, 'JPY')), 100);
  t.is(liabilityCentsOf(101, worthOf(10_000, 'JPY')), 2);
  t.is(liabilityCentsOf(100, worthOf(10_000, 'KWD')), 1_000);
  t.is(liabilityCentsOf(1, worthOf(1_001, 'KWD')), 2);
});

test('the reserved amount suffices, and exceeds the exact one by less than a cent', (t) => {
  const property = fc.property(
    fc.nat({ max: 1_000_000_000 }),
    fc.nat({ max: 1_000_000 }),
    (worth, micros) => {
      const exact = BigInt(worth) * BigInt(micros);
      const reserved = BigInt(liabilityCentsOf(worth, worthOf(micros))) * 10_000n;
      return reserved >= exact && reserved - exact < 10_000n;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('each redemption takes its share, rounded down, and the last one takes the rest', (t) => {
  t.is(amountIn(redeem(customerId, 1, customerWith(2, 3)), owed), 0);
  t.is(amountIn(redeem(customerId, 2, customerWith(2, 3)), owed), -1);
  t.is(amountIn(redeem(customerId, 3, customerWith(2, 3)), owed), -2);
  const most = Number.MAX_SAFE_INTEGER;
  t.is(amountIn(redeem(customerId, most, customerWith(most, most)), owed), -most);

  const property = fc.property(
    fc.nat({ max: 100_000 }),
    fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 }),
    (owedCents, spends) => {
      let [cts, pts] = [owedCents, spends.reduce((sum, spent) => sum + spent, 0)];
      for (const spent of spends) {
        const postings = redeem(customerId, spent, customerWith(cts, pts));
        const share = 0 - (amountIn(postings, owed) ?? 0);
        if (share > (cts * spent) / pts || share < 0) return false;
        if (pts > spent && (cts * spent) / pts - share >= 1) return false;
        [cts, pts] = [cts - share, pts - spent];
      }
      return cts === 0 && pts === 0;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('an upheld refund takes back what the customer holds and writes off the rest', (t) => {
  const table: [string, BalanceOf, 'CLAWBACK' | 'WRITE_OFF', Record<string, number>][] = [
    [
      'all of it is there',
      customerWith(1_000, 1_000),
      'CLAWBACK',
      { [owed]: -499, funding: 499, [held]: -500, pointsIssued: 500 },
    ],
    [
      'some is spent',
      customerWith(199, 200),
      'WRITE_OFF',
      {
        [owed]: -199,
        funding: 199,
        redeemed: -300,
        [lost]: 300,
        [held]: -200,
        pointsIssued: 200,
        pointsRedeemed: -300,
        [lostPoints]: 300,
      },
    ],
    [
      'all is spent',
      customerWith(0, 0),
      'WRITE_OFF',
      { redeemed: -499, [lost]: 499, pointsRedeemed: -500, [lostPoints]: 500 },
    ],
    [
      'the points are there, and cheaper ones are among them',
      customerWith(400, 500),
      'WRITE_OFF',
      { [owed]: -400, funding: 400, redeemed: -99, [lost]: 99, [held]: -500, pointsIssued: 500 },
    ],
    [
      'the cents are there, and dearer points are among them',
      customerWith(499, 499),
      'WRITE_OFF',
      {
        [owed]: -499,
        funding: 499,
        [held]: -499,
        pointsIssued: 499,
        pointsRedeemed: -1,
        [lostPoints]: 1,
      },
    ],
    [
      'money of dearer points is left: a point stays with it',
      customerWith(550, 500),
      'WRITE_OFF',
      {
        [owed]: -499,
        funding: 499,
        [held]: -499,
        pointsIssued: 499,
        pointsRedeemed: -1,
        [lostPoints]: 1,
      },
    ],
    [
      'other points stay, and their money is spent: a cent stays with them',
      customerWith(300, 501),
      'WRITE_OFF',
      {
        [owed]: -299,
        funding: 299,
        redeemed: -200,
        [lost]: 200,
        [held]: -500,
        pointsIssued: 500,
      },
    ],
    [
      'other points stay, which are worth nothing',
      customerWith(0, 501),
      'WRITE_OFF',
      { redeemed: -499, [lost]: 499, [held]: -500, pointsIssued: 500 },
    ],
  ];
  for (const [name, balances, kind, expected] of table) {
    const decided = uphold('funding', reward, balances);
    t.is(decided.kind, kind, name);
    t.deepEqual(moved(decided.postings), expected, name);
  }
});

test('an upheld refund leaves no balance below zero and accounts for every cent of the reward', (t) => {
  const property = fc.property(
    moneyCents,
    moneyCents,
    moneyCents,
    moneyCents,
    (liabilityCents, worth, owedCents, heldPoints) => {
      const { kind, postings } = uphold(
        'funding',
        { liabilityCents, points: worth, customerId },
        customerWith(owedCents, heldPoints),
      );
      const get = (account: string) => amountIn(postings, account) ?? 0;
      const isCovered = get(lost) === 0 && get(lostPoints) === 0;
      return (
        owedCents + get(owed) >= 0 &&
        heldPoints + get(held) >= 0 &&
        get('funding') <= liabilityCents &&
        get(lost) >= 0 &&
        get('funding') + get(lost) === liabilityCents &&
        get('pointsIssued') + get(lostPoints) === worth &&
        kind === (isCovered ? 'CLAWBACK' : 'WRITE_OFF')
      );
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('only the accounts of partners and customers must not go negative', (t) => {
  const { funding, reserved, cash, redeemed } = accounts;
  for (const account of [funding, reserved, owed, held, lost, lostPoints]) {
    t.true(mustNotGoNegative(account), account);
  }
  for (const account of [
    ...[cash, redeemed, 'planReceivable', 'revenue'],
    ...[points.issued, points.redeemed, 'overspent'],
  ]) {
    t.false(mustNotGoNegative(account), account);
  }
});
