import { setTimeout as delay } from 'node:timers/promises';
import { type BalanceOf, mustNotGoNegative, type Posting } from '../../domain/postings.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import { type BatchJob, createBatcher } from '../../platform/batcher.ts';
import { type ChainedPosting, chainIndex, type EntryDoc } from '../schemas/entries.ts';
import type { ModelOf } from '../schemas/index.ts';
import { duplicateKey, refusedWrites } from '../store/insert-once.ts';
import { appended } from '../store/metric-events.ts';
import { type ChainCache, usualChainCache } from './chain-cache.ts';

/** Shorter than an activity's timeout, so that an attempt ends before the next one begins. */
const patienceMs = 8_000;
const maxBatch = 100;
/**
 * The most newer entries that one read of several heads returns; with more, each head is read by
 * itself.
 */
const maxSince = 50;

/** An entry that a caller wants to append. */
export interface Draft<Refusal = never> {
  partnerId: string;
  /**
   * Identifies what the entry is for (references.ts). If it exists, this draft was appended before.
   */
  reference: string;
  rewardId: string | null;
  at: Date;
  /** All accounts that `decide` reads or posts to. */
  accounts: readonly string[];
  /**
   * Decides what to post, given the current balances. Pure, since it is called again if another
   * append came first.
   * @returns what to post, or a refusal, which writes nothing
   */
  decide(balanceOf: BalanceOf): DecidedDraft | { refused: Refusal };
}

export interface DecidedDraft {
  kind: string;
  postings: Posting[];
  /** Written even though nothing moves, to take the reference. */
  keepsZeros?: true;
}

export type AppendOutcome<Refusal> =
  | { entry: EntryDoc; isNew: boolean }
  /** Nothing was written, since nothing moves. */
  | { entry: null; isNew: false }
  | { refused: Refusal };

export interface ChainOptions {
  /** Keyed, so that access to the database alone is not enough to forge an entry. */
  hash: (text: string) => string;
  newId: () => string;
  /** Saves reads; correctness does not depend on it. */
  cache?: ChainCache;
  /**
   * Checks an entry's postings and drops those that need not be written. A ledger's must balance.
   * @param read the accounts whose balances were read. Heads are read one after the other: only a
   *   posting in each account ties the write to the balance that was read.
   */
  prepare: (postings: readonly Posting[], read: readonly string[]) => Posting[];
  /** Further fields of an entry, derived from its postings. */
  also?: (postings: readonly ChainedPosting[]) => Pick<EntryDoc, 'day'>;
}

type Heads = ReadonlyMap<string, ChainedPosting | undefined>;

/**
 * The stored state that a batch is decided on: the newest postings, and the drafts appended before.
 */
interface Stored {
  heads: Heads;
  done: ReadonlyMap<string, EntryDoc>;
}

/** Drafts of one request, waiting for their turn. */
interface Drafted {
  accounts: readonly string[];
  references: readonly string[];
  /** The entries to write, given what is stored; called again if they could not be written. */
  decide(stored: Stored): EntryDoc[];
}
type Appending = BatchJob<Drafted, void>;

export type Chain = ReturnType<typeof createChain>;

/**
 * An append-only chain per account (docs/domain.md, Storage). A balance is that of the newest
 * posting. An append takes the next place in each of its accounts, and the unique index on
 * (account, seq) lets only one of two concurrent appends through, so that balances are exact
 * without locks or transactions. Appends of one partner that wait in this process are written
 * together, in order.
 */
