import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, mongo } from 'mongoose';
import pLimit from 'p-limit';
import { customerDayId, earningDayOf, redemptionDayOf } from '../domain/customer-days.ts';
import {
  type CustomerBalance,
  Draft,
  type Read,
  readOf,
  type UsagePeriod,
  type Wallet,
} from '../domain/draft.ts';
import type { DueDocument, DueEvent } from '../domain/due-documents.ts';
import type { Terms } from '../domain/facts.ts';
import type { Change } from '../domain/known.ts';
import { type WalletRef, walletIdOf, walletOf } from '../domain/postings.ts';
import { passedIn } from '../domain/queue.ts';
import type { Reward } from '../domain/reward.ts';
import { waitingIn } from '../domain/reward-totals.ts';
import { type BudgetUse, budgetIdsOf } from '../domain/rule-budgets.ts';
import { usagePeriodAt } from '../domain/usage-periods.ts';
import type { Announcement } from '../domain/webhooks.ts';
import { createBatcher } from '../platform/batcher.ts';
import { transactionLifetimeSeconds } from '../platform/mongo.ts';
import { currentTraceparent } from '../platform/tracing.ts';
import type { Commit, CommitDeps, Fact, ProcessCommit, Settled } from './fact.ts';
import { insertFacts } from './insert-facts.ts';
import { chained } from './ledger/index.ts';
import { findNotBegun } from './rewards/find-reward.ts';
import type { EntryDoc } from './schemas/entries.ts';
import type { Models } from './schemas/index.ts';
import { awaitingFundingIndex, underReviewIndex } from './schemas/rewards.ts';
import type { WalletDoc } from './schemas/wallets.ts';
import { appended, rewardMoved } from './store/metric-events.ts';
import { deliveriesOf, subscribersOf } from './webhooks/announce.ts';

export type { Commit, CommitDeps, Fact, ProcessCommit };

/** The most facts that share a commit. */
const maxGroup = 64;
/** The most waiting rewards that one commit funds. */
const maxFunded = 100;
/** After this a commit is given up; whether it was made is found by its key or reference. */
const defaultPatienceMs = 20_000;
/** How long a process that has committed lets others go first, if they wait for the wallet. */
const yieldMs = 3;
/** How often a commit that meets others is tried again at once. */
const hurriedTries = 20;

/**
 * Transactions of this process at once: more would each take longer, until the server ends all of them for taking
 * too long, and none is made. Who waits for another's wallet has none.
 */
const transactions = pLimit(16);
/** For those that met that nevertheless, on a machine that is starved: one at a time gets through. */
const oneAtATime = pLimit(1);

/** The ends of facts, and whether another process waits for their wallet. */
interface Group {
  settled: Settled[];
  isWanted: boolean;
}

/**
 * Facts of one process that want the same wallet share a commit: they are decided in order of arrival,
 * and written together. If that fails, each is tried alone, so that one harms no other. Without sharing,
 * everything would be right and slower.
 *
 * Processes that want the same wallet take turns: one that meets another touches the wallet by a plain write,
 * which the server holds until the other's commit; one that has committed and was touched waits a moment
 * (docs/operate/scale.md, Sizing).
 */
export function createCommit(deps: CommitDeps): ProcessCommit {
  const sharing = (write: (facts: readonly Fact<unknown>[]) => Promise<Group>) =>
    createBatcher<{ fact: Fact<unknown> }, unknown>({ maxBatch: maxGroup }, async (_key, jobs) => {
      const { settled, isWanted } = await write(jobs.map(({ fact }) => fact));
      for (const [place, job] of jobs.entries()) {
        const one = settled[place];
        if (one && 'outcome' in one) job.resolve(one.outcome);
        else job.reject(one?.refusal);
      }
      if (isWanted) await sleep(yieldMs);
    });
  const together = sharing((facts) => commitAll(deps, facts));
  const inserted = sharing(async (facts) => ({
    settled: await insertFacts(deps, facts),
    isWanted: false,
  }));
  const commit = async <Outcome>(fact: Fact<Outcome>): Promise<Outcome> => {
    const { partnerId, wallet } = fact;
    if (fact.isOneEvent) return (await inserted(partnerId, { fact })) as Outcome;
    const key = `${partnerId}/${wallet === null ? 'none' : walletIdOf(wallet)}`;
    return (await together(key, { fact })) as Outcome;
  };
  const running = new Set<Promise<unknown>>();
  return Object.assign(
    <Outcome>(fact: Fact<Outcome>): Promise<Outcome> => {
      const made = commit(fact);
      const ends: Promise<unknown> = made
        .catch(() => undefined)
        .finally(() => running.delete(ends));
      running.add(ends);
      return made;
    },
    { ended: async () => void (await Promise.all(running)) },
  );
}

