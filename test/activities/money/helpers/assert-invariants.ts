import type { Mode } from '../../../../domain/mode.ts';
import {
  accountsOf,
  liveAccounts,
  mustNotGoNegative,
  walletOf,
} from '../../../../domain/postings.ts';
import type { RewardSnapshot } from '../../../../domain/reward.ts';
import { periodOf } from '../../../../models/billing/usage-accounts.ts';
import { toSnapshot } from '../../../../models/rewards/move.ts';
import type { EntryDoc } from '../../../../models/schemas/entries.ts';
import type { World } from './world.ts';

function assert(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}
const assertEqual = (found: number, expected: number, what: string) =>
  assert(found === expected, `${what}: ${found} instead of ${expected}`);
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);

/**
 * Asserts what is true of the ledger, the usage and the rewards whenever no work is under way.
 * @throws Error naming the first violation
 */
export async function assertInvariants(world: World): Promise<void> {
  const { models, partnerId } = world;
  const [ledger, testFunding, usage, docs, events] = await Promise.all([
    models.ledger.find({ partnerId }),
    models.testFunding.find({ partnerId }),
    models.usageEntries.find({ partnerId }),
    models.rewards.find({ partnerId }).sort({ _id: 1 }),
    models.orderEvents.find({ partnerId, type: 'PURCHASE' }),
  ]);
  const rewards = docs.map(toSnapshot);
  assertOneRewardPerOrder(
    world,
    rewards,
    events.map(({ externalOrderId }) => externalOrderId),
  );
  for (const [mode, entries] of [
    ['LIVE', ledger],
    ['TEST', testFunding],
  ] as const) {
    assertTransactionsBalance(entries);
    assertNothingBelowZero(entries);
    assertConservation(
      world,
      mode,
      entries,
      rewards.filter((reward) => reward.mode === mode),
    );
  }
  assertUsage(balancesOf(usage), rewards);
}

function assertOneRewardPerOrder(world: World, rewards: RewardSnapshot[], orders: string[]): void {
  assertEqual(rewards.length, world.orders().length, 'rewards');
  assert(
    [rewards.map(({ externalOrderId }) => externalOrderId), orders].every(
      (found) => found.toSorted().join() === world.orders().toSorted().join(),
    ),
    'the orders differ from the rewards or the events',
  );
  for (const { rewardId, isPending, status } of rewards) {
    assert(!isPending || status === 'ADMIN_REVIEW', `${rewardId} is still pending`);
  }
}

function assertTransactionsBalance(entries: EntryDoc[]): void {
  for (const { reference, postings } of entries) {
    for (const unit of ['CENTS', 'POINTS']) {
      const amounts = postings.filter((one) => one.unit === unit).map(({ amount }) => amount);
      assertEqual(sum(amounts), 0, `the sum of ${reference} in ${unit}`);
    }
  }
}

/** The balances, after asserting that every chain is unbroken and its balances match its entries. */
function balancesOf(entries: EntryDoc[]): Map<string, number> {
  const balances = new Map<string, number>();
  const chains = Map.groupBy(
    entries.flatMap(({ postings }) => postings),
    ({ account }) => account,
  );
  for (const [account, postings] of chains) {
    let before = { seq: 0, balanceAfter: 0, hash: '' };
    for (const posting of postings.toSorted((a, b) => a.seq - b.seq)) {
      assertEqual(posting.seq, before.seq + 1, `the sequence number in ${account}`);
      assertEqual(
        posting.balanceAfter,
        before.balanceAfter + posting.amount,
        `the balance of ${account}`,
      );
      assert(
        posting.previousHash === before.hash,
        `the chain of ${account} is broken at ${posting.seq}`,
      );
      before = posting;
    }
    balances.set(account, before.balanceAfter);
  }
  return balances;
}

function assertNothingBelowZero(entries: EntryDoc[]): void {
  for (const { reference, postings } of entries) {
    for (const { account, balanceAfter } of postings) {
      const mayNot = mustNotGoNegative(account);
      assert(!mayNot || balanceAfter >= 0, `${reference} leaves ${balanceAfter} in ${account}`);
    }
  }
}

