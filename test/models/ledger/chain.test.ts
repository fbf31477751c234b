import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import {
  balance,
  claim,
  liveAccounts,
  type Posting,
  redeem,
  reserve,
  topUp,
  uphold,
} from '../../../domain/postings.ts';
import {
  type ChainCache,
  createChainCache,
  noChainCache,
} from '../../../models/ledger/chain-cache.ts';
import {
  type AppendOutcome,
  type Chain,
  chainHasher,
  createChain,
  type Draft,
} from '../../../models/ledger/index.ts';
import type { EntryDoc } from '../../../models/schemas/entries.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { appended } from '../../../models/store/metric-events.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

const hash = chainHasher(createSecretKey(randomBytes(32)));
let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

type Model = Models['ledger'];

/** A cache whose clock stands still, so that nothing expires on a busy machine. */
const aCache = () => createChainCache(() => 1);

/** The chain of another process. @param changes replacements for parts of the model */
function aProcess(
  changes: (model: Model) => Partial<Model> = () => ({}),
  cache: ChainCache = aCache(),
): Chain {
  const { ledger } = models;
  const own = changes(ledger);
  const model = new Proxy(ledger, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  });
  return createChain(model, {
    hash,
    newId: () => newId('transaction'),
    prepare: balance,
    cache,
  });
}

/** Replaces a method of the collection. @param another makes the replacement from the usual method */
const replacing =
  <Usual extends (...args: never[]) => unknown>(
    method: 'insertMany' | 'findOne' | 'find',
    another: (usual: Usual) => (...args: Parameters<Usual>) => unknown,
  ) =>
  (model: Model): Partial<Model> => ({
    collection: new Proxy(model.collection, {
      get(target, name) {
        const usual = Reflect.get(target, name);
        return name === method ? another(usual.bind(target)) : usual;
      },
    }),
  });
const inserting = (insertMany: (entries: EntryDoc[]) => Promise<unknown>) =>
  replacing('insertMany', () => insertMany);
const insert = (entries: EntryDoc[]) =>
  models.ledger.collection.insertMany(entries, { ordered: true });

type FindOne = Model['collection']['findOne'];
type Find = Model['collection']['find'];

/** A process that counts its reads: of single heads, and of several documents together. */
function countingReads(cache?: ChainCache) {
  let counted = { heads: 0, together: 0 };
  const ofFindOne = replacing(
    'findOne',
    (find: FindOne) =>
      async (...asked: Parameters<FindOne>) => {
        counted.heads++;
        return await find(...asked);
      },
  );
  const ofFind = replacing('find', (find: Find) => (...asked: Parameters<Find>) => {
    counted.together++;
    return find(...asked);
  });
  return {
    chain: aProcess((model) => ofFind(ofFindOne(model) as Model), cache),
    /** The reads since the last call. */
    reads() {
      const now = counted;
      counted = { heads: 0, together: 0 };
      return now;
    },
  };
}

/** A draft that is always accepted, with the given postings. */
function aDraft<Refusal = never>(
  partnerId: string,
  reference: string,
  postings: Posting[],
  changes: Partial<Draft<Refusal>> = {},
): Draft<Refusal> {
  return {
    partnerId,
    reference,
    rewardId: null,
    at: new Date('2026-01-02T03:04:05.678Z'),
    accounts: postings.map(({ account }) => account),
    decide: () => ({ kind: 'MOVE', postings }),
    ...changes,
  };
}
const cents = (account: string, amount: number): Posting => ({ account, unit: 'CENTS', amount });
const between = (from: string, to: string, amount: number) => [
  cents(from, -amount),
  cents(to, amount),
];
/** The entry that an append wrote or found. */
async function written(append: Promise<AppendOutcome<unknown>>) {
  const outcome = await append;
  if ('refused' in outcome) throw new Error('the draft was refused');
  return outcome;
}
const stored = (partnerId: string) => models.ledger.find({ partnerId });

