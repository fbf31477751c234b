import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type ClientSession, mongo } from 'mongoose';
import {
  Draft,
  type EntryDraft,
  type Read,
  type UsagePeriod,
  type Wallet,
} from '../domain/draft.ts';
import type { Terms } from '../domain/facts.ts';
import type { Mode } from '../domain/mode.ts';
import { type WalletRef, walletIdOf } from '../domain/postings.ts';
import type { Redemption } from '../domain/redemption.ts';
import type { Reward } from '../domain/reward.ts';
import { type MeteredSubscription, usagePeriodAt } from '../domain/usage-periods.ts';
import type { WebhookFact } from '../domain/webhooks.ts';
import { createBatcher } from '../platform/batcher.ts';
import { newId } from '../platform/ids.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import type { Commit, Fact } from './fact.ts';
import { rowOf } from './outbox.ts';
import type { EntryDoc } from './schemas/entries.ts';
import type { Models } from './schemas/index.ts';
import type { OutboxDoc } from './schemas/outbox.ts';
import { awaitingFundingIndex } from './schemas/rewards.ts';
import { appended, rewardMoved } from './store/metric-events.ts';
import { deliveriesOf } from './webhooks/announce.ts';

export type { Commit, Fact };

export interface CommitDeps {
  models: Models;
  /** Keys the hashes of ledgers. */
  hashKey: KeyObject;
  now: () => number;
  /** Gets the rows that a commit wrote to the outbox. */
  tell?: (rows: readonly OutboxDoc[]) => void;
}

/** The most facts that share a commit. */
const maxGroup = 64;
/** The most waiting rewards that one commit funds. */
const maxFunded = 100;
/** How long the points of a customer's day are kept: purchases may be reported late. */
const customerDayKeptMs = 400 * 86_400_000;
/** After this a commit is given up; whether it was made is found by its key or reference. */
const patienceMs = 8_000;

type Settled = { outcome: unknown } | { refusal: unknown };

/**
 * Facts of one process that want the same wallet share a commit: they are decided in order of arrival,
 * and written together. If that fails, each is tried alone, so that one harms no other. Without sharing,
 * everything would be right and slower.
 */
export function createCommit(deps: CommitDeps): Commit {
  const together = createBatcher<{ fact: Fact<unknown> }, unknown>(
    { maxBatch: maxGroup },
    async (_wallet, jobs) => {
      const settled = await commitAll(
        deps,
        jobs.map(({ fact }) => fact),
      );
      for (const [place, job] of jobs.entries()) {
        const one = settled[place];
        if (one && 'outcome' in one) job.resolve(one.outcome);
        else job.reject(one?.refusal);
      }
    },
  );
  return async <Outcome>(fact: Fact<Outcome>) => {
    const wallet = fact.wallet === null ? 'none' : walletIdOf(fact.wallet);
    return (await together(`${fact.partnerId}/${wallet}`, { fact })) as Outcome;
  };
}

async function commitAll(deps: CommitDeps, facts: readonly Fact<unknown>[]): Promise<Settled[]> {
  try {
    return await commitOnce(deps, facts);
  } catch (error) {
    if (facts.length === 1) return [{ refusal: error }];
    const settled: Settled[] = [];
    for (const fact of facts) settled.push(...(await commitAll(deps, [fact])));
    return settled;
  }
}

async function commitOnce(deps: CommitDeps, facts: readonly Fact<unknown>[]): Promise<Settled[]> {
  const { models, tell } = deps;
  const terms = await readTerms(deps, facts);
  const session = await models.connection.startSession();
  try {
    let settled: Settled[] = [];
    let rows: OutboxDoc[] = [];
    let written: { read: Read; draft: Draft } | undefined;
    await session.withTransaction(
      async () => {
        const read = await readAll(models, facts, terms, session);
        const draft = new Draft(read);
        settled = facts.map((fact): Settled => {
          try {
            return { outcome: draft.decide((copy) => fact.decide(copy, terms)) };
          } catch (refusal) {
            return { refusal };
          }
        });
        rows = await writeAll(deps, read, draft, terms, session);
        written = { read, draft };
      },
      {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', journal: true },
        timeoutMS: patienceMs,
      },
    );
    if (rows.length > 0) tell?.(rows);
    measure(written);
    return settled;
  } finally {
    await session.endSession();
  }
}