const liabilityOf = (rewards: RewardSnapshot[]) =>
  sum(rewards.map(({ liabilityCents }) => liabilityCents));
const pointsOf = (rewards: RewardSnapshot[]) => sum(rewards.map(({ points }) => points));
const isClaimed = ({ status }: RewardSnapshot) =>
  status === 'AVAILABLE' || status === 'ADMIN_REVIEW';

/** Asserts that the accounts hold exactly the money and points that the rewards and top-ups imply. */
function assertConservation(
  world: World,
  mode: Mode,
  entries: EntryDoc[],
  rewards: RewardSnapshot[],
): void {
  const balances = balancesOf(entries);
  const references = new Set(entries.map(({ reference }) => reference));
  const of = (account: string) => balances.get(account) ?? 0;
  const all = (prefix: string) =>
    sum([...balances].filter(([name]) => name.startsWith(prefix)).map(([, balance]) => balance));
  const accounts = accountsOf(walletOf({ ...world, mode }));
  // TEST rewards from before the first test funding have no money reserved.
  const hasMoney = ({ rewardId }: RewardSnapshot) =>
    mode === 'LIVE' || references.has(`reserve:${rewardId}`);
  const claimed = rewards.filter(isClaimed);
  const reserved = rewards.filter(({ status, funded }) => status === 'PENDING' && funded);
  const waiting = rewards.filter(({ status }) => status === 'AWAITING_FUNDING');

  assertEqual(of(accounts.cash), 0 - world.topUps[mode], `${mode} top-ups`);
  assertEqual(of(accounts.reserved), liabilityOf(reserved.filter(hasMoney)), `${mode} reserved`);
  const owedCents = mode === 'LIVE' ? all('payable:') : of(accounts.payable(''));
  assertEqual(
    owedCents + of(accounts.redeemed),
    liabilityOf(claimed.filter(hasMoney)),
    `${mode} owed or redeemed`,
  );
  if (mode === 'LIVE') {
    assertEqual(all('points:') + of('pointsRedeemed'), pointsOf(claimed), 'points held or spent');
    assertEqual(
      of('pointsRedeemed') + of('pointsWriteOff'),
      world.spentPoints(),
      'points redeemed or written off',
    );
    for (const [account, cents] of balances) {
      const [, customer] = /^payable:(.*)/.exec(account) ?? [];
      const isLone = customer !== undefined && cents > 0 && of(`points:${customer}`) === 0;
      assert(!isLone, `${account} holds ${cents} cents without a point`);
    }
  }
  const [first] = waiting;
  assert(
    first === undefined || first.liabilityCents > of(accounts.funding),
    `${mode}: ${first?.rewardId} waits for ${first?.liabilityCents} although ${of(accounts.funding)} are available`,
  );
  const touched = [...balances.keys()].filter((name) => /^(payable|points):/.test(name));
  assert(mode === 'LIVE' || touched.length === 0, `TEST changed ${touched.join()}`);
  assert(mode === 'LIVE' || !balances.has(liveAccounts.funding), 'TEST changed the LIVE funding');
}

/** Asserts that the usage counts exactly the LIVE rewards that are funded and were not given back. */
function assertUsage(balances: Map<string, number>, rewards: RewardSnapshot[]): void {
  const counted = rewards.filter(({ mode, funded }) => mode === 'LIVE' && funded);
  const total = (isOne: (account: string) => boolean) =>
    sum([...balances].filter(([account]) => isOne(account)).map(([, balance]) => balance));
  assertEqual(
    total((name) => periodOf(name) !== undefined),
    pointsOf(counted),
    'points in the period',
  );
  assertEqual(
    total((name) => name.startsWith('day:')),
    pointsOf(counted),
    'points in the days',
  );
  assertEqual(
    total((name) => name.startsWith('dayCents:')),
    liabilityOf(counted),
    'cents in the days',
  );
}