/** The accounts' balances, after checking each posting against the previous one of its account. */
async function verifiedBalances(partnerId: string): Promise<Map<string, number>> {
  const chain = aProcess();
  const entries = await stored(partnerId);
  const placed = entries.flatMap((entry) => entry.postings.map((posting) => ({ entry, posting })));
  const balances = new Map<string, number>();
  for (const [account, postings] of Map.groupBy(placed, ({ posting }) => posting.account)) {
    let before = { seq: 0, balanceAfter: 0, hash: '' };
    for (const { entry, posting } of postings.toSorted((a, b) => a.posting.seq - b.posting.seq)) {
      const isNext =
        posting.seq === before.seq + 1 &&
        posting.balanceAfter === before.balanceAfter + posting.amount &&
        posting.previousHash === before.hash &&
        chain.isGenuine(entry, posting);
      if (!isNext) throw new Error(`${account} breaks at ${posting.seq} (${entry.reference})`);
      before = posting;
    }
    balances.set(account, before.balanceAfter);
    const head = await chain.head(partnerId, account);
    if (head?.seq !== before.seq) throw new Error(`${account} has the wrong head`);
  }
  return balances;
}

/** Appends, again if it gave up: after losing races for too long, as it does on a very busy machine. */
async function appendPatiently(process: Chain, draft: Draft<string>) {
  for (;;) {
    try {
      return await process.append(draft);
    } catch (error) {
      if (!String(error).includes('too many appends at once')) throw error;
    }
  }
}

const caches = { 'with its cache': aCache, 'with none': () => noChainCache };
for (const [title, cache] of Object.entries(caches)) {
  test(`several processes append at once, each ${title}: no gap in any account, balances match entries, hashes chain`, async (t) => {
    const partnerId = newId('partner');
    const processes = Array.from({ length: 4 }, () => aProcess(undefined, cache()));
    const accounts = ['cash', 'revenue', 'writeOff', 'redeemed'];
    const expected = new Map<string, number>();
    const appends = Array.from({ length: 120 }, (_, nth) => {
      const from = accounts[nth % 4] ?? '';
      const to = accounts[(nth + 1 + (nth % 3)) % 4] ?? '';
      const amount = 1 + (nth % 7);
      expected.set(from, (expected.get(from) ?? 0) - amount);
      expected.set(to, (expected.get(to) ?? 0) + amount);
      const process = processes[nth % 4] ?? aProcess();
      return appendPatiently(process, aDraft(partnerId, `move:${nth}`, between(from, to, amount)));
    });
    const outcomes = await Promise.all(appends);
    t.true(outcomes.every((outcome) => 'isNew' in outcome && outcome.isNew));
    t.is((await stored(partnerId)).length, 120);
    t.deepEqual(
      Object.fromEntries(await verifiedBalances(partnerId)),
      Object.fromEntries(expected),
    );
  });
}

test('a reference is written once, even if many processes repeat it at once', async (t) => {
  const partnerId = newId('partner');
  const processes = Array.from({ length: 3 }, () => aProcess());
  const appends = processes.flatMap((process) =>
    Array.from({ length: 10 }, (_, nth) =>
      appendPatiently(process, aDraft(partnerId, `topUp:${nth % 5}`, topUp(liveAccounts, 100))),
    ),
  );
  const outcomes = await Promise.all(appends);
  t.is(outcomes.filter((outcome) => 'isNew' in outcome && outcome.isNew).length, 5);
  const ids = outcomes.flatMap((one) => ('entry' in one && one.entry ? [one.entry._id] : []));
  t.is(ids.length, 30);
  t.is(new Set(ids).size, 5);
  t.is(await aProcess().balanceOf(partnerId, 'funding'), 500);
  const before = await stored(partnerId);
  const again = await aProcess().append(aDraft(partnerId, 'topUp:0', topUp(liveAccounts, 999)));
  t.like(again, { isNew: false, entry: { reference: 'topUp:0' } });
  t.deepEqual(await stored(partnerId), before);
  t.is((await verifiedBalances(partnerId)).get('funding'), 500);
});

test('drafts in order: none after the first refused one, but one already written counts as done', async (t) => {
  const partnerId = newId('partner');
  const chain = aProcess();
  await chain.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 10)));
  const spend = (nth: number, amount: number) =>
    aDraft<string>(partnerId, `spend:${nth}`, between('funding', 'reserved', amount), {
      decide: (balanceOf) =>
        balanceOf('funding') < amount
          ? { refused: 'short' }
          : { kind: 'SPEND', postings: between('funding', 'reserved', amount) },
    });
  // The fifth was reserved by a process that died. The fourth is covered, but must wait for the third.
  await chain.append(spend(5, 1));
  const outcomes = await aProcess().appendInOrder([
    ...[spend(1, 4), spend(2, 3)],
    ...[spend(3, 9), spend(4, 1), spend(5, 1)],
  ]);
  t.deepEqual(
    outcomes.map((one) => ('refused' in one ? one.refused : one.isNew)),
    [true, true, 'short', 'short', false],
  );
  t.deepEqual(await aProcess().appendInOrder([]), []);
  t.is((await verifiedBalances(partnerId)).get('reserved'), 8);
});