/** Publishes what was written for the metrics. */
function measure(written: { read: Read; draft: Draft } | undefined): void {
  if (written === undefined) return;
  const { read, draft } = written;
  const { wallet, entries } = draft;
  if (wallet !== null) appended.publish({ mode: wallet.mode, entries: entries.length });
  for (const reward of changed(read.rewards, draft.rewards)) {
    const { mode, createdAt, moves } = reward;
    const before = read.rewards.get(reward._id)?.moves.length ?? 0;
    for (const [place, { move, at }] of moves.entries()) {
      if (place < before) continue;
      const isFirst = move === 'FUND' && place === 0;
      const firstFundedAfterMs = isFirst ? at.getTime() - createdAt.getTime() : null;
      rewardMoved.publish({ mode, move, firstFundedAfterMs });
    }
  }
}

/** What facts are decided with that no fact changes. */
async function readTerms(
  { models, now }: CommitDeps,
  facts: readonly Fact<unknown>[],
): Promise<Terms> {
  const at = new Date(now());
  const [{ partnerId, wallet } = {}] = facts;
  const terms = { at, lowBalanceThresholdCents: 0, subscription: null };
  const traceparent = currentTraceparent();
  if (partnerId === undefined || wallet?.mode !== 'LIVE') return { ...terms, traceparent };
  const [partner, newest] = await Promise.all([
    models.partners.findById(partnerId, { lowBalanceThresholdCents: 1 }).orFail(),
    models.subscriptions.findOne({ partnerId, anchorAt: { $lte: at } }).sort({ anchorAt: -1 }),
  ]);
  const isInForce = newest !== null && (newest.endsAt === null || at < newest.endsAt);
  const { lowBalanceThresholdCents } = partner;
  return {
    ...terms,
    lowBalanceThresholdCents,
    subscription: isInForce ? newest : null,
    traceparent,
  };
}

/** Takes the wallet, so that two commits of one wallet conflict at once, and reads the rest. */
async function readAll(
  models: Models,
  facts: readonly Fact<unknown>[],
  { at, subscription }: Terms,
  session: ClientSession,
): Promise<Read> {
  const { partnerId, wallet: ref } = facts[0] as Fact<unknown>;
  const taken =
    ref &&
    (await takeWallet(
      models,
      ref,
      facts.some((one) => one.createsWallet),
      session,
    ));
  const queue = taken && taken.waiting > 0 ? await readQueue(models, taken, session) : [];
  const rewards = new Map(queue.map((reward) => [reward._id, reward]));
  const wanted = unique(facts.flatMap(({ rewardIds = [] }) => rewardIds));
  for (const reward of await find<Reward>(models.rewards, partnerId, wanted, session)) {
    rewards.set(reward._id, reward);
  }
  const customerIds = facts.flatMap((one) => one.customerIds ?? []);
  const isLive = ref?.mode === 'LIVE';
  const mode = ref?.mode ?? null;
  const customers =
    mode === null
      ? []
      : await find(balancesOf(models, mode), partnerId, unique(customerIds), session);
  const counted = [...rewards.values()].flatMap(({ countedIn }) => countedIn?.periodId ?? []);
  const periods = isLive
    ? await readPeriods(
        models,
        { partnerId, subscription, at },
        [...counted, ...facts.flatMap((one) => one.periodIds ?? [])],
        session,
      )
    : [];
  const billed = periods.flatMap(
    ({ billedOn, subscriptionId }) => (billedOn && subscriptionId) || [],
  );
  const subscriptions = await find(
    models.subscriptions,
    partnerId,
    unique([...billed, ...facts.flatMap(({ subscriptionIds = [] }) => subscriptionIds)]),
    session,
  );
  const invoiceIds = unique(facts.flatMap((one) => one.invoiceIds ?? []));
  const invoices = await find(models.invoices, partnerId, invoiceIds, session);
  const redemptionIds = unique(facts.flatMap((one) => one.redemptionIds ?? []));
  const redemptions = await find<Redemption>(models.redemptions, partnerId, redemptionIds, session);
  const dayIds = unique([
    ...facts.flatMap(({ customerDayIds = [] }) => customerDayIds),
    ...wanted.flatMap((id) => rewards.get(id)?.customerDayId ?? []),
    ...redemptions.flatMap(({ customerDayId }) => customerDayId ?? []),
  ]);
  const days = await find(models.customerDays, partnerId, dayIds, session);
  return {
    partnerId,
    mode,
    wallet: taken,
    rewards,
    redemptions: byId(redemptions),
    customers: byId(customers),
    periods: byId(periods),
    subscriptions: byId(subscriptions),
    invoices: byId(invoices),
    lastInvoice: facts.some((one) => one.issuesInvoice)
      ? await readLastInvoice(models, partnerId, session)
      : 0,
    customerDays: new Map(days.map(({ _id, points }) => [_id, points])),
    queue: queue.map(({ _id }) => _id),
  };
}

