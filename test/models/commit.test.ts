import test from 'ava';
import { fundNextRewards } from '../../activities/purchases.ts';
import type { Draft } from '../../domain/draft.ts';
import { begin, claim, correctContact, type Terms } from '../../domain/facts.ts';
import { NotReadError } from '../../domain/known.ts';
import type { WalletRef } from '../../domain/postings.ts';
import { claimedStates, type Reward } from '../../domain/reward.ts';
import { waitingIn } from '../../domain/reward-totals.ts';
import { createCommit } from '../../models/commit.ts';
import { entryHash } from '../../models/ledger/index.ts';
import { commitReward } from '../../models/rewards/commit-reward.ts';
import { requireReward } from '../../models/rewards/find-reward.ts';
import { isDuplicateKey } from '../../models/store/insert-once.ts';
import { createPartner } from '../../operations/partners.ts';
import { topUpWallet } from '../../operations/wallets.ts';
import { redeemAt } from '../helpers/a-redemption.ts';
import { aReward, type RewardInput } from '../helpers/a-reward.ts';
import { everythingOf } from '../helpers/everything-of.ts';
import { dyingAfter, Killed, under } from '../helpers/faults.ts';
import { operate } from '../helpers/operate.ts';
import { patienceMs } from '../helpers/patience.ts';
import {
  type Database,
  openDatabase,
  type Process,
  type ProcessOptions,
  startProcess,
} from '../helpers/processes.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const now = () => Date.parse('2026-03-10T09:00:00.000Z');
const day = '2026-03-10';

/** A partner with funds. */
async function openScene(fundingCents: number, options: ProcessOptions = {}) {
  const { models } = database;
  const { _id: partnerId } = await operate({ models, now }, createPartner, { name: 'Shop' });
  const wallet: WalletRef = { mode: 'LIVE', partnerId };
  const newProcess = () => startProcess(database, { now, ...options });
  const first = newProcess();
  const topUp = async (amountCents: number, externalReference: string, { commit } = first) =>
    await topUpWallet({ models, commit }, wallet, { amountCents, externalReference });
  if (fundingCents > 0) await topUp(fundingCents, 'first funds');
  const idOf = (name: string) => `PNR_${partnerId}_${name}`;

  /** Commits a fact about a reward, which begins if it has not. */
  const about = async (
    name: string,
    decide: (draft: Draft, reward: Reward, terms: Terms) => unknown = () => undefined,
    { commit }: Process = first,
    input: Partial<RewardInput> = {},
  ) => {
    const made = aReward(wallet, { customer: `cus_${partnerId}`, ...input, id: idOf(name) });
    await commit({
      partnerId,
      wallet,
      rewardIds: [made._id],
      customerIds: [made.customerId],
      decide: (draft, terms) => decide(draft, begin(draft, made, terms), terms),
    });
  };
  return {
    partnerId,
    wallet,
    process: first,
    newProcess,
    topUp,
    about,
    idOf,
    everything: () => everythingOf(models, partnerId, ['AuditEntry']),
    stored: () => models.wallets.findOne({ partnerId, mode: 'LIVE' }).orFail(),
    entries: () => models.ledger.find({ partnerId }).sort({ seq: 1 }),
    reward: (name: string) => models.rewards.findById(idOf(name)).orFail(),
  };
}

test('a process that stops waits for the commits that run', async (t) => {
  const { models, hashKey } = database;
  const { partnerId, wallet } = await openScene(1_000);
  const commit = createCommit({ models, hashKey, now, patienceMs });
  const ended: string[] = [];
  const refused = new Error('refused');
  const facts = [
    commit({ partnerId, wallet, decide: () => undefined }),
    commit({
      partnerId,
      wallet,
      decide() {
        throw refused;
      },
    }),
  ];
  for (const [nth, fact] of facts.entries()) {
    fact.then(
      () => ended.push(`${nth} written`),
      () => ended.push(`${nth} refused`),
    );
  }
  await commit.ended();
  t.deepEqual(ended.toSorted(), ['0 written', '1 refused']);
  await commit.ended();
});

const claimed = (draft: Draft, reward: Reward, terms: Terms) =>
  claim(draft, reward, terms, undefined);

function refused(): never {
  throw new RangeError('refused');
}