test('partners’ references are independent', async (t) => {
  const chain = aProcess();
  const partners = [newId('partner'), newId('partner')];
  for (const partnerId of partners) {
    t.like(await chain.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 7))), {
      isNew: true,
    });
  }
  for (const partnerId of partners) t.is(await chain.balanceOf(partnerId, 'funding'), 7);
});

test('a refused, a faulty and a zero draft write nothing, and do not block others', async (t) => {
  const partnerId = newId('partner');
  const chain = aProcess();
  const refused = aDraft<string>(partnerId, 'refused', topUp(liveAccounts, 1), {
    decide: () => ({ refused: 'no' }),
  });
  const unbalanced = aDraft(partnerId, 'unbalanced', [cents('cash', 1)]);
  const nothing = aDraft(partnerId, 'nothing', topUp(liveAccounts, 0));
  const right = aDraft(partnerId, 'right', topUp(liveAccounts, 3));
  const outcomes = await Promise.allSettled([
    chain.append(refused),
    chain.append(unbalanced),
    chain.append(nothing),
    chain.append(right),
  ]);
  t.like(outcomes[0], { value: { refused: 'no' } });
  t.like(outcomes[1], { status: 'rejected', reason: { name: 'UnbalancedError' } });
  t.like(outcomes[2], { value: { entry: null, isNew: false } });
  t.like(outcomes[3], { value: { isNew: true } });
  t.deepEqual(
    (await stored(partnerId)).map(({ reference }) => reference),
    ['right'],
  );
});

test('waiting appends are written together', async (t) => {
  const partnerId = newId('partner');
  const writes: number[] = [];
  const chain = aProcess(
    inserting(async (entries) => {
      writes.push(entries.length);
      return await insert(entries);
    }),
  );
  const appends = Array.from({ length: 50 }, (_, nth) =>
    written(chain.append(aDraft(partnerId, `topUp:${nth}`, topUp(liveAccounts, 1)))),
  );
  const outcomes = await Promise.all(appends);
  t.deepEqual(writes, [50]);
  t.deepEqual(
    outcomes.map(({ entry }) => entry?.postings.find(({ account }) => account === 'funding')?.seq),
    Array.from({ length: 50 }, (_, nth) => nth + 1),
  );
  t.is((await verifiedBalances(partnerId)).get('funding'), 50);
});

test('after losing a place in the middle of a batch, earlier drafts stay and the rest are decided again', async (t) => {
  const partnerId = newId('partner');
  const other = aProcess();
  await other.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 10)));
  let isFirst = true;
  const chain = aProcess(
    inserting(async (entries) => {
      if (isFirst && entries.length > 1) {
        isFirst = false;
        await other.append(aDraft(partnerId, 'taken', between('funding', 'redeemed', 6)));
      }
      return await insert(entries);
    }),
  );
  const spend = (nth: number) => ({
    ...aDraft<'SHORT'>(partnerId, `spend:${nth}`, between('funding', 'reserved', 2)),
    decide: (balanceOf: (account: string) => number) =>
      balanceOf('funding') < 2
        ? { refused: 'SHORT' as const }
        : { kind: 'SPEND', postings: between('funding', 'reserved', 2) },
  });
  const elsewhere = (name: string) =>
    aDraft(partnerId, name, between('planReceivable', 'revenue', 1));
  const races = new Set<boolean>();
  appended.subscribe(({ raced }) => races.add(raced));
  const [, second, ...spends] = await Promise.all([
    chain.append(elsewhere('alone')),
    chain.append(elsewhere('before them')),
    ...[1, 2, 3, 4].map((nth) => chain.append(spend(nth))),
  ]);
  t.like(second, { isNew: true });
  t.false(isFirst);
  t.deepEqual(
    spends.map((outcome) => 'refused' in outcome),
    [false, false, true, true],
  );
  const balances = await verifiedBalances(partnerId);
  t.is(balances.get('funding'), 0);
  t.is(balances.get('reserved'), 4);
  t.true(races.has(true) && races.has(false), 'the metrics count the appends that lost a race');
});

