import type { CustomerBalance, Wallet } from '../../../../domain/draft.ts';
import { type Mode, modes } from '../../../../domain/mode.ts';
import { accounts, mustNotGoNegative } from '../../../../domain/postings.ts';
import { leftOf, type Redemption } from '../../../../domain/redemption.ts';
import { isFunded, type RewardSnapshot, rewardStates } from '../../../../domain/reward.ts';
import type { RewardTotals } from '../../../../domain/reward-totals.ts';
import { entryHash } from '../../../../models/ledger/index.ts';
import { toSnapshot } from '../../../../models/rewards/snapshot.ts';
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
  const [ledger, periods, docs, events, wallets] = await Promise.all([
    models.ledger.find({ partnerId }),
    models.usagePeriods.find({ partnerId }),
    models.rewards.find({ partnerId }).sort({ _id: 1 }),
    models.orderEvents.find({ partnerId, type: 'PURCHASE' }),
    models.wallets.find({ partnerId }),
  ]);
  const [customers, redemptions] = await Promise.all([
    models.customerBalances.find({ partnerId }),
    models.redemptions.find({ partnerId }),
  ]);
  const rewards = docs.map(toSnapshot);
  const made = redemptions.map(({ _id }) => _id).toSorted();
  assert(made.join() === world.redemptionIds().toSorted().join(), 'another redemption was made');
  assertOneRewardPerOrder(
    world,
    rewards,
    events.map(({ externalOrderId }) => externalOrderId),
  );
  for (const mode of modes) {
    const entries = ledger.filter((one) => one.mode === mode);
    const balances = customers.filter((one) => one.mode === mode);
    assertTransactionsBalance(entries);
    assertNothingBelowZero(entries);
    const ofMode = rewards.filter((reward) => reward.mode === mode);
    const spent = redemptions.filter((one) => one.mode === mode);
    assertConservation(world, mode, { entries, rewards: ofMode, redemptions: spent });
    assertHeld(balances, ofMode, spent);
    const wallet = wallets.find((one) => one.mode === mode);
    assertStored(world, entries, wallet, balances);
    assertTotals(wallet?.rewards ?? {}, ofMode);
  }
  const counted = rewards.filter(({ mode, state }) => mode === 'LIVE' && isFunded(state));
  const days = periods.flatMap((one) => Object.values(one.days ?? {}));
  assertEqual(sum(periods.map(({ points }) => points)), pointsOf(counted), 'points in the periods');
  assertEqual(sum(days.map(({ points }) => points)), pointsOf(counted), 'points in the days');
  assertEqual(sum(days.map(({ cents }) => cents)), liabilityOf(counted), 'cents in the days');
}

/** Asserts that the wallet counts each reward once, in its state. */
function assertTotals(totals: RewardTotals, rewards: RewardSnapshot[]): void {
  for (const state of rewardStates) {
    const found = Object.values(totals).flatMap((states) => states[state] ?? []);
    const inState = rewards.filter((reward) => reward.state === state);
    assertEqual(sum(found.map((one) => one.rewards)), inState.length, `rewards ${state}`);
    assertEqual(sum(found.map((one) => one.points)), pointsOf(inState), `points ${state}`);
    assertEqual(sum(found.map((one) => one.cents)), liabilityOf(inState), `cents ${state}`);
  }
}

const captured = (redemptions: Redemption[]) =>
  redemptions.filter(({ status }) => status === 'CAPTURED');

/** Asserts that customers hold what their holds say, and no less than what they claimed and did not spend. */
function assertHeld(
  customers: CustomerBalance[],
  rewards: RewardSnapshot[],
  redemptions: Redemption[],
): void {
  const held = redemptions.filter(({ status }) => status === 'HELD');
  const heldPoints = sum(customers.map((one) => one.heldPoints));
  assertEqual(heldPoints, sum(held.map(({ points }) => points)), 'points held');
  const heldCents = sum(customers.map((one) => one.heldCents));
  assertEqual(heldCents, sum(held.map(({ owedCents }) => owedCents)), 'cents held');
  const spent = sum(captured(redemptions).map((one) => leftOf(one).points));
  const there = sum(customers.map(({ points }) => points)) + heldPoints + spent;
  const claimed = pointsOf(rewards.filter(isClaimed));
  const lost = sum(customers.map((one) => one.writtenOffPoints));
  const ended = sum(customers.map((one) => one.endedPoints ?? 0));
  assertEqual(there + ended - lost, claimed, 'claimed points that are there, held, spent or ended');
  assert(
    customers.every((one) => [one.points, one.payableCents].every((amount) => amount >= 0)),
    'a customer is below zero',
  );
}

function assertOneRewardPerOrder(world: World, rewards: RewardSnapshot[], orders: string[]): void {
  assertEqual(rewards.length, world.orders().length, 'rewards');
  assert(
    [rewards.map(({ externalOrderId }) => externalOrderId), orders].every(
      (found) => found.toSorted().join() === world.orders().toSorted().join(),
    ),
    'the orders differ from the rewards or the events',
  );
}

function assertTransactionsBalance(entries: EntryDoc[]): void {
  for (const { reference, postings } of entries) {
    for (const unit of ['CENTS', 'POINTS']) {
      const amounts = postings.filter((one) => one.unit === unit).map(({ amount }) => amount);
      assertEqual(sum(amounts), 0, `the sum of ${reference} in ${unit}`);
    }
  }
}

