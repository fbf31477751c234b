import type { KeyObject } from 'node:crypto';
import { type ClientSession, mongo } from 'mongoose';
import { customerDayId, earningDayOf, redemptionDayOf } from '../domain/customer-days.ts';
import { type CustomerBalance, Draft, type Read, readOf, type Wallet } from '../domain/draft.ts';
import type { Terms } from '../domain/facts.ts';
import type { Change } from '../domain/known.ts';
import type { Mode } from '../domain/mode.ts';
import { walletIdOf } from '../domain/postings.ts';
import type { Reward } from '../domain/reward.ts';
import { usagePeriodAt } from '../domain/usage-periods.ts';
import type { WebhookFact } from '../domain/webhooks.ts';
import { createBatcher } from '../platform/batcher.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import type { Commit, Fact } from './fact.ts';
import { chained } from './ledger/index.ts';
import { rowOf } from './outbox.ts';
import { findNotBegun } from './rewards/find-reward.ts';
import type { EntryDoc } from './schemas/entries.ts';
import type { Models } from './schemas/index.ts';
import type { OutboxDoc } from './schemas/outbox.ts';
import { awaitingFundingIndex, underReviewIndex } from './schemas/rewards.ts';
import { appended, rewardMoved } from './store/metric-events.ts';
import { deliveriesOf, subscribersOf } from './webhooks/announce.ts';

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
  const session = await models.connection.startSession();
  try {
    let settled: Settled[] = [];
    let rows: OutboxDoc[] = [];
    let written: Draft | undefined;
    await session.withTransaction(
      async () => {
        const reading = readTerms(deps, facts);
        // A failure of it waits: a first command that reached the server after the end of the transaction
        // would hold the wallet.
        reading.catch(() => undefined);
        const wallet = await takeWallet(models, facts, session);
        const terms = await reading;
        const read = await readAll(models, facts, { ...terms, wallet }, session);
        const draft = new Draft(read);
        settled = facts.map((fact): Settled => {
          try {
            return { outcome: draft.decide((copy) => fact.decide(copy, terms)) };
          } catch (refusal) {
            return { refusal };
          }
        });
        rows = await writeAll(deps, read, draft, terms, session);
        written = draft;
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
function measure(draft: Draft | undefined): void {
  if (draft === undefined) return;
  const { wallet, entries } = draft;
  if (wallet !== null) appended.publish({ mode: wallet.mode, entries: entries.length });
  for (const { before, after } of draft.rewards.changes()) {
    const { mode, createdAt, moves } = after;
    for (const [place, { move, at }] of moves.entries()) {
      if (place < (before?.moves.length ?? 0)) continue;
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

/** What customers hold in a mode. */
const balancesOf = (models: Models, mode: Mode) =>
  mode === 'LIVE' ? models.customerBalances : models.testCustomerBalances;

/**
 * Takes the wallet, so that two commits of one wallet conflict at once.
 * @returns null if the facts move no money, or if a TEST integration has no test funding
 */
async function takeWallet(
  { wallets }: Models,
  facts: readonly Fact<unknown>[],
  session: ClientSession,
): Promise<Wallet | null> {
  const { partnerId, wallet: ref } = facts[0] as Fact<unknown>;
  if (ref === null) return null;
  const { mode } = ref;
  const first = { mode, balances: {}, seq: 0, hash: '', waiting: 0 };
  const taken = await wallets.collection.findOneAndUpdate(
    { _id: walletIdOf(ref) as never, partnerId },
    { $inc: { version: 1 }, $setOnInsert: first },
    {
      session,
      upsert: mode === 'LIVE' || facts.some(({ createsWallet }) => createsWallet),
      returnDocument: 'after',
    },
  );
  return taken as Wallet | null;
}

/** What facts are decided on: what they name, and what follows from what was found. */
async function readAll(
  models: Models,
  facts: readonly Fact<unknown>[],
  { at, subscription, wallet }: Terms & { wallet: Wallet | null },
  session: ClientSession,
): Promise<Read> {
  const { partnerId, wallet: ref } = facts[0] as Fact<unknown>;
  // Taking a wallet has opened the snapshot of the transaction. The rest is read beside it, all at once: it is
  // at least as new, and a document that anybody changes after the snapshot refuses to be written.
  const options: FindOptions = ref === null ? { session } : { readConcern: { level: 'local' } };
  const find = async <Doc extends mongo.Document & { _id: string }>(
    { collection }: Stores<Doc>,
    ids: readonly string[],
  ): Promise<Found<Doc>> => {
    const found: Found<Doc> = new Map(ids.map((id) => [id, undefined]));
    if (ids.length === 0) return found;
    const wanted = { partnerId, _id: { $in: unique(ids) } } as never;
    const docs = await collection.find<Doc>(wanted, options).toArray();
    for (const doc of docs) found.set(doc._id, doc);
    return found;
  };
  const named = (idsOf: (fact: Fact<unknown>) => readonly string[] | undefined) =>
    facts.flatMap((fact) => idsOf(fact) ?? []);
  const dayIds = named((fact) => fact.customerDays?.map(customerDayId));
  const invoiceIds = named((fact) => fact.invoiceIds);

  if (ref === null) {
    return readOf({
      partnerId,
      customerDays: await find(models.customerDays, dayIds),
      invoices: await find(models.invoices, invoiceIds),
    });
  }
  const { mode } = ref;
  const isLive = mode === 'LIVE';
  const current = usagePeriodAt(partnerId, subscription, at.toISOString());
  const next = usagePeriodAt(partnerId, subscription, current.end);
  const periodIds = [current._id, next._id, ...named((fact) => fact.periodIds)];
  const [
    waiting,
    wanted,
    reviewed,
    redemptions,
    customers,
    invoices,
    lastInvoice,
    periods,
    customerDays,
  ] = await Promise.all([
    wallet && wallet.waiting > 0 ? readQueue(models, wallet, options) : [],
    find(
      models.rewards,
      named((fact) => fact.rewardIds),
    ),
    readReviewed(
      models,
      { partnerId, mode, customerIds: named((fact) => fact.spenderIds) },
      options,
    ),
    find(
      models.redemptions,
      named((fact) => fact.redemptionIds),
    ),
    find(
      balancesOf(models, mode),
      named((fact) => fact.customerIds),
    ),
    find(models.invoices, invoiceIds),
    facts.some((fact) => fact.issuesInvoice) ? readLastInvoice(models, partnerId, options) : null,
    find(models.usagePeriods, isLive ? periodIds : []),
    find(models.customerDays, dayIds),
  ]);
  const rewards: Found<Reward> = new Map([...byId(waiting), ...byId(reviewed), ...wanted]);

  // What was found leads to more, mostly among it: a reward may be another customer's than before the commit.
  const countedIn = [...rewards.values()].flatMap((one) => one?.countedIn?.periodId ?? []);
  await complete(periods, isLive ? countedIn : [], (ids) => find(models.usagePeriods, ids));
  // Rewards are counted in the first period that is not billed. That is the current one or the next, unless the
  // clock of this process is behind.
  for (let last = next; periods.get(last._id)?.billedOn; ) {
    last = usagePeriodAt(partnerId, subscription, last.end);
    await complete(periods, [last._id], (ids) => find(models.usagePeriods, ids));
  }
  const made: Found<Reward> = new Map(
    facts.flatMap(({ made }) => (made ? [[made._id, made]] : [])),
  );
  const notBegun = named((fact) => fact.rewardIds).filter((id) => !rewards.get(id));
  await complete(made, notBegun, async (ids) => {
    const found = await findNotBegun(models, { partnerId }, unique(ids), options);
    return new Map(ids.map((id) => [id, found.get(id)]));
  });
  const rewardOf = (id: string) => wanted.get(id) ?? made.get(id);
  const daysOf = [
    ...named((fact) => fact.rewardIds).flatMap((id) => {
      const reward = rewardOf(id);
      return reward ? earningDayOf(reward) : [];
    }),
    ...[...redemptions.values()].flatMap((one) => (one ? redemptionDayOf(one) : [])),
  ];
  await complete(customerDays, daysOf.map(customerDayId), (ids) => find(models.customerDays, ids));
  const holders = facts.flatMap(({ readsHoldings, rewardIds = [], redemptionIds = [] }) =>
    readsHoldings
      ? [
          ...rewardIds.map((id) => rewardOf(id)?.customerId ?? []),
          ...redemptionIds.map((id) => redemptions.get(id)?.customerId ?? []),
        ].flat()
      : [],
  );
  await complete(customers, holders, (ids) => find(balancesOf(models, mode), ids));
  const billed = [...periods.values()].flatMap(
    (one) => (one?.billedOn && one.subscriptionId) || [],
  );
  const subscriptionIds = [...billed, ...named((fact) => fact.subscriptionIds)];
  return readOf({
    partnerId,
    mode,
    wallet,
    rewards,
    made,
    redemptions,
    customers,
    periods,
    subscriptions: await find(models.subscriptions, subscriptionIds),
    invoices,
    lastInvoice,
    customerDays,
    queue: waiting.map(({ _id }) => _id),
  });
}

/** Documents by the ids that were asked for; undefined for those that do not exist. */
type Found<Doc> = Map<string, Doc | undefined>;

/** Adds what was not asked for yet. */
async function complete<Doc>(
  known: Found<Doc>,
  wanted: readonly string[],
  find: (ids: readonly string[]) => Promise<Found<Doc>>,
): Promise<void> {
  for (const [id, doc] of await find(wanted.filter((id) => !known.has(id)))) known.set(id, doc);
}

/** How a commit reads: in its transaction, or beside it. */
type FindOptions = { session: ClientSession } | { readConcern: { level: 'local' } };

/** The rewards that wait for a wallet, first come, first served. */
async function readQueue(
  { rewards }: Models,
  { _id: walletId, partnerId }: Wallet,
  options: FindOptions,
): Promise<Reward[]> {
  return await rewards.collection
    .find<Reward>({ partnerId, walletId, state: 'AWAITING_FUNDING' }, options)
    .sort({ _id: 1 })
    .limit(maxFunded)
    .hint(awaitingFundingIndex)
    .toArray();
}

/** The rewards of customers that are under review. */
async function readReviewed(
  { rewards }: Models,
  { customerIds, ...of }: { partnerId: string; mode: Mode; customerIds: readonly string[] },
  options: FindOptions,
): Promise<Reward[]> {
  if (customerIds.length === 0) return [];
  return await rewards.collection
    .find<Reward>({ ...of, customerId: { $in: unique(customerIds) }, state: 'IN_REVIEW' }, options)
    .hint(underReviewIndex)
    .toArray();
}

async function readLastInvoice(
  { invoices }: Models,
  partnerId: string,
  options: FindOptions,
): Promise<number> {
  const newest = await invoices.findOne({ partnerId }, { seq: 1 }, options).sort({ seq: -1 });
  return newest?.seq ?? 0;
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
const byId = <Doc extends { _id: string }>(docs: readonly Doc[]) =>
  new Map(docs.map((doc) => [doc._id, doc]));

/** The collection of a model, as far as commits read and write it. */
interface Stores<Doc extends mongo.Document> {
  collection: mongo.Collection<Doc>;
}

/** @returns the rows of the outbox */
async function writeAll(
  { models, hashKey }: CommitDeps,
  read: Read,
  draft: Draft,
  { at }: Terms,
  session: ClientSession,
): Promise<OutboxDoc[]> {
  const { partnerId, wallet, webhooks } = draft;
  const entries = read.wallet ? chained(read.wallet, draft.entries, at, hashKey) : [];
  const [endpoints] = await Promise.all([
    webhooks.length > 0 ? subscribersOf(models, partnerId) : [],
    wallet === read.wallet ? null : writeWallet(models, wallet, entries, session),
  ]);
  await writeVersioned(models.rewards, draft.rewards.changes(), session);
  await writeVersioned(models.redemptions, draft.redemptions.changes(), session);
  await moveBalances(balancesOf(models, draft.mode ?? 'LIVE'), draft.customers.changes(), session);
  await set(models.subscriptions, draft.subscriptions.changes(), session);
  await set(models.invoices, draft.invoices.changes(), session);
  await set(models.usagePeriods, draft.periods.changes(), session);
  await set(models.customerDays, draft.customerDays.changes(), session);
  await writeSums(models, draft, session);
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
  const announced = webhooks.map((fact) => withTransaction(fact, entries));
  const deliveries = await deliveriesOf(models, endpoints, announced, session);
  await insert(models.webhookDeliveries, deliveries, session);
  const rows = draft.wakes.map((wake) => rowOf(wake, wallet, at));
  await writeOutbox(models, draft, rows, session);
  return rows;
}

async function writeWallet(
  { wallets, ledger, testFunding }: Models,
  wallet: Wallet | null,
  entries: readonly EntryDoc[],
  session: ClientSession,
): Promise<void> {
  if (wallet === null) return;
  const { _id, partnerId, mode, balances, waiting } = wallet;
  const { seq, hash } = entries.at(-1) ?? wallet;
  const $set = { balances, waiting, seq, hash };
  await wallets.collection.updateOne({ partnerId, _id: _id as never }, { $set }, { session });
  await insert(mode === 'LIVE' ? ledger : testFunding, entries, session);
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

/** Inserts new documents, and replaces those that still have the version that was read. */
async function writeVersioned<
  Doc extends mongo.Document & { _id: string; partnerId: string; version: number },
>(store: Stores<Doc>, changes: readonly Change<Doc>[], session: ClientSession): Promise<void> {
  const made = changes.flatMap(({ before, after }) => (before === undefined ? [after] : []));
  await insert(store, made, session);
  const moved = changes.flatMap(({ before, after: replacement }) => {
    if (before === undefined) return [];
    const { partnerId, _id, version } = before;
    return [{ replaceOne: { filter: { partnerId, _id, version }, replacement } }];
  });
  if (moved.length === 0) return;
  const { matchedCount } = await store.collection.bulkWrite(moved as never[], { session });
  if (matchedCount < moved.length) throw conflict('a document');
}

const holdings = [
  ...(['payableCents', 'points', 'heldCents', 'heldPoints'] as const),
  ...(['writtenOffCents', 'writtenOffPoints'] as const),
];

/**
 * Adds to balances what moved, on the very amounts that it was decided on: a balance that holds anything else
 * refuses the commit.
 */
async function moveBalances(
  { collection }: Stores<CustomerBalance>,
  changes: readonly Change<CustomerBalance>[],
  session: ClientSession,
): Promise<void> {
  const writes = changes.map(({ before, after: { _id, partnerId, ...after } }) => {
    const stood = holdings.map((field) => [field, before?.[field] ?? { $exists: false }]);
    const moved = holdings.map((field) => [field, after[field] - (before?.[field] ?? 0)]);
    const filter = { partnerId, _id, ...Object.fromEntries(stood) };
    const update = { $inc: Object.fromEntries(moved) };
    return { updateOne: { filter, update, upsert: before === undefined } };
  });
  if (writes.length === 0) return;
  const { matchedCount, upsertedCount } = await collection.bulkWrite(writes as never[], {
    session,
    ordered: false,
  });
  if (matchedCount + upsertedCount < writes.length) throw conflict('a balance');
}

/** The sums that follow from what changed: of days, and of rewards by state. */
async function writeSums(models: Models, draft: Draft, session: ClientSession): Promise<void> {
  const { partnerId } = draft;
  const days = [...draft.days].map(([day, use]) => ({
    filter: { _id: `${partnerId}/${day}`, partnerId },
    update: { $inc: use, $setOnInsert: { day } },
  }));
  await add(models.usageDays, days, session);
  await add(models.rewardTotals, totalsOf(draft), session);
}

/** The changes of the totals of rewards by day and state. */
function totalsOf(draft: Draft) {
  const sums = new Map<
    string,
    { filter: object; $inc: Record<string, number>; $setOnInsert: object }
  >();
  for (const { before, after } of draft.rewards.changes()) {
    const { partnerId, mode, currency, createdAt, points, liabilityCents } = after;
    const isSame = before?.state === after.state && before.points === points;
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
        const field = `states.${reward.state}.${name}`;
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
    await outbox.collection.deleteMany({ partnerId, about: { $in: [...acted] } }, { session });
  }
  const writes = rows.map(({ _id, ...row }) => ({
    updateOne: { filter: { _id, partnerId }, update: { $setOnInsert: row }, upsert: true },
  }));
  if (writes.length > 0)
    await outbox.collection.bulkWrite(writes as never[], { session, ordered: false });
}

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
  changes: readonly Change<Doc>[],
  session: ClientSession,
): Promise<void> {
  const writes = changes.map(({ after: replacement }) => ({
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