test('no account that must stay positive goes below zero under concurrency', async (t) => {
  const partnerId = newId('partner');
  const processes = Array.from({ length: 3 }, () => aProcess());
  await processes[0]?.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 100)));
  const blind = Array.from({ length: 60 }, (_, nth) => {
    const draft = aDraft(partnerId, `take:${nth}`, between('funding', 'redeemed', 1 + (nth % 9)));
    return processes[nth % 3]?.append(draft);
  });
  const outcomes = await Promise.allSettled(blind);
  const faults = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  t.true(faults.length > 0);
  t.true(
    faults.every((fault) => /RangeError: take:\d+ would leave funding below zero/.test(fault)),
  );
  const balances = await verifiedBalances(partnerId);
  const left = balances.get('funding') ?? -1;
  t.true(left >= 0 && left < 9, `${left} cents are left`);
  t.is(balances.get('redeemed'), 100 - left);
  const entries = await stored(partnerId);
  t.true(
    entries.every(({ postings }) =>
      postings.every(({ account, balanceAfter }) => account !== 'funding' || balanceAfter >= 0),
    ),
  );
});

test('a balance never leaves the safe integers', async (t) => {
  const partnerId = newId('partner');
  const chain = aProcess();
  const most = Number.MAX_SAFE_INTEGER;
  await chain.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, most)));
  const more = chain.append(aDraft(partnerId, 'topUp:2', topUp(liveAccounts, 1)));
  await t.throwsAsync(more, { instanceOf: RangeError, message: /safe integers/ });
  t.is(await chain.balanceOf(partnerId, 'funding'), most);
});

test('after a crash following the write, the repeat finds it and moves nothing', async (t) => {
  const partnerId = newId('partner');
  const dying = aProcess(
    inserting(async (entries) => {
      await insert(entries);
      throw new Error('killed');
    }),
  );
  const drafts = [1, 2, 3].map((nth) => aDraft(partnerId, `topUp:${nth}`, topUp(liveAccounts, 10)));
  const died = await Promise.allSettled(drafts.map((draft) => dying.append(draft)));
  t.true(died.every(({ status }) => status === 'rejected'));
  const before = await stored(partnerId);
  t.is(before.length, 3);
  const next = aProcess();
  const repeated = await Promise.all(drafts.map((draft) => written(next.append(draft))));
  t.true(repeated.every(({ isNew, entry }) => !isNew && entry !== null));
  t.deepEqual(await stored(partnerId), before);
});

test('after a crash in the middle of a batch, the repeat writes the rest', async (t) => {
  const partnerId = newId('partner');
  const dying = aProcess(
    inserting(async (entries) => {
      await insert(entries.slice(0, 2));
      throw new Error('killed');
    }),
  );
  const drafts = [1, 2, 3, 4].map((nth) =>
    aDraft(partnerId, `topUp:${nth}`, topUp(liveAccounts, 10)),
  );
  await Promise.allSettled(drafts.map((draft) => dying.append(draft)));
  t.is((await stored(partnerId)).length, 2);
  const repeated = await Promise.all(drafts.map((draft) => written(aProcess().append(draft))));
  t.is(repeated.filter(({ isNew }) => isNew).length, 2);
  t.is((await verifiedBalances(partnerId)).get('funding'), 40);
});

test('the last writer appends again without a read, and still detects another’s writes', async (t) => {
  const partnerId = newId('partner');
  const { chain: one, reads } = countingReads();
  const move = (chain: Chain, nth: number) =>
    written(chain.append(aDraft(partnerId, `move:${nth}`, between('cash', 'revenue', nth))));
  await move(one, 1);
  t.deepEqual(reads(), { heads: 2, together: 1 }, 'reads each head, and earlier references');
  await move(one, 2);
  t.deepEqual(reads(), { heads: 0, together: 0 }, 'reads nothing: it wrote the heads itself');
  await move(aProcess(), 3);
  const { isNew } = await move(one, 4);
  t.true(isNew);
  t.deepEqual(reads(), { heads: 0, together: 2 }, 'reads what another process wrote');
  t.is((await move(one, 2)).isNew, false, 'finds the earlier entry');
  t.deepEqual(Object.fromEntries(await verifiedBalances(partnerId)), { cash: -10, revenue: 10 });
});