/** What customers hold in a mode. */
const balancesOf = (models: Models, mode: Mode) =>
  mode === 'LIVE' ? models.customerBalances : models.testCustomerBalances;

/** @returns null if a TEST integration has no test funding */
async function takeWallet(
  { wallets }: Models,
  ref: WalletRef,
  createsWallet: boolean,
  session: ClientSession,
): Promise<Wallet | null> {
  const { partnerId, mode } = ref;
  const first = { mode, balances: {}, seq: 0, hash: '', waiting: 0 };
  const taken = await wallets.collection.findOneAndUpdate(
    { _id: walletIdOf(ref) as never, partnerId },
    { $inc: { version: 1 }, $setOnInsert: first },
    { session, upsert: mode === 'LIVE' || createsWallet, returnDocument: 'after' },
  );
  return taken as Wallet | null;
}

/** The rewards that wait for a wallet, first come, first served. */
async function readQueue(
  { rewards }: Models,
  { _id: walletId, partnerId }: Wallet,
  session: ClientSession,
): Promise<Reward[]> {
  return await rewards.collection
    .find<Reward>({ partnerId, walletId, status: 'AWAITING_FUNDING' }, { session })
    .sort({ _id: 1 })
    .limit(maxFunded)
    .hint(awaitingFundingIndex)
    .toArray();
}

async function readLastInvoice(
  { invoices }: Models,
  partnerId: string,
  session: ClientSession,
): Promise<number> {
  const newest = await invoices.findOne({ partnerId }, { seq: 1 }, { session }).sort({ seq: -1 });
  return newest?.seq ?? 0;
}

/**
 * Some periods, and those that rewards may be counted in now: all from the current one to the first that is
 * not billed. They rarely are more than two: the next period is billed before this process says it begins
 * only if its clock is behind.
 */
