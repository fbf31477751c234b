import { accountsOf, liveAccounts, mustNotGoNegative } from '../../../../domain/accounts.ts';
import type { Mode } from '../../../../domain/mode.ts';
import type { RewardSnapshot } from '../../../../domain/reward.ts';
import { walletOf } from '../../../../domain/wallet.ts';
import { periodOf } from '../../../../models/billing/usage-accounts.ts';
import { toSnapshot } from '../../../../models/rewards/move.ts';
import type { EntryDoc } from '../../../../models/schemas/entry.ts';
import type { World } from './world.ts';

function hold(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}
const same = (found: number, expected: number, what: string) =>
  hold(found === expected, `${what}: ${found} and not ${expected}`);
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);

/**
 * Holds everything that is true of the books whenever nothing is under way.
 * @throws Error that says what is not
 */
export async function holdInvariants(world: World): Promise<void> {
  const { models, partnerId } = world;
  const [ledger, testFunding, usage, docs, events] = await Promise.all([
    models.ledger.find({ partnerId }).lean(),
    models.testFunding.find({ partnerId }).lean(),
    models.usageEntries.find({ partnerId }).lean(),
    models.rewards.find({ partnerId }).sort({ _id: 1 }).lean(),
    models.orderEvents.find({ partnerId, type: 'PURCHASE' }).lean(),
  ]);
  const rewards = docs.map(toSnapshot);
  oneRewardPerOrder(
    world,
    rewards,
    events.map(({ externalOrderId }) => externalOrderId),
  );
  for (const [mode, entries] of [
    ['LIVE', ledger],
    ['TEST', testFunding],
  ] as const) {
    everyTransactionBalances(entries);
    nobodyIsBelowZero(entries);
    conservation(
      world,
      mode,
      entries,
      rewards.filter((reward) => reward.mode === mode),
    );
  }
  usageEqualsEvents(balancesOf(usage), rewards);
}

function oneRewardPerOrder(world: World, rewards: RewardSnapshot[], orders: string[]): void {
  same(rewards.length, world.orders().length, 'rewards');
  hold(
    [rewards.map(({ externalOrderId }) => externalOrderId), orders].every(
      (found) => found.toSorted().join() === world.orders().toSorted().join(),
    ),
    'the orders and the rewards are not the same',
  );
  for (const { rewardId, isPending, status } of rewards) {
    hold(!isPending || status === 'ADMIN_REVIEW', `${rewardId} is not carried out`);
  }
}

function everyTransactionBalances(entries: EntryDoc[]): void {
  for (const { reference, postings } of entries) {
    for (const unit of ['CENTS', 'POINTS']) {
      const amounts = postings.filter((one) => one.unit === unit).map(({ amount }) => amount);
      same(sum(amounts), 0, `${reference} sums in ${unit}`);
    }
  }
}

/** The balances, after a look whether every chain is whole and its balances equal its entries. */
function balancesOf(entries: EntryDoc[]): Map<string, number> {
  const balances = new Map<string, number>();
  const chains = Map.groupBy(
    entries.flatMap(({ postings }) => postings),
    ({ account }) => account,
  );
  for (const [account, postings] of chains) {
    let before = { seq: 0, balanceAfter: 0, hash: '' };
    for (const posting of postings.toSorted((a, b) => a.seq - b.seq)) {
      same(posting.seq, before.seq + 1, `the place in ${account}`);
      same(posting.balanceAfter, before.balanceAfter + posting.amount, `the balance of ${account}`);
      hold(posting.previousHash === before.hash, `${account} is broken at ${posting.seq}`);
      before = posting;
    }
    balances.set(account, before.balanceAfter);
  }
  return balances;
}

function nobodyIsBelowZero(entries: EntryDoc[]): void {
  for (const { reference, postings } of entries) {
    for (const { account, balanceAfter } of postings) {
      const mayNot = mustNotGoNegative(account);
      hold(!mayNot || balanceAfter >= 0, `${reference} leaves ${balanceAfter} in ${account}`);
    }
  }
}

const liabilityOf = (rewards: RewardSnapshot[]) =>
  sum(rewards.map(({ liabilityCents }) => liabilityCents));
const pointsOf = (rewards: RewardSnapshot[]) => sum(rewards.map(({ points }) => points));
const isClaimed = ({ status }: RewardSnapshot) =>
  status === 'AVAILABLE' || status === 'ADMIN_REVIEW';

/** Money and points are where the rewards say they are, and none came or went otherwise. */
function conservation(
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
  // What was funded before the first test funding has no money behind it.
  const hasMoney = ({ rewardId }: RewardSnapshot) =>
    mode === 'LIVE' || references.has(`reserve:${rewardId}`);
  const claimed = rewards.filter(isClaimed);
  const reserved = rewards.filter(({ status, funded }) => status === 'PENDING' && funded);
  const waiting = rewards.filter(({ status }) => status === 'AWAITING_FUNDING');

  same(of(accounts.cash), 0 - world.topUps[mode], `${mode} money that came in`);
  same(of(accounts.reserved), liabilityOf(reserved.filter(hasMoney)), `${mode} reserved`);
  const owedCents = mode === 'LIVE' ? all('payable:') : of(accounts.payable(''));
  same(
    owedCents + of(accounts.redeemed),
    liabilityOf(claimed.filter(hasMoney)),
    `${mode} owed, or spent`,
  );
  if (mode === 'LIVE') {
    same(all('points:') + of('pointsRedeemed'), pointsOf(claimed), 'points held, or spent');
    same(of('pointsRedeemed') + of('pointsWriteOff'), world.spentPoints(), 'points ever spent');
    for (const [account, cents] of balances) {
      const [, customer] = /^payable:(.*)/.exec(account) ?? [];
      const isLone = customer !== undefined && cents > 0 && of(`points:${customer}`) === 0;
      hold(!isLone, `${account} holds ${cents} cents without a point`);
    }
  }
  const [first] = waiting;
  hold(
    first === undefined || first.liabilityCents > of(accounts.funding),
    `${mode}: ${first?.rewardId} waits for ${first?.liabilityCents} and there is ${of(accounts.funding)}`,
  );
  const touched = [...balances.keys()].filter((name) => /^(payable|points):/.test(name));
  hold(mode === 'LIVE' || touched.length === 0, `TEST touched ${touched.join()}`);
  hold(mode === 'LIVE' || !balances.has(liveAccounts.funding), 'TEST touched the LIVE funding');
}

/** The points counted are those of the LIVE rewards that are funded and were not given back. */
function usageEqualsEvents(balances: Map<string, number>, rewards: RewardSnapshot[]): void {
  const counted = rewards.filter(({ mode, funded }) => mode === 'LIVE' && funded);
  const total = (isOne: (account: string) => boolean) =>
    sum([...balances].filter(([account]) => isOne(account)).map(([, balance]) => balance));
  same(
    total((name) => periodOf(name) !== undefined),
    pointsOf(counted),
    'points of the period',
  );
  same(
    total((name) => name.startsWith('day:')),
    pointsOf(counted),
    'points of the days',
  );
  same(
    total((name) => name.startsWith('dayCents:')),
    liabilityOf(counted),
    'cents of the days',
  );
}