test('with the cache disabled, every append reads its accounts and earlier references', async (t) => {
  const partnerId = newId('partner');
  const { chain, reads } = countingReads(noChainCache);
  for (const nth of [1, 2, 3]) {
    await written(chain.append(aDraft(partnerId, `move:${nth}`, between('cash', 'revenue', 1))));
    t.deepEqual(reads(), { heads: 2, together: 1 });
  }
  t.deepEqual(Object.fromEntries(await verifiedBalances(partnerId)), { cash: -3, revenue: 3 });
});

test('one read finds the balances of several accounts, whatever was appended since', async (t) => {
  const partnerId = newId('partner');
  const accounts = ['cash', 'revenue', 'fees', 'nothing'];
  const { chain: one, reads } = countingReads();
  const another = aProcess();
  let moved = 0;
  const move = async (to: string, count: number) => {
    const drafts = Array.from({ length: count }, () =>
      aDraft(partnerId, `move:${++moved}`, between('cash', to, 1)),
    );
    await another.appendInOrder(drafts);
  };
  const balances = async () => await one.balancesOf(partnerId, accounts);
  await move('revenue', 3);
  t.deepEqual(await balances(), [-3, 3, 0, 0]);
  t.deepEqual(reads(), { heads: 4, together: 0 }, 'reads each head the first time');
  t.deepEqual(await balances(), [-3, 3, 0, 0]);
  t.deepEqual(reads(), { heads: 0, together: 1 }, 'reads new entries: none');
  await move('revenue', 20);
  await move('fees', 7);
  t.deepEqual(await balances(), [-30, 23, 7, 0]);
  t.deepEqual(reads(), { heads: 0, together: 1 }, 'reads new entries: some');
  await move('fees', 100);
  t.deepEqual(await balances(), [-130, 23, 107, 0]);
  t.deepEqual(
    reads(),
    { heads: 4, together: 1 },
    'reads new entries: too many, so each head again',
  );
});

test('an account is read again if a cached entry was undone', async (t) => {
  const partnerId = newId('partner');
  const one = aProcess();
  const accounts = ['cash', 'revenue', 'fees'];
  for (const [nth, to] of ['revenue', 'fees', 'revenue'].entries()) {
    await aProcess().append(aDraft(partnerId, `move:${nth}`, between('cash', to, 10)));
  }
  t.deepEqual(await one.balancesOf(partnerId, accounts), [-30, 20, 10]);
  await models.ledger.deleteOne({ partnerId, reference: 'move:2' });
  t.deepEqual(await one.balancesOf(partnerId, accounts), [-20, 10, 10]);
  await one.append(aDraft(partnerId, 'move:3', between('cash', 'revenue', 5)));
  t.deepEqual(await one.balancesOf(partnerId, accounts), [-25, 15, 10]);
  t.deepEqual(Object.fromEntries(await verifiedBalances(partnerId)), {
    cash: -25,
    revenue: 15,
    fees: 10,
  });
});

test('a cached balance never refuses a draft that another process’s top-up covers', async (t) => {
  const partnerId = newId('partner');
  const one = aProcess();
  const reserveOf = (nth: number) =>
    one.append<'SHORT'>(
      aDraft(partnerId, `reserve:${nth}`, [], {
        accounts: ['funding', 'reserved'],
        decide: (balanceOf) =>
          balanceOf('funding') < 100
            ? { refused: 'SHORT' }
            : { kind: 'RESERVE', postings: between('funding', 'reserved', 100) },
      }),
    );
  const addFunds = (chain: Chain, reference: string) =>
    chain.append(aDraft(partnerId, reference, between('cash', 'funding', 100)));
  await addFunds(one, 'topUp:1');
  await written(reserveOf(1));
  await addFunds(aProcess(), 'topUp:2');
  t.is((await written(reserveOf(2))).entry?.kind, 'RESERVE');
  t.deepEqual(await reserveOf(3), { refused: 'SHORT' });
});

test('a failed append does not hold up the next one', async (t) => {
  const partnerId = newId('partner');
  let isBroken = true;
  const chain = aProcess(
    inserting(async (entries) => {
      if (isBroken) throw new Error('no connection');
      return await insert(entries);
    }),
  );
  await t.throwsAsync(chain.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 1))));
  isBroken = false;
  t.like(await chain.append(aDraft(partnerId, 'topUp:1', topUp(liveAccounts, 1))), { isNew: true });
});