async function readPeriods(
  { usagePeriods }: Models,
  of: { partnerId: string; subscription: MeteredSubscription | null; at: Date },
  ids: readonly string[],
  session: ClientSession,
): Promise<UsagePeriod[]> {
  const { partnerId, subscription, at } = of;
  const current = usagePeriodAt(partnerId, subscription, at.toISOString());
  let last = usagePeriodAt(partnerId, subscription, current.end);
  const wanted = unique([current._id, last._id, ...ids]);
  const periods = await find(usagePeriods, partnerId, wanted, session);
  while (periods.some(({ _id, billedOn }) => _id === last._id && billedOn !== null)) {
    last = usagePeriodAt(partnerId, subscription, last.end);
    periods.push(...(await find(usagePeriods, partnerId, [last._id], session)));
  }
  return periods;
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
const byId = <Doc extends { _id: string }>(docs: readonly Doc[]) =>
  new Map(docs.map((doc) => [doc._id, doc]));

/** The collection of a model, as far as commits read and write it. */
interface Stores<Doc extends mongo.Document> {
  collection: mongo.Collection<Doc>;
}

async function find<Doc extends mongo.Document & { _id: string }>(
  { collection }: Stores<Doc>,
  partnerId: string,
  ids: readonly string[],
  session: ClientSession,
): Promise<Doc[]> {
  if (ids.length === 0) return [];
  return await collection
    .find<Doc>({ partnerId, _id: { $in: ids } } as never, { session })
    .toArray();
}

/** @returns the rows of the outbox */
async function writeAll(
  { models, hashKey }: CommitDeps,
  read: Read,
  draft: Draft,
  { at }: Terms,
  session: ClientSession,
): Promise<OutboxDoc[]> {
  const { wallet } = draft;
  let entries: EntryDoc[] = [];
  if (wallet !== null && read.wallet !== null && wallet !== read.wallet) {
    const { _id, partnerId, balances, waiting } = wallet;
    entries = chained(read.wallet, draft.entries, at, hashKey);
    const { seq, hash } = entries.at(-1) ?? wallet;
    await models.wallets.collection.updateOne(
      { partnerId, _id: _id as never },
      { $set: { balances, waiting, seq, hash } },
      { session },
    );
    const ledger = wallet.mode === 'LIVE' ? models.ledger : models.testFunding;
    await insert(ledger, entries, session);
  }
  await writeVersioned(models.rewards, read.rewards, draft.rewards, session);
  await writeVersioned(models.redemptions, read.redemptions, draft.redemptions, session);
  const customers = changed(read.customers, draft.customers);
  await set(balancesOf(models, draft.mode ?? 'LIVE'), customers, session);
  await set(models.subscriptions, changed(read.subscriptions, draft.subscriptions), session);
  await set(models.invoices, changed(read.invoices, draft.invoices), session);
  await set(models.usagePeriods, changed(read.periods, draft.periods), session);
  await writeSums(models, read, draft, session);
  for (const [into, documents] of Map.groupBy(draft.inserts, ({ into }) => into)) {
    await insert(
      models[into] as unknown as Stores<mongo.Document>,
      documents.map(({ document }) => document),
      session,
    );
  }
  for (const { of, filter, change } of draft.updates) {
    const { matchedCount } = await models[of].collection.updateOne(filter as never, change, {
      session,
    });
    if (matchedCount === 0) throw conflict(of);
  }
  await insert(
    models.webhookDeliveries,
    await deliveriesOf(
      models,
      draft.webhooks.map((fact) => withTransaction(fact, entries)),
      session,
    ),
    session,
  );
  const rows = draft.wakes.map((wake) => rowOf(wake, wallet, at));
  await writeOutbox(models, draft, rows, session);
  return rows;
}

const withTransactions: readonly WebhookFact['type'][] = [
  'funding.topped_up',
  'funding.withdrawn',
  'funding.corrected',
];

/** What moves the funding names its transaction, whose id is known only now. */
function withTransaction(fact: WebhookFact, entries: readonly EntryDoc[]): WebhookFact {
  if (!withTransactions.includes(fact.type)) return fact;
  const transactionId = entries.find(({ reference }) => reference === fact.fact)?._id;
  return { ...fact, data: { transactionId, ...fact.data } };
}

/** Another writer changed what was read: the whole commit starts anew. */
const conflict = (what: string) =>
  new mongo.MongoServerError({
    message: `${what} was changed by another process`,
    errorLabels: ['TransientTransactionError'],
  });

/** The entries with their hashes, each bound to the one before it. */
function chained(
  { _id: walletId, partnerId, hash }: Wallet,
  drafts: readonly EntryDraft[],
  at: Date,
  key: KeyObject,
): EntryDoc[] {
  let previousHash = hash;
  return drafts.map((draft) => {
    const entry = { _id: newId('transaction'), partnerId, walletId, at, ...draft, previousHash };
    previousHash = entryHash(key, entry);
    return { ...entry, hash: previousHash };
  });
}

/** The key of ledgers' hashes. Access to the database alone is not enough to forge an entry. */
export const ledgerKey = (customerHashKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', customerHashKey).update('ledger entry').digest());

/** The keyed hash of an entry, over all that it says and the hash of the entry before it. */
export function entryHash(key: KeyObject, entry: Omit<EntryDoc, 'hash'>): string {
  const { _id, partnerId, walletId, seq, reference, kind, rewardId, at, postings } = entry;
  const moved = postings.map(({ account, unit, amount, balanceAfter }) => [
    account,
    unit,
    amount,
    balanceAfter,
  ]);
  const said = [_id, partnerId, walletId, seq, reference, kind, rewardId, at.toISOString(), moved];
  if (entry.reverses !== undefined) said.push(entry.reverses);
  return createHmac('sha256', key)
    .update(JSON.stringify([entry.previousHash, ...said]))
    .digest('base64url');
}

/** Inserts new documents, and replaces those that still have the version that was read. */
async function writeVersioned<
  Doc extends mongo.Document & { _id: string; partnerId: string; version: number },
>(
  store: Stores<Doc>,
  read: ReadonlyMap<string, Doc>,
  now: ReadonlyMap<string, Doc>,
  session: ClientSession,
): Promise<void> {
  const made = changed(read, now);
  await insert(
    store,
    made.filter(({ _id }) => !read.has(_id)),
    session,
  );
  const moved = made.flatMap((replacement) => {
    const before = read.get(replacement._id);
    if (before === undefined) return [];
    const { partnerId, _id, version } = before;
    return [{ replaceOne: { filter: { partnerId, _id, version }, replacement } }];
  });
  if (moved.length === 0) return;
  const { matchedCount } = await store.collection.bulkWrite(moved as never[], { session });
  if (matchedCount < moved.length) throw conflict('a document');
}

/** The sums that follow from what changed: of days, customers' days, and rewards by state. */
async function writeSums(
  models: Models,
  read: Read,
  draft: Draft,
  session: ClientSession,
): Promise<void> {
  const { partnerId } = draft;
  const days = [...draft.days].map(([day, use]) => ({
    filter: { _id: `${partnerId}/${day}`, partnerId },
    update: { $inc: use, $setOnInsert: { day } },
  }));
  await add(models.usageDays, days, session);
  const customerDays = [...draft.customerDays].flatMap(([_id, points]) => {
    if (points === read.customerDays.get(_id)) return [];
    const expiresAt = new Date(Date.parse(_id.slice(-10)) + customerDayKeptMs);
    return [{ filter: { _id, partnerId }, update: { $set: { points, expiresAt } } }];
  });
  await add(models.customerDays, customerDays, session);
  await add(models.rewardTotals, totalsOf(read, draft), session);
}

/** The changes of the totals of rewards by day and state. */
function totalsOf(read: Read, draft: Draft) {
  const sums = new Map<
    string,
    { filter: object; $inc: Record<string, number>; $setOnInsert: object }
  >();
  for (const after of changed(read.rewards, draft.rewards)) {
    const { partnerId, mode, currency, createdAt, points, liabilityCents } = after;
    const before = read.rewards.get(after._id);
    const isSame = before?.status === after.status && before.points === points;
    if (isSame && before.liabilityCents === liabilityCents) continue;
    const day = createdAt.toISOString().slice(0, 10);
    const _id = `${partnerId}/${mode}/${currency}/${day}`;
    const sum = sums.get(_id) ?? {
      filter: { _id, partnerId },
      $inc: {},
      $setOnInsert: { mode, currency, day },
    };
    for (const [reward, sign] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (reward === undefined) continue;
      const counted = { rewards: 1, points: reward.points, cents: reward.liabilityCents };
      for (const [name, by] of Object.entries(counted)) {
        const field = `states.${reward.status}.${name}`;
        sum.$inc[field] = (sum.$inc[field] ?? 0) + sign * by;
      }
    }
    sums.set(_id, sum);
  }
  return [...sums.values()].map(({ filter, ...update }) => ({ filter, update }));
}

async function writeOutbox(
  { outbox }: Models,
  { partnerId, acted }: Draft,
  rows: readonly OutboxDoc[],
  session: ClientSession,
): Promise<void> {
  if (acted.length > 0) {
    await outbox.collection.deleteMany({ partnerId, _id: { $in: acted as never[] } }, { session });
  }
  const writes = rows.map(({ _id, ...row }) => ({
    updateOne: { filter: { _id, partnerId }, update: { $setOnInsert: row }, upsert: true },
  }));
  if (writes.length > 0)
    await outbox.collection.bulkWrite(writes as never[], { session, ordered: false });
}

const changed = <Doc>(before: ReadonlyMap<string, Doc>, after: ReadonlyMap<string, Doc>): Doc[] =>
  [...after].flatMap(([id, doc]) => (before.get(id) === doc ? [] : [doc]));

async function insert<Doc extends mongo.Document>(
  { collection }: Stores<Doc>,
  documents: readonly Doc[],
  session: ClientSession,
): Promise<void> {
  if (documents.length > 0) await collection.insertMany(documents as never[], { session });
}

/** Stores documents as they are now, whether they existed or not. */
async function set<Doc extends mongo.Document & { _id: string; partnerId: string }>(
  { collection }: Stores<Doc>,
  documents: readonly Doc[],
  session: ClientSession,
): Promise<void> {
  const writes = documents.map((replacement) => ({
    replaceOne: {
      filter: { _id: replacement._id, partnerId: replacement.partnerId },
      replacement,
      upsert: true,
    },
  }));
  if (writes.length > 0) await collection.bulkWrite(writes as never[], { session, ordered: false });
}

async function add<Doc extends mongo.Document>(
  { collection }: Stores<Doc>,
  changes: readonly { filter: object; update: object }[],
  session: ClientSession,
): Promise<void> {
  const writes = changes.map((one) => ({ updateOne: { ...one, upsert: true } }));
  if (writes.length > 0) await collection.bulkWrite(writes as never[], { session, ordered: false });
}