test('facts that arrive together share a commit, and one that is refused harms no other', async (t) => {
  const { about, stored, entries, reward } = await openScene(1_000);
  const { version } = await stored();
  const settled = await Promise.allSettled([about('1'), about('2', refused), about('3', claimed)]);
  t.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.is((settled[1] as PromiseRejectedResult).reason.message, 'refused');
  t.is((await stored()).version, version + 1, 'one commit');
  const kinds = (await entries()).map(({ kind }) => kind);
  t.deepEqual(kinds, ['TOP_UP', 'RESERVE', 'RESERVE', 'CLAIM']);
  t.is((await reward('1')).state, 'FUNDED');
  t.is((await reward('3')).state, 'AVAILABLE');
  await t.throwsAsync(() => reward('2'), undefined, 'nothing of it is stored');
});

test('a fact of a reward whose purchase has not begun begins it in the same commit', async (t) => {
  const { partnerId, wallet, process, idOf, reward } = await openScene(1_000);
  const { customerId, currency, arithmetic, liabilityCents, ...made } = aReward(wallet, {
    id: idOf('1'),
  });
  const { claimTokenHash, claimWindow, claimExpiresAt } = made;
  const event = anOrderEvent({
    partnerId,
    mode: 'LIVE',
    rewardId: idOf('1'),
    purchase: {
      ...{ currency, customerId, arithmetic, liabilityCents, claimTokenHash, claimWindow },
      ...{ claimExpiresAt, delivery: 'SERVICE', customerDay: null },
    },
  });
  await database.models.orderEvents.collection.insertOne(event);
  const found = await requireReward(database.models, idOf('1'));
  t.like(found, { state: 'ACCEPTED', version: 0 });
  await commitReward(process.commit, found, claimed);
  const stored = await reward('1');
  t.is(stored.state, 'AVAILABLE');
  t.deepEqual(
    stored.moves.map(({ move }) => move),
    ['FUND', 'CLAIM'],
  );
});

test('purchases that arrive together share an insert, and one that a unique index refuses harms no other', async (t) => {
  const { partnerId, process } = await openScene(0);
  const { orderEvents } = database.models;
  const record = (name: string, idempotencyKeyHash: string) =>
    process.commit({
      partnerId,
      wallet: null,
      isOneEvent: true,
      decide: (draft) =>
        draft.insert(
          'orderEvents',
          anOrderEvent({ partnerId, _id: `evt_${partnerId}_${name}`, idempotencyKeyHash }),
        ),
    });
  const settled = await Promise.allSettled([
    record('1', 'one'),
    record('2', 'one'),
    record('3', 'another'),
  ]);
  t.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.true(isDuplicateKey((settled[1] as PromiseRejectedResult).reason));
  t.is(await orderEvents.countDocuments({ partnerId }), 2);
});

test('a fact that a unique index refuses harms no other of its commit', async (t) => {
  const { about, entries, reward, partnerId } = await openScene(1_000);
  const inserted = (draft: Draft) =>
    draft.insert('orderEvents', anOrderEvent({ partnerId, _id: `evt_${partnerId}` }));
  await about('1', inserted);
  const settled = await Promise.allSettled([about('2'), about('3', inserted), about('4')]);
  t.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.true(isDuplicateKey((settled[1] as PromiseRejectedResult).reason));
  t.deepEqual(
    (await entries()).map(({ kind }) => kind),
    ['TOP_UP', 'RESERVE', 'RESERVE', 'RESERVE'],
  );
  for (const name of ['2', '4']) t.is((await reward(name)).state, 'FUNDED');
  await t.throwsAsync(() => reward('3'));
});

test('commits of several processes on one wallet all succeed: numbered without a gap, each bound to the one before', async (t) => {
  const { about, newProcess, stored, entries } = await openScene(10_000);
  const processes = [newProcess(), newProcess(), newProcess()];
  await Promise.all(
    processes.map(async (process, place) => {
      for (let nth = 0; nth < 8; nth++) await about(`${place} ${nth}`, claimed, process);
    }),
  );
  const all = await entries();
  t.is(all.length, 1 + 3 * 8 * 2);
  let previousHash = '';
  for (const [place, entry] of all.entries()) {
    t.is(entry.seq, place + 1);
    t.is(entry.previousHash, previousHash);
    t.is(entry.hash, entryHash(database.hashKey, entry));
    previousHash = entry.hash;
  }
  const { seq, hash, balances } = await stored();
  t.like({ seq, hash }, { seq: all.length, hash: previousHash });
  t.like(balances, { funding: 10_000 - 24 * 100, reserved: 0, pointsIssued: -24 * 100 });
});