/** The balances, after asserting that each follows from the entries. */
function balancesOf(entries: EntryDoc[]): Map<string, number> {
  const balances = new Map<string, number>();
  for (const { reference, postings } of entries.toSorted((a, b) => a.seq - b.seq)) {
    for (const { account, amount, balanceAfter } of postings) {
      assertEqual(balanceAfter, (balances.get(account) ?? 0) + amount, `${account}, ${reference}`);
      balances.set(account, balanceAfter);
    }
  }
  return balances;
}

/** Asserts that the chain is unbroken, and that the wallet and the customers have what it leads to. */
function assertStored(
  { hashKey }: World,
  entries: EntryDoc[],
  wallet: Wallet | undefined,
  customers: CustomerBalance[],
): void {
  let previousHash = '';
  for (const [place, entry] of entries.toSorted((a, b) => a.seq - b.seq).entries()) {
    assertEqual(entry.seq, place + 1, `the number of ${entry.reference}`);
    assert(entry.previousHash === previousHash, `the chain is broken at ${entry.seq}`);
    assert(entry.hash === entryHash(hashKey, entry), `${entry.reference} has another hash`);
    previousHash = entry.hash;
  }
  assertEqual(wallet?.seq ?? 0, entries.length, 'the newest entry');
  assert((wallet?.hash ?? '') === previousHash, 'the wallet has another hash');
  const { writeOff = 0, pointsWriteOff = 0, ...own } = wallet?.balances ?? {};
  assertEqual(writeOff, sum(customers.map((one) => one.writtenOffCents)), 'cents written off');
  assertEqual(pointsWriteOff, sum(customers.map((one) => one.writtenOffPoints)), 'points lost');
  const stored = new Map(Object.entries(own));
  for (const { customerId, payableCents, points, heldCents, heldPoints, ...lost } of customers) {
    stored.set(accounts.payable(customerId), payableCents);
    stored.set(accounts.points.customer(customerId), points);
    stored.set(accounts.held.cents(customerId), heldCents);
    stored.set(accounts.held.points(customerId), heldPoints);
    stored.set(accounts.writeOff(customerId), lost.writtenOffCents);
    stored.set(accounts.points.writeOff(customerId), lost.writtenOffPoints);
    stored.set(accounts.ended.cents(customerId), lost.endedCents ?? 0);
    stored.set(accounts.ended.points(customerId), lost.endedPoints ?? 0);
  }
  const expected = balancesOf(entries);
  for (const account of new Set([...stored.keys(), ...expected.keys()])) {
    assertEqual(stored.get(account) ?? 0, expected.get(account) ?? 0, account);
  }
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
const isClaimed = ({ state }: RewardSnapshot) => state === 'AVAILABLE' || state === 'IN_REVIEW';

/** What moves money between us and a partner. */
const broughtKinds = ['TOP_UP', 'WITHDRAWAL', 'CORRECTION'];

const cashIn = ({ postings }: EntryDoc) =>
  postings.find(({ account }) => account === accounts.cash)?.amount ?? 0;

/** Asserts that the accounts hold exactly the money and points that the rewards and top-ups imply. */
function assertConservation(
  world: World,
  mode: Mode,
  {
    entries,
    rewards,
    redemptions,
  }: { entries: EntryDoc[]; rewards: RewardSnapshot[]; redemptions: Redemption[] },
): void {
  const balances = balancesOf(entries);
  const of = (account: string) => balances.get(account) ?? 0;
  const all = (prefix: string) =>
    sum([...balances].filter(([name]) => name.startsWith(prefix)).map(([, balance]) => balance));
  const claimed = rewards.filter(isClaimed);
  const reserved = rewards.filter(({ state }) => state === 'FUNDED');
  const waiting = rewards.filter(({ state }) => state === 'AWAITING_FUNDING');

  const broughtCents = sum(entries.filter(({ kind }) => broughtKinds.includes(kind)).map(cashIn));
  assertEqual(broughtCents, 0 - world.topUps[mode], `${mode} top-ups`);
  assertEqual(of(accounts.reserved), liabilityOf(reserved), `${mode} reserved`);
  const owedCents = all('payable:') + all('held:');
  const goneCents = of(accounts.redeemed) + all('ended:');
  assertEqual(owedCents + goneCents, liabilityOf(claimed), `${mode} owed, redeemed or ended`);
  const kept = all('points:') + all('heldPoints:') + of('pointsRedeemed') + all('endedPoints:');
  assertEqual(kept, pointsOf(claimed), 'points there, held, spent or ended');
  assertEqual(
    of('pointsRedeemed') + all('pointsWriteOff:'),
    sum(captured(redemptions).map((one) => leftOf(one).points)),
    'points redeemed or written off',
  );
  for (const [account, cents] of balances) {
    const [, customer] = /^payable:(.*)/.exec(account) ?? [];
    const isLone = customer !== undefined && cents > 0 && of(`points:${customer}`) === 0;
    assert(!isLone, `${account} holds ${cents} cents without a point`);
  }
  const [first] = waiting;
  assert(
    first === undefined || first.liabilityCents > of(accounts.funding),
    `${mode}: ${first?.rewardId} waits for ${first?.liabilityCents} although ${of(accounts.funding)} are available`,
  );
}