export function createChain(
  model: ModelOf<EntryDoc>,
  { hash, newId, cache = usualChainCache(), prepare, also }: ChainOptions,
) {
  const appendTogether = createBatcher<Drafted, void>({ maxBatch }, appendBatch);
  const findTogether = createBatchedReads<
    { partnerId: string; reference: string },
    EntryDoc | null
  >({ maxBatch }, async (requests) => {
    const entries = await findAll(
      requests[0]?.partnerId ?? '',
      requests.map(({ reference }) => reference),
    );
    const byReference = new Map(entries.map((entry) => [entry.reference, entry]));
    return requests.map(({ reference }) => byReference.get(reference) ?? null);
  });

  const findAll = (partnerId: string, references: readonly string[]): Promise<EntryDoc[]> =>
    model.collection.find({ partnerId, reference: { $in: references } }).toArray();

  /** The newest posting of an account; undefined if it has none. */
  async function head(partnerId: string, account: string): Promise<ChainedPosting | undefined> {
    const newest = await model.collection.findOne<Pick<EntryDoc, 'postings'>>(
      { partnerId, postings: { $elemMatch: { account } } },
      { hint: chainIndex, projection: { postings: 1 } },
    );
    const posting = newest?.postings.find((one) => one.account === account);
    cache.saw(partnerId, account, posting?.seq ?? 0);
    return posting;
  }

  /**
   * The newest postings of several accounts, in one read as far as their places were seen before.
   */
  async function headsOf(partnerId: string, accounts: readonly string[]): Promise<Heads> {
    const places = cache.placesSeen(partnerId, accounts);
    const heads = new Map(places.size > 1 ? await headsSince(partnerId, places) : []);
    const unseen = accounts.filter((account) => !heads.has(account));
    await Promise.all(
      unseen.map(async (account) => heads.set(account, await head(partnerId, account))),
    );
    return heads;
  }

  /**
   * The newest postings of accounts, searched from the places last seen. An account is missing from
   * the result if its place no longer exists, since what was read may be rolled back; all are
   * missing if there are too many newer entries.
   */
  async function headsSince(
    partnerId: string,
    places: ReadonlyMap<string, number>,
  ): Promise<Heads> {
    const limit = places.size + maxSince;
    const entries = await model.collection
      .find<Pick<EntryDoc, 'postings'>>(
        {
          $or: [...places].map(([account, seq]) => ({
            partnerId,
            postings: { $elemMatch: { account, seq: { $gte: seq } } },
          })),
        },
        { hint: chainIndex, projection: { postings: 1 }, limit, batchSize: limit },
      )
      .toArray();
    const heads = new Map<string, ChainedPosting | undefined>();
    if (entries.length === limit) return heads;
    for (const [account, seq] of places) if (seq === 0) heads.set(account, undefined);
    for (const posting of entries.flatMap(({ postings }) => postings)) {
      const { account, seq } = posting;
      const least = heads.get(account)?.seq ?? places.get(account) ?? Number.POSITIVE_INFINITY;
      if (seq < least) continue;
      heads.set(account, posting);
      cache.saw(partnerId, account, seq);
    }
    return heads;
  }

  /**
   * Appends drafts of one partner in order. Once one is refused, so are all after it. A draft that
   * was appended before stays as it is.
   * @returns an outcome for each draft, in order
   */
  async function appendInOrder<Refusal>(drafts: readonly Draft<Refusal>[]) {
    const [first] = drafts;
    if (first === undefined) return [];
    let outcomes: AppendOutcome<Refusal>[] = [];
    await appendTogether(first.partnerId, {
      accounts: drafts.flatMap(({ accounts }) => accounts),
      references: drafts.map(({ reference }) => reference),
      decide(stored) {
        outcomes = decideInOrder(drafts, stored);
        return outcomes.flatMap((one) => ('isNew' in one && one.isNew ? [one.entry] : []));
      },
    });
    return outcomes;
  }

  function decideInOrder<Refusal>(drafts: readonly Draft<Refusal>[], { heads, done }: Stored) {
    const ahead = new Map(heads);
    let refused: { refused: Refusal } | undefined;
    return drafts.map((draft): AppendOutcome<Refusal> => {
      const before = done.get(draft.reference);
      if (before) return { entry: before, isNew: false };
      if (refused) return refused;
      const read = new Set<string>();
      const decided = draft.decide((account) => {
        read.add(account);
        return ahead.get(account)?.balanceAfter ?? 0;
      });
      if ('refused' in decided) {
        refused = decided;
        return decided;
      }
      const postings = decided.keepsZeros ? decided.postings : prepare(decided.postings, [...read]);
      if (postings.length === 0) return { entry: null, isNew: false };
      const { partnerId, reference, rewardId, at } = draft;
      const { kind } = decided;
      const content = { _id: newId(), partnerId, reference, kind, rewardId, at };
      const entry = chained(content, postings, ahead);
      for (const posting of entry.postings) ahead.set(posting.account, posting);
      return { entry, isNew: true };
    });
  }

  async function appendBatch(partnerId: string, batch: readonly Appending[]): Promise<void> {
    const until = Date.now() + patienceMs;
    let open = batch;
    for (let race = 0; open.length > 0; race++) {
      if (Date.now() > until) throw new Error('too many appends at once');
      if (race > 0) await delay(Math.random() * 5 * race);
      const guessed = race === 0 ? decideUnread(partnerId, open) : undefined;
      const decided = guessed ?? decideBatch(open, await readStored(partnerId, open));
      const inserted = await insertInOrder(decided.flatMap(({ entries }) => entries));
      for (const { postings } of inserted) cache.wrote(partnerId, postings);
      // Decisions after the first entry that lost its place were based on wrong balances.
      const lost = decided.findIndex(({ entries }) => entries.some((one) => !inserted.has(one)));
      if (lost !== -1) cache.lostRace(partnerId);
      const { name: collection } = model.collection;
      appended.publish({ collection, entries: inserted.size, raced: lost !== -1 });
      const ended = lost === -1 ? decided : decided.slice(0, lost);
      for (const { job, failure } of ended) {
        if (failure === undefined) job.resolve();
        else job.reject(failure);
      }
      open = open.slice(ended.length);
    }
  }

  /**
   * Decides the batch on cached balances, if the cache has all of them. If another process has
   * appended since, or appended one of these drafts before, a unique index refuses the write. That
   * only works if every draft writes an entry, since a refused draft writes nothing an index could
   * refuse.
   */
  function decideUnread(partnerId: string, jobs: readonly Appending[]) {
    const heads = cache.written(
      partnerId,
      jobs.flatMap((job) => job.accounts),
    );
    if (heads === undefined) return undefined;
    const decided = decideBatch(jobs, { heads, done: new Map() });
    const isAllWritten = decided.every(
      ({ job, entries }) => entries.length === job.references.length,
    );
    return isAllWritten ? decided : undefined;
  }

  async function readStored(partnerId: string, jobs: readonly Appending[]): Promise<Stored> {
    const accounts = [...new Set(jobs.flatMap((job) => job.accounts))];
    // Heads before references: an entry inserted in between takes a place that this append then
    // loses.
    const heads = await headsOf(partnerId, accounts);
    const references = jobs.flatMap((job) => job.references);
    const entries = await findAll(partnerId, references);
    return { heads, done: new Map(entries.map((entry) => [entry.reference, entry])) };
  }

  /** Decides the jobs in order, each on the balances left by those before it. */
  function decideBatch(jobs: readonly Appending[], stored: Stored) {
    const heads = new Map(stored.heads);
    const done = new Map(stored.done);
    return jobs.map((job): { job: Appending; entries: EntryDoc[]; failure?: unknown } => {
      try {
        const entries = job.decide({ heads, done });
        for (const entry of entries) {
          done.set(entry.reference, entry);
          for (const posting of entry.postings) heads.set(posting.account, posting);
        }
        return { job, entries };
      } catch (failure) {
        return { job, entries: [], failure };
      }
    });
  }

  function chained(
    content: Omit<EntryDoc, 'postings'>,
    postings: readonly Posting[],
    heads: Heads,
  ): EntryDoc {
    const inTheirPlaces = postings.map((posting) => {
      const before = heads.get(posting.account);
      const next = {
        ...posting,
        seq: (before?.seq ?? 0) + 1,
        balanceAfter: (before?.balanceAfter ?? 0) + posting.amount,
        previousHash: before?.hash ?? '',
      };
      if (!Number.isSafeInteger(next.balanceAfter))
        throw new RangeError('balance beyond the safe integers');
      if (next.balanceAfter < 0 && mustNotGoNegative(posting.account)) {
        throw new RangeError(`${content.reference} would leave ${posting.account} below zero`);
      }
      return { ...next, hash: hash(contentOf(content, next)) };
    });
    return { ...content, postings: inTheirPlaces, ...also?.(inTheirPlaces) };
  }

  /** @returns the inserted entries: all of them, or those before the first that lost its place */
  async function insertInOrder(entries: EntryDoc[]): Promise<ReadonlySet<EntryDoc>> {
    if (entries.length === 0) return new Set();
    try {
      await model.collection.insertMany(entries, { ordered: true });
      return new Set(entries);
    } catch (error) {
      const [refused] = refusedWrites(error);
      if (refused?.code !== duplicateKey) throw error;
      return new Set(entries.slice(0, refused.index));
    }
  }

  return {
    appendInOrder,
    async append<Refusal = never>(draft: Draft<Refusal>): Promise<AppendOutcome<Refusal>> {
      const [outcome] = await appendInOrder([draft]);
      if (outcome === undefined) throw new Error('the draft has no outcome');
      return outcome;
    },
    head,
    async balanceOf(partnerId: string, account: string): Promise<number> {
      return (await head(partnerId, account))?.balanceAfter ?? 0;
    },
    /** @returns the balances in the order of the accounts */
    async balancesOf(partnerId: string, accounts: readonly string[]): Promise<number[]> {
      const heads = await headsOf(partnerId, accounts);
      return accounts.map((account) => heads.get(account)?.balanceAfter ?? 0);
    },
    find: (partnerId: string, reference: string): Promise<EntryDoc | null> =>
      findTogether(partnerId, { partnerId, reference }),
    /** Whether a stored posting is unaltered (for the audit). */
    isGenuine(entry: EntryDoc, posting: ChainedPosting): boolean {
      return hash(contentOf(entry, posting)) === posting.hash;
    },
    model,
  };
}

function contentOf(
  { _id, partnerId, reference, kind, rewardId, at }: Omit<EntryDoc, 'postings'>,
  { account, unit, amount, seq, balanceAfter, previousHash }: Omit<ChainedPosting, 'hash'>,
): string {
  const content = [_id, partnerId, reference, kind, rewardId, at.toISOString()];
  return JSON.stringify([...content, account, unit, amount, seq, balanceAfter, previousHash]);
}