test('what was decided before changes nothing: a reference, a reward that has begun, a claimed one', async (t) => {
  const { about, topUp, everything, newProcess } = await openScene(1_000);
  await about('1', claimed);
  const before = await everything();
  const [wallet, ...others] = before.toSorted((one) => ('balances' in one ? -1 : 1));
  for (const process of [undefined, newProcess()]) {
    t.false((await topUp(1_000, 'first funds', process)).isNew);
    await about('1', undefined, process);
    await about('1', claimed, process);
  }
  await t.throwsAsync(() => topUp(999, 'first funds'), { code: 'CONFLICT' });
  const [after, ...rest] = (await everything()).toSorted((one) => ('balances' in one ? -1 : 1));
  t.deepEqual(rest, others);
  t.deepEqual({ ...after, version: 0 }, { ...wallet, version: 0 }, 'it was only taken');
});

test('the same top-up by two processes at once arrives once', async (t) => {
  const { topUp, newProcess, stored } = await openScene(0);
  const made = await Promise.all(
    [newProcess(), newProcess()].map((process) => topUp(70, 'wire', process)),
  );
  t.deepEqual(made.map(({ isNew }) => isNew).toSorted(), [false, true]);
  t.is(made[0]?.entry._id, made[1]?.entry._id);
  t.like((await stored()).balances, { funding: 70, cash: -70 });
});

test('a process that dies anywhere in a commit leaves nothing of it, and a repeat makes it whole', async (t) => {
  let places = 0;
  for (; ; places++) {
    const { about, everything, newProcess, reward, stored } = await openScene(1_000);
    const before = await everything();
    const dying = newProcess();
    const fate = dyingAfter(places);
    const error = await under(fate, () => about('1', claimed, dying)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!fate.isDead) break;
    t.true(error instanceof Killed);
    t.deepEqual(await everything(), before, `after ${places} writes`);
    await about('1', claimed);
    t.is((await reward('1')).state, 'AVAILABLE');
    t.like((await stored()).balances, { funding: 900, reserved: 0 });
  }
  t.true(places > 6, 'a commit has several writes and its end');

  const { about, everything, newProcess } = await openScene(1_000);
  const fate = dyingAfter(places - 1, true);
  await t.throwsAsync(
    under(fate, () => about('1', claimed, newProcess())),
    { instanceOf: Killed },
  );
  const written = await everything();
  await about('1', claimed);
  const withoutVersion = (all: object[]) =>
    all.map((one) => ('balances' in one ? { ...one, version: 0 } : one));
  t.deepEqual(withoutVersion(await everything()), withoutVersion(written));
});

test('waiting rewards are funded in the order of their purchases, a hundred in a commit; the rest is due on the wallet', async (t) => {
  const { about, topUp, stored, partnerId, wallet, process } = await openScene(0);
  const { rewards } = database.models;
  const names = Array.from({ length: 130 }, (_, nth) => String(nth).padStart(3, '0'));
  await Promise.all(names.map((name) => about(name)));
  const waiting = async () => waitingIn(await stored());
  t.is(await waiting(), 130);
  const funded = async () => {
    const found = await rewards
      .find({ partnerId, state: { $in: ['FUNDED', ...claimedStates] } })
      .sort({ _id: 1 });
    return found.map(({ _id }) => _id.slice(-3));
  };
  const due = async () => (await stored()).due?.what ?? null;

  await topUp(12_050, 'for 120 and a half');
  t.deepEqual(await funded(), names.slice(0, 100));
  t.is(await due(), 'FUND');
  await fundNextRewards(process, wallet);
  t.deepEqual(await funded(), names.slice(0, 120));
  t.is(await due(), null);
  t.is(await waiting(), 10);
  t.like((await stored()).balances, { funding: 50, reserved: 12_000 });

  // Nobody overtakes, although the funds cover it.
  await about('small', undefined, process, { cents: 50, points: 50 });
  t.is(await waiting(), 11);
});

