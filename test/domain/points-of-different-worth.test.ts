import test from 'ava';
import fc from 'fast-check';
import {
  claim,
  liabilityCentsOf,
  liveAccounts,
  mustNotGoNegative,
  type Obligation,
  type Posting,
  redeem,
  reserve,
  topUp,
  uphold,
} from '../../domain/postings.ts';

const customerId = 'cus_ann';
const owed = liveAccounts.payable(customerId);
const held = liveAccounts.points.customer(customerId);

/** The accounts of a partner with one customer. */
function openAccounts() {
  const balances = new Map<string, number>();
  const balanceOf = (account: string) => balances.get(account) ?? 0;
  const claimed: Obligation[] = [];
  const write = (postings: Posting[]) => {
    for (const { account, amount } of postings) {
      balances.set(account, balanceOf(account) + amount);
      if (mustNotGoNegative(account) && balanceOf(account) < 0) {
        throw new Error(`${account} is at ${balanceOf(account)}`);
      }
    }
  };
  return {
    balanceOf,
    claimed,
    sumOf: (isOf: (account: string) => boolean) =>
      [...balances].reduce((sum, [account, amount]) => (isOf(account) ? sum + amount : sum), 0),
    claim(points: number, pointValueMicros: number) {
      const liabilityCents = liabilityCentsOf(points, pointValueMicros);
      const reward = { points, liabilityCents, customerId };
      write(topUp(liveAccounts, liabilityCents));
      write(reserve(liveAccounts, reward));
      write(claim(liveAccounts, reward));
      claimed.push(reward);
    },
    redeem: (points: number) => write(redeem(customerId, points, balanceOf)),
    uphold(reward: Obligation) {
      claimed.splice(claimed.indexOf(reward), 1);
      write(uphold(liveAccounts, reward, balanceOf).postings);
    },
  };
}

type Accounts = ReturnType<typeof openAccounts>;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('CLAIM' as const),
      points: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1_000 }), fc.nat({ max: 1_000_000_000 })),
      pointValueMicros: fc.constantFrom(0, 1, 3_333, 10_000, 15_000, 1_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('REDEEM' as const),
      share: fc.constantFrom(0.001, 0.3, 0.5, 0.999, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('UPHOLD' as const), nth: fc.nat({ max: 99 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function happen(accounts: Accounts, one: Step): void {
  if (one.do === 'CLAIM') {
    accounts.claim(one.points, one.pointValueMicros);
  } else if (one.do === 'REDEEM') {
    const points = Math.ceil(accounts.balanceOf(held) * one.share);
    if (points > 0) accounts.redeem(points);
  } else {
    const reward = accounts.claimed[one.nth % accounts.claimed.length];
    if (reward) accounts.uphold(reward);
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 40 });

test('after any claims, redemptions and refunds: no money without points, no points without money', (t) => {
  const property = fc.property(steps, (played) => {
    const accounts = openAccounts();
    // A customer with only worthless points is owed no money, until a claim adds valuable ones.
    let isWorthSomething = false;
    for (const one of played) {
      happen(accounts, one);
      const [cents, points] = [accounts.balanceOf(owed), accounts.balanceOf(held)];
      isWorthSomething = points > 0 && (isWorthSomething || cents > 0);
      if (cents > 0 !== isWorthSomething) {
        throw new Error(`${JSON.stringify(one)} leaves ${points} points and ${cents} cents`);
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3_000 }));
});

test('after any claims, redemptions and refunds: every cent and every point is accounted for', (t) => {
  const property = fc.property(steps, (played) => {
    const accounts = openAccounts();
    for (const one of played) {
      happen(accounts, one);
      const { balanceOf, claimed, sumOf } = accounts;
      const isPoints = (account: string) => account.startsWith('points');
      const [worthCents, worthPoints] = [
        claimed.reduce((sum, { liabilityCents }) => sum + liabilityCents, 0),
        claimed.reduce((sum, { points }) => sum + points, 0),
      ];
      if (
        sumOf(isPoints) !== 0 ||
        sumOf((account) => !isPoints(account)) !== 0 ||
        balanceOf(owed) + balanceOf('redeemed') !== worthCents ||
        balanceOf(held) + balanceOf('pointsRedeemed') !== worthPoints
      ) {
        throw new Error(`after ${JSON.stringify(one)}`);
      }
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 1_000 }));
});

test('an upheld refund takes the reward’s own money, as long as money and points stay together', (t) => {
  const property = fc.property(steps, fc.nat({ max: 99 }), (played, nth) => {
    const accounts = openAccounts();
    for (const one of played) happen(accounts, one);
    const reward = accounts.claimed[nth % accounts.claimed.length];
    if (!reward) return true;
    const before = accounts.balanceOf(owed);
    accounts.uphold(reward);
    const tookCents = before - accounts.balanceOf(owed);
    const own = Math.min(reward.liabilityCents, before);
    return tookCents === own || (tookCents === own - 1 && accounts.balanceOf(owed) === 1);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3_000 }));
});

test('100 points worth 1.00 and 100 worth 10.00, 100 spent, the first refund upheld: no money is left without points', (t) => {
  const accounts = openAccounts();
  accounts.claim(100, 10_000);
  accounts.claim(100, 100_000);
  accounts.redeem(100);
  t.is(accounts.balanceOf('redeemed'), 550);
  const [first] = accounts.claimed;
  if (first) accounts.uphold(first);
  // 5.50 was paid; the rest of the 10.00 is still owed, with one point to spend it.
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [450, 1]);
  t.is(accounts.balanceOf('funding'), 100);
  t.is(accounts.balanceOf('redeemed') + accounts.balanceOf('writeOff'), 550);
  accounts.redeem(1);
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [0, 0]);
});

test('a refund of worthless points takes no money owed for others', (t) => {
  const accounts = openAccounts();
  accounts.claim(1_000_000, 0);
  accounts.claim(100, 1_000_000);
  accounts.redeem(500_050);
  const [worthless] = accounts.claimed;
  const before = accounts.balanceOf(owed);
  if (worthless) accounts.uphold(worthless);
  t.is(before, 5_000);
  t.deepEqual([accounts.balanceOf(owed), accounts.balanceOf(held)], [before, 1]);
  t.is(accounts.balanceOf('funding'), 0);
});