async function commitAll(deps: CommitDeps, facts: readonly Fact<unknown>[]): Promise<Group> {
  try {
    return await commitTogether(deps, facts);
  } catch (error) {
    // Only what the server refuses may be due to one of them: whoever is late or unreachable, is for all.
    const isRefused = error instanceof mongo.MongoServerError;
    const isOfMongo = error instanceof mongo.MongoError;
    if (facts.length === 1 || (isOfMongo && !isRefused)) {
      return { settled: facts.map(() => ({ refusal: error })), isWanted: false };
    }
    const settled: Settled[] = [];
    for (const fact of facts) settled.push(...(await commitAll(deps, [fact])).settled);
    return { settled, isWanted: false };
  }
}

/** Tries until it is written, refused, or late. */
async function commitTogether(deps: CommitDeps, facts: readonly Fact<unknown>[]): Promise<Group> {
  const { patienceMs = defaultPatienceMs } = deps;
  const untilMs = performance.now() + patienceMs;
  const lateMs = performance.now() + transactionLifetimeSeconds * 1_000;
  const leftMs = () => Math.ceil(untilMs - performance.now());
  let touches = 0;
  for (let tries = 1; ; tries++) {
    try {
      const lane = performance.now() < lateMs ? transactions : oneAtATime;
      return await lane(() => commitOnce(deps, facts, touches));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      if (leftMs() <= 0) throw late(error);
      if (tries > hurriedTries) await sleep(yieldMs);
      touches = await touch(deps.models, facts[0] as Fact<unknown>, leftMs()).catch((failure) => {
        throw isOverTime(failure) ? late(failure) : failure;
      });
    }
  }
}

/**
 * A commit that has to start anew, since another one changed what it was decided on. It hides its cause from the
 * driver, which would wait for longer and longer before it tries again, while others go first.
 */
class ConflictError extends Error {
  override name = 'ConflictError';
}

const maxTimeExpired = 50;

const isOverTime = (error: unknown): error is mongo.MongoServerError =>
  error instanceof mongo.MongoServerError && error.code === maxTimeExpired;

const late = (cause: Error) =>
  new mongo.MongoOperationTimeoutError('others were faster until it was late', { cause });

/**
 * Says that the wallet is wanted, by a write that the server holds until whoever has taken it has committed.
 * @returns how often it was said since it was last taken
 */
async function touch(
  { wallets }: Models,
  { partnerId, wallet: ref }: Fact<unknown>,
  maxTimeMS: number,
): Promise<number> {
  const touched =
    ref &&
    (await wallets.collection.findOneAndUpdate(
      { partnerId, _id: walletIdOf(ref) as never },
      { $inc: { wanted: 1 } },
      {
        projection: { wanted: 1 },
        returnDocument: 'after',
        // Should it be lost, nothing is.
        writeConcern: { w: 1, journal: false },
        maxTimeMS: Math.max(1, maxTimeMS),
      },
    ));
  if (touched) return (touched as unknown as WalletDoc).wanted;
  // There is nothing to wait at.
  await sleep(yieldMs);
  return 0;
}

/** @param touches how often the caller knows that the wallet was touched, by itself and those before it */
async function commitOnce(
  deps: CommitDeps,
  facts: readonly Fact<unknown>[],
  touches: number,
): Promise<Group> {
  const { models, tell } = deps;
  const session = await models.connection.startSession();
  try {
    let settled: Settled[] = [];
    let written: Draft | undefined;
    let wanted = 0;
    const work = async () => {
      const reading = readTerms(deps, facts);
      // A failure of it waits: a first command that reached the server after the end of the transaction
      // would hold the wallet.
      reading.catch(() => undefined);
      const taken = await takeWallet(models, facts, session);
      const terms = await reading;
      const read = await readAll(models, facts, { ...terms, wallet: taken.wallet }, session);
      const draft = new Draft(read);
      settled = facts.map((fact): Settled => {
        try {
          return { outcome: draft.decide((layer) => fact.decide(layer, terms)) };
        } catch (refusal) {
          return { refusal };
        }
      });
      await writeAll(deps, read, draft, terms, session);
      written = draft;
      ({ wanted } = taken);
    };
    const once = () =>
      work().catch((error: unknown) => {
        const isTransient = error instanceof mongo.MongoError && error.hasErrorLabel(transient);
        throw isTransient ? new ConflictError(error.message, { cause: error }) : error;
      });
    await session.withTransaction(once, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
    });
    if (written !== undefined) {
      tell?.(newlyDue(written));
      measure(written);
    }
    return { settled, isWanted: wanted > touches };
  } finally {
    await session.endSession();
  }
}