test('one commit writes the reward, its entries, its webhooks, its totals, its usage and what its workflow is told', async (t) => {
  const told: string[] = [];
  const { about, topUp, partnerId, idOf, stored } = await openScene(1_000, {
    tell: (due) => told.push(...due.map(({ document }) => document._id)),
  });
  const { models } = database;
  await models.webhookEndpoints.create({
    _id: `whe_${partnerId}`,
    partnerId,
    mode: 'LIVE',
    slot: 0,
    url: 'https://shop.example/',
    eventTypes: ['*'],
    secrets: [],
    status: 'ACTIVE',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  const { version } = await stored();
  await about('1', claimed);
  t.is((await stored()).version, version + 1);
  const deliveries = await models.webhookDeliveries.find({ partnerId });
  t.deepEqual(deliveries.map(({ type }) => type).toSorted(), ['reward.claimed', 'reward.funded']);
  t.deepEqual((await stored()).rewards, {
    USD: {
      FUNDED: { rewards: 0, points: 0, cents: 0 },
      AVAILABLE: { rewards: 1, points: 100, cents: 100 },
    },
  });
  t.like(await models.usagePeriods.findOne({ partnerId }), {
    start: '2026-03-01T00:00:00.000Z',
    points: 100,
    days: { [day]: { points: 100, cents: 100 } },
    billedOn: null,
  });
  t.like(await models.customerBalances.findOne({ partnerId }), { payableCents: 100, points: 100 });
  const reward = await models.rewards.findById(idOf('1'));
  t.like(reward?.due, { what: 'claimed', nextAt: null, attempts: 0 });
  t.deepEqual(told, [idOf('1')], 'and it is told once it is written');

  await topUp(70, 'more');
  const [toppedUp] = await models.webhookDeliveries.find({ partnerId, type: 'funding.topped_up' });
  const entry = await models.ledger.findOne({ partnerId, reference: 'topUp:more' });
  t.is(JSON.parse(toppedUp?.body ?? '').data.transactionId, entry?._id);
});

test('a claim reads what the reward’s customer holds, whoever that was before the commit', async (t) => {
  const { about, partnerId, wallet, process, reward, idOf } = await openScene(10_000);
  const [shopper, twin] = [`cus_${partnerId}`, `cus_twin_${partnerId}`];
  await about('of the twin', claimed, process, { customer: twin, points: 1_234, cents: 1_234 });
  await about('1');
  const seen = await reward('1');
  await about('1', (draft, held, terms) => {
    const to = { customerId: twin, claimTokenHash: held.claimTokenHash, sealedContact: '' };
    return correctContact(draft, held, terms, to);
  });
  await commitReward(process.commit, seen, claimed);
  const balance = (customerId: string) => database.models.customerBalances.findOne({ customerId });
  t.like(await balance(twin), { payableCents: 1_334, points: 1_334 });
  t.is(await balance(shopper), null);
  t.like(await reward('1'), { customerId: twin, state: 'AVAILABLE' });
  // Whoever names the wrong customer writes nothing.
  const refund = process.commit({
    partnerId,
    wallet,
    rewardIds: [idOf('1')],
    customerIds: [shopper],
    decide: (draft) =>
      draft.post('CLAIM', 'twice', null, [
        { account: `payable:${twin}`, unit: 'CENTS', amount: 1 },
        { account: 'reserved', unit: 'CENTS', amount: -1 },
      ]),
  });
  await t.throwsAsync(refund, { instanceOf: NotReadError });
  t.like(await balance(twin), { payableCents: 1_334, points: 1_334 });
});

test('a customer keeps what they hold when a purchase begins and is claimed in one commit', async (t) => {
  const { about, partnerId, wallet, process } = await openScene(1_000);
  await about('1', claimed);
  await about('2', claimed);
  const customerId = `cus_${partnerId}`;
  const balance = () =>
    database.models.customerBalances.findOne({ partnerId, mode: 'LIVE', customerId });
  t.like(await balance(), { payableCents: 200, points: 200 });
  const spend = (points: number, reference: string) =>
    process.commit({
      partnerId,
      wallet,
      customerIds: [customerId],
      decide: (draft, terms) =>
        redeemAt(draft, { partnerId, customerId }, { points, reference }, terms),
    });
  const settled = await Promise.allSettled([spend(150, 'till 1'), spend(150, 'till 2')]);
  t.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  t.like(await balance(), { payableCents: 50, points: 50 });
});

test('a commit reads nothing of the other mode, and refuses to write any', async (t) => {
  const { about, partnerId, idOf, process } = await openScene(1_000);
  await about('1', undefined);
  const rewardId = idOf('1');
  const stored = () => database.models.rewards.findOne({ partnerId, _id: rewardId }).orFail();
  const before = await stored();
  const wallet = { partnerId, mode: 'TEST' } as const;
  const read = await process.commit({
    partnerId,
    wallet,
    rewardIds: [rewardId],
    decide: (draft) => draft.rewards.get(rewardId),
  });
  t.is(read, undefined);
  const write = process.commit({
    partnerId,
    wallet,
    decide: (draft) => {
      draft.rewards.add(`${rewardId}x`, { ...before, _id: `${rewardId}x` });
    },
  });
  await t.throwsAsync(write, { message: /is not of the wallet .*\/TEST/ });
  t.deepEqual(await stored(), before);
});