const customerId = 'cus_ann';
const ofCustomer = [liveAccounts.payable(customerId), liveAccounts.points.customer(customerId)];
const moneyAccounts = [
  ...ofCustomer,
  ...['funding', 'reserved', 'redeemed', 'writeOff'],
  ...Object.values(liveAccounts.points).filter((name) => typeof name === 'string'),
];
const worth100 = { liabilityCents: 100, points: 100, customerId };

/** Ann has claimed a reward and spent all of it; another one of hers is reserved. */
async function spentAndReserved(partnerId: string): Promise<void> {
  const chain = aProcess();
  for (const [reference, postings] of [
    ['topUp:1', topUp(liveAccounts, 200)],
    ['reserve:1', reserve(liveAccounts, worth100)],
    ['reserve:2', reserve(liveAccounts, worth100)],
    ['claim:1', claim(liveAccounts, worth100)],
    ['redeem:1', redeem(customerId, 100, () => 100)],
  ] as const) {
    await chain.append(aDraft(partnerId, reference, postings));
  }
}

/** Upholds the refund of the spent reward. */
const upheld = (partnerId: string) =>
  aDraft(partnerId, 'writeOff:1', [], {
    accounts: moneyAccounts,
    decide: (balanceOf) => uphold(liveAccounts, worth100, balanceOf),
  });

for (const [between, sees] of [
  [ofCustomer[0] ?? '', 'the points of a claim are visible, but not its cents'],
  [ofCustomer[1] ?? '', 'the cents of a claim are visible, but not its points'],
] as const) {
  test(`a decision is sound although balances are read one after the other: ${sees}`, async (t) => {
    const partnerId = newId('partner');
    await spentAndReserved(partnerId);
    const other = aProcess();
    let isFirst = true;
    // The claim happens after this head is read, and before any other is.
    const { promise: claimed, resolve } = Promise.withResolvers<void>();
    const chain = aProcess(
      replacing('findOne', (find: FindOne) => async (...asked: Parameters<FindOne>) => {
        const { account = '' } =
          (asked[0]?.postings as { $elemMatch?: { account: string } })?.$elemMatch ?? {};
        if (!isFirst) return await find(...asked);
        if (account !== between) await claimed;
        const found = await find(...asked);
        if (account === between) {
          isFirst = false;
          await other.append(aDraft(partnerId, 'claim:2', claim(liveAccounts, worth100)));
          resolve();
        }
        return found;
      }),
    );
    const { entry } = await written(chain.append(upheld(partnerId)));
    t.is(entry?.kind, 'CLAWBACK');
    const balances = await verifiedBalances(partnerId);
    t.deepEqual(
      ofCustomer.map((account) => balances.get(account)),
      [0, 0],
    );
    t.is(balances.get('redeemed'), 100);
    t.is(balances.get('writeOff') ?? 0, 0);
    t.is(balances.get('funding'), 100);
  });
}

test('racing claims, redemptions and upheld refunds of one customer: cents and points agree', async (t) => {
  const processes = Array.from({ length: 3 }, () => aProcess());
  const pick = (nth: number): Chain => processes[nth % 3] ?? aProcess();
  for (let round = 0; round < 4; round++) {
    const partnerId = newId('partner');
    await spentAndReserved(partnerId);
    await Promise.all([
      pick(0).append(aDraft(partnerId, 'claim:2', claim(liveAccounts, worth100))),
      pick(1).append(upheld(partnerId)),
      ...[50, 30, 20].map((spent, nth) =>
        pick(nth).append(
          aDraft<'SHORT'>(partnerId, `redeem:x${nth}`, [], {
            accounts: moneyAccounts,
            decide: (balanceOf) =>
              balanceOf(ofCustomer[1] ?? '') < spent
                ? { refused: 'SHORT' }
                : { kind: 'REDEEM', postings: redeem(customerId, spent, balanceOf) },
          }),
        ),
      ),
    ]);
    const balances = await verifiedBalances(partnerId);
    const [owedCents = -1, heldPoints = -2] = ofCustomer.map((account) => balances.get(account));
    // One cent per point, whichever came first.
    t.is(owedCents, heldPoints);
    t.true(owedCents >= 0);
    t.true((balances.get('redeemed') ?? 0) >= 0);
    t.is(
      [...balances.values()].reduce((sum, amount) => sum + amount, 0),
      0,
    );
  }
});