const transient = 'TransientTransactionError';

/** The documents that something is due about since a commit, as far as anybody is told at once. */
function newlyDue(draft: Draft): DueDocument[] {
  return [
    ...draft.inserts.flatMap(({ into, document }): DueDocument[] => {
      const event = document as DueEvent;
      return into === 'orderEvents' && isNewlyDue(event) ? [{ of: into, document: event }] : [];
    }),
    ...draft.rewards
      .changes()
      .flatMap(({ before, after: document }): DueDocument[] =>
        isNewlyDue(document, before) ? [{ of: 'rewards', document }] : [],
      ),
    ...draft.redemptions
      .changes()
      .flatMap(({ before, after: document }): DueDocument[] =>
        isNewlyDue(document, before) ? [{ of: 'redemptions', document }] : [],
      ),
  ];
}

const isNewlyDue = ({ due }: { due: unknown }, before?: { due: unknown } | null): boolean =>
  due !== null && due !== before?.due;

/** Publishes what was written for the metrics. */
function measure(draft: Draft): void {
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

/**
 * Takes the wallet, so that two commits of one wallet conflict at once.
 * @returns it, or null if the facts move no money; and how often it was touched since it was last taken
 */
async function takeWallet(
  { wallets }: Models,
  facts: readonly Fact<unknown>[],
  session: ClientSession,
): Promise<{ wallet: Wallet | null; wanted: number }> {
  const { partnerId, wallet: ref } = facts[0] as Fact<unknown>;
  if (ref === null) return { wallet: null, wanted: 0 };
  const { mode } = ref;
  const _id = walletIdOf(ref);
  const first = { mode, balances: {}, seq: 0, hash: '', rewards: {}, due: null };
  const before = (await wallets.collection.findOneAndUpdate(
    { _id: _id as never, partnerId },
    { $inc: { version: 1 }, $set: { wanted: 0 }, $setOnInsert: first },
    { session, upsert: true, returnDocument: 'before' },
  )) as WalletDoc | null;
  if (before === null) return { wallet: { _id, partnerId, ...first, version: 1 }, wanted: 0 };
  const { wanted, ...wallet } = before;
  return { wallet: { ...wallet, version: wallet.version + 1 }, wanted };
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
    own: Partial<WalletRef> = { partnerId },
    projection = {},
  ): Promise<Found<Doc>> => {
    const found: Found<Doc> = new Map(ids.map((id) => [id, undefined]));
    if (ids.length === 0) return found;
    const wanted = { ...own, _id: { $in: unique(ids) } } as never;
    const docs = await collection.find<Doc>(wanted, { ...options, projection }).toArray();
    for (const doc of docs) found.set(doc._id, doc);
    return found;
  };
  const findPeriods = (ids: readonly string[]) =>
    find<UsagePeriod>(models.usagePeriods, ids, { partnerId }, { days: 0 });
  const named = (idsOf: (fact: Fact<unknown>) => readonly string[] | undefined) =>
    facts.flatMap((fact) => idsOf(fact) ?? []);
  const dayIds = named((fact) => fact.customerDays?.map(customerDayId));
  const budgetIds = named((fact) => fact.budgetIds);
  const invoiceIds = named((fact) => fact.invoiceIds);

  if (ref === null) {
    return readOf({
      partnerId,
      customerDays: await find(models.customerDays, dayIds),
      budgets: await find<BudgetUse>(models.ruleBudgets, budgetIds),
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
    budgets,
  ] = await Promise.all([
    wallet && waitingIn(wallet) > 0 ? readQueue(models, wallet, options) : [],
    find(
      models.rewards,
      named((fact) => fact.rewardIds),
      walletOf(ref),
    ),
    readReviewed(
      models,
      ref,
      named((fact) => fact.spenderIds),
      options,
    ),
    find(
      models.redemptions,
      named((fact) => fact.redemptionIds),
      walletOf(ref),
    ),
    readBalances(
      models,
      ref,
      named((fact) => fact.customerIds),
      options,
    ),
    find(models.invoices, invoiceIds),
    facts.some((fact) => fact.issuesInvoice) ? readLastInvoice(models, partnerId, options) : null,
    findPeriods(isLive ? periodIds : []),
    find(models.customerDays, dayIds),
    find<BudgetUse>(models.ruleBudgets, budgetIds),
  ]);
  const rewards: Found<Reward> = new Map([...byId(waiting), ...byId(reviewed), ...wanted]);

  // What was found leads to more, mostly among it: a reward may be another customer's than before the commit.
  const countedIn = [...rewards.values()].flatMap((one) => one?.countedIn?.periodId ?? []);
  await complete(periods, isLive ? countedIn : [], findPeriods);
  // Rewards are counted in the first period that is not billed. That is the current one or the next, unless the
  // clock of this process is behind.
  for (let last = next; periods.get(last._id)?.billedOn; ) {
    last = usagePeriodAt(partnerId, subscription, last.end);
    await complete(periods, [last._id], findPeriods);
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
  const own = named((fact) => fact.rewardIds).flatMap((id) => rewardOf(id) ?? []);
  const daysOf = [
    ...own.flatMap(earningDayOf),
    ...[...redemptions.values()].flatMap((one) => (one ? redemptionDayOf(one) : [])),
  ];
  await complete(customerDays, daysOf.map(customerDayId), (ids) => find(models.customerDays, ids));
  await complete(budgets, own.flatMap(budgetIdsOf), (ids) =>
    find<BudgetUse>(models.ruleBudgets, ids),
  );
  const holders = facts.flatMap(({ readsHoldings, rewardIds = [], redemptionIds = [] }) =>
    readsHoldings
      ? [
          ...rewardIds.map((id) => rewardOf(id)?.customerId ?? []),
          ...redemptionIds.map((id) => redemptions.get(id)?.customerId ?? []),
        ].flat()
      : [],
  );
  await complete(customers, holders, (ids) => readBalances(models, ref, ids, options));
  const billed = [...periods.values()].flatMap(
    (one) => (one?.billedOn && one.subscriptionId) || [],
  );
  const subscriptionIds = [...billed, ...named((fact) => fact.subscriptionIds)];
  return readOf({
    partnerId,
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
    budgets,
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

/** The first rewards that wait for a wallet, in the order of their purchases, whatever of them lets the others pass. */
async function readQueue(
  { rewards }: Models,
  wallet: Wallet,
  options: FindOptions,
): Promise<Reward[]> {
  const { partnerId, mode } = wallet;
  return await rewards.collection
    .find<Reward>({ partnerId, mode, state: 'AWAITING_FUNDING' }, options)
    .sort({ _id: 1 })
    .limit(maxFunded + passedIn(wallet).length)
    .hint(awaitingFundingIndex)
    .toArray();
}

/** The rewards of customers that are under review. */
async function readReviewed(
  { rewards }: Models,
  { partnerId, mode }: WalletRef,
  customerIds: readonly string[],
  options: FindOptions,
): Promise<Reward[]> {
  if (customerIds.length === 0) return [];
  const customerId = { $in: unique(customerIds) };
  return await rewards.collection
    .find<Reward>({ partnerId, mode, customerId, state: 'IN_REVIEW' }, options)
    .hint(underReviewIndex)
    .toArray();
}

/** What customers hold in the wallet's mode, by their ids. */
async function readBalances(
  { customerBalances }: Models,
  { partnerId, mode }: WalletRef,
  customerIds: readonly string[],
  options: FindOptions,
): Promise<Found<CustomerBalance>> {
  const found: Found<CustomerBalance> = new Map(customerIds.map((id) => [id, undefined]));
  if (customerIds.length === 0) return found;
  const wanted = { partnerId, mode, customerId: { $in: unique(customerIds) } };
  const docs = await customerBalances.collection.find<CustomerBalance>(wanted, options).toArray();
  for (const doc of docs) found.set(doc.customerId, doc);
  return found;
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

async function writeAll(
  { models, hashKey }: CommitDeps,
  read: Read,
  draft: Draft,
  { at }: Terms,
  session: ClientSession,
): Promise<void> {
  const { wallet, webhooks } = draft;
  requireOwn(draft);
  const entries = read.wallet ? chained(read.wallet, draft.entries, at, hashKey) : [];
  const [endpoints] = await Promise.all([
    subscribersOf(models, webhooks),
    wallet === read.wallet ? null : writeWallet(models, wallet, entries, session),
  ]);
  await writeVersioned(models.rewards, draft.rewards.changes(), session);
  await writeVersioned(models.redemptions, draft.redemptions.changes(), session);
  await moveBalances(models.customerBalances, draft.customers.changes(), session);
  await set(models.subscriptions, draft.subscriptions.changes(), session);
  await set(models.invoices, draft.invoices.changes(), session);
  await writePeriods(models.usagePeriods, draft, session);
  await set(models.customerDays, draft.customerDays.changes(), session);
  await set(models.ruleBudgets, draft.budgets.changes(), session);
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
  const announced = webhooks.map((one) => withTransaction(one, entries));
  const deliveries = await deliveriesOf(models, endpoints, announced, session);
  await insert(models.webhookDeliveries, deliveries, session);
}

/**
 * A commit begins with a wallet, and all that it reads and writes of money is that wallet's. So TEST never touches
 * LIVE, whatever a fact gets wrong.
 */
function requireOwn({ partnerId, wallet, rewards, redemptions }: Draft): void {
  const moved = [...rewards.changes(), ...redemptions.changes()].map(({ after }) => after);
  const stranger = moved.find((one) => one.partnerId !== partnerId || one.mode !== wallet?.mode);
  if (stranger === undefined) return;
  const { _id, mode } = stranger;
  throw new Error(`${_id} (${mode}) is not of the wallet ${wallet?._id}`);
}

async function writeWallet(
  { wallets, ledger }: Models,
  wallet: Wallet | null,
  entries: readonly EntryDoc[],
  session: ClientSession,
): Promise<void> {
  if (wallet === null) return;
  const { _id, partnerId, ...after } = wallet;
  const { seq, hash } = entries.at(-1) ?? wallet;
  const $set = { ...after, seq, hash };
  await wallets.collection.updateOne({ partnerId, _id: _id as never }, { $set }, { session });
  await insert(ledger, entries, session);
}

const withTransactions: readonly Announcement['type'][] = [
  'funding.topped_up',
  'funding.withdrawn',
  'funding.corrected',
];

/** What moves the funding names its transaction, whose id is known only now. */
function withTransaction(announcement: Announcement, entries: readonly EntryDoc[]): Announcement {
  if (!withTransactions.includes(announcement.type)) return announcement;
  const transactionId = entries.find(({ reference }) => reference === announcement.cause)?._id;
  return { ...announcement, data: { transactionId, ...announcement.data } };
}

/** Another writer changed what was read: the whole commit starts anew. */
const conflict = (what: string) =>
  new mongo.MongoServerError({
    message: `${what} was changed by another process`,
    errorLabels: [transient],
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
  ...(['endedCents', 'endedPoints'] as const),
];
const isHolding = (name: string): boolean => (holdings as readonly string[]).includes(name);

/**
 * Adds to balances what moved, on the very amounts that it was decided on: a balance that holds anything else
 * refuses the commit.
 */
async function moveBalances(
  { collection }: Stores<CustomerBalance>,
  changes: readonly Change<CustomerBalance>[],
  session: ClientSession,
): Promise<void> {
  const writes = changes.map(
    ({ before, after: { _id, partnerId, mode, customerId, ...after } }) => {
      const stood = holdings.map((field) => [field, before?.[field] ?? { $exists: false }]);
      const moved = holdings.flatMap((field) => {
        const held = after[field];
        return held === undefined ? [] : [[field, held - (before?.[field] ?? 0)]];
      });
      const others = Object.entries(after).filter(([name]) => !isHolding(name));
      const filter = { partnerId, _id, ...Object.fromEntries(stood) };
      const update = {
        $inc: Object.fromEntries(moved),
        $setOnInsert: { mode, customerId },
        ...(others.length > 0 && { $set: Object.fromEntries(others) }),
      };
      return { updateOne: { filter, update, upsert: before === undefined } };
    },
  );
  if (writes.length === 0) return;
  const { matchedCount, upsertedCount } = await collection.bulkWrite(writes as never[], {
    session,
    ordered: false,
  });
  if (matchedCount + upsertedCount < writes.length) throw conflict('a balance');
}

/** Writes periods, and adds to their days what moved: a year's days are neither read nor written anew. */
async function writePeriods(
  { collection }: Stores<UsagePeriod>,
  { partnerId, periods, days }: Draft,
  session: ClientSession,
): Promise<void> {
  const writes = periods.changes().map(({ after: { _id, ...$set } }) => {
    const moved = [...(days.get(_id) ?? [])].flatMap(([day, { points, cents }]) => [
      [`days.${day}.points`, points],
      [`days.${day}.cents`, cents],
    ]);
    const update = { $set, ...(moved.length > 0 && { $inc: Object.fromEntries(moved) }) };
    return { updateOne: { filter: { _id, partnerId }, update, upsert: true } };
  });
  if (writes.length > 0) await collection.bulkWrite(writes as never[], { session, ordered: false });
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
