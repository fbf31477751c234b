import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Model, mongo, Schema } from 'mongoose';
import { type BalanceOf, holdsSomebodysMoney, type Posting } from '../../domain/postings.ts';

/** Its keys, in order: an account's postings, newest first, one account after the other. */
export const chainIndex = 'chain';

/** A posting in its account's chain. */
export interface ChainedPosting extends Posting {
  /** Its place in the account, from 1. */
  seq: number;
  balanceAfter: number;
  /** The hash of the account's posting before it; empty for the first. */
  previousHash: string;
  hash: string;
}

/** One transaction: all its postings in one document, so that one insert appends to every account. */
export interface EntryDoc {
  _id: string;
  partnerId: string;
  /** Names what it is for; its unique index refuses a repeat. */
  reference: string;
  kind: string;
  rewardId: string | null;
  at: Date;
  postings: ChainedPosting[];
}

export function chainSchema(collection: string): Schema<EntryDoc> {
  const posting = new Schema<ChainedPosting>(
    {
      account: { type: String, required: true },
      unit: { type: String, required: true },
      amount: { type: Number, required: true },
      seq: { type: Number, required: true },
      balanceAfter: { type: Number, required: true },
      previousHash: { type: String, default: '' },
      hash: { type: String, required: true },
    },
    { _id: false },
  );
  const schema = new Schema<EntryDoc>(
    {
      _id: { type: String, required: true },
      partnerId: { type: String, required: true },
      reference: { type: String, required: true },
      kind: { type: String, required: true },
      rewardId: { type: String, default: null },
      at: { type: Date, required: true },
      postings: { type: [posting], required: true },
    },
    { collection, versionKey: false },
  );
  // Descending, so that the first key of an account is its newest posting.
  schema.index(
    { partnerId: 1, 'postings.account': 1, 'postings.seq': -1 },
    { unique: true, name: chainIndex },
  );
  schema.index({ partnerId: 1, reference: 1 }, { unique: true });
  schema.index({ partnerId: 1, _id: -1 });
  return schema;
}

/** Shorter than an activity's timeout, so that an attempt is over before the next one begins. */
const patienceMs = 8_000;
const maxBatch = 100;
const duplicateKey = 11_000;

/** What a caller wants appended. */
export interface Draft<Refusal, Context = unknown> {
  partnerId: string;
  /** The first is the reference it is written under; any of them, found, is this draft done before. */
  references: readonly [string, ...string[]];
  rewardId: string | null;
  at: Date;
  /** Every account whose balance `post` reads or writes. */
  accounts: readonly string[];
  /**
   * Decides, given the balances at its turn. It may be asked again, when another append came first.
   * @returns what to post, or a refusal, which writes nothing
   */
  post(
    balanceOf: BalanceOf,
    context: Context,
  ): { kind: string; reference?: string; postings: Posting[] } | { refused: Refusal };
  /** Runs after the outcome and before the next batch, so that what it writes is seen by the next one. */
  settle?(outcome: Outcome<Refusal>): Promise<void>;
}

export type Outcome<Refusal> =
  | { entry: EntryDoc; isNew: boolean }
  /** Nothing moved: there was nothing to move. */
  | { entry: null; isNew: false }
  | { refused: Refusal };

interface Job {
  draft: Draft<unknown, never>;
  resolve(outcome: Outcome<unknown>): void;
  reject(error: unknown): void;
}

export interface ChainOptions<Context> {
  /** Keys the hashes: whoever can write the database alone cannot forge an entry. */
  hashKey: Buffer;
  newId: () => string;
  /**
   * Checks an entry's postings and drops those that need not be written; a ledger's must balance.
   * @param read the accounts whose balances decided. Heads are read one after the other: only a posting
   *   in each of them holds the write to what was read.
   */
  prepare: (postings: readonly Posting[], read: readonly string[]) => Posting[];
  /** What every draft of a batch is decided by, beside the balances; read anew for each attempt. */
  readContext?: (partnerId: string) => Promise<Context>;
}

interface Plan {
  job: Job;
  outcome: Outcome<unknown> | { failed: unknown };
  /** The entry to be written for it. */
  fresh?: EntryDoc;
}

export type Chain<Context = undefined> = ReturnType<typeof createChain<Context>>;

/**
 * An append-only chain per account (domain, Storage). A balance is the newest posting's; an append
 * names the next place in every account it touches, and the unique index on (account, seq) lets one
 * of two racers through, so that balances are exact without a lock or a transaction. Appends of one
 * partner that wait in this process go in together, as one ordered write.
 */
export function createChain<Context = undefined>(
  model: Model<EntryDoc>,
  { hashKey, newId, prepare, readContext }: ChainOptions<Context>,
) {
  const waiting = new Map<string, Job[]>();

  /** The newest posting of an account; none is an empty account. */
  async function head(partnerId: string, account: string): Promise<ChainedPosting | undefined> {
    const newest = await model
      .findOne({ partnerId, postings: { $elemMatch: { account } } })
      .hint(chainIndex)
      .lean();
    return newest?.postings.find((posting) => posting.account === account);
  }

  async function append<Refusal>(draft: Draft<Refusal, Context>): Promise<Outcome<Refusal>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<unknown>>();
    const job: Job = { draft: draft as Draft<unknown, never>, resolve, reject };
    const queue = waiting.get(draft.partnerId);
    if (queue) queue.push(job);
    else {
      waiting.set(draft.partnerId, [job]);
      drain(draft.partnerId);
    }
    return (await promise) as Outcome<Refusal>;
  }

  async function drain(partnerId: string): Promise<void> {
    for (;;) {
      const queue = waiting.get(partnerId) ?? [];
      const batch = queue.slice(0, maxBatch);
      if (batch.length === 0) {
        waiting.delete(partnerId);
        return;
      }
      try {
        await appendBatch(partnerId, batch);
      } catch (error) {
        for (const job of batch) job.reject(error);
      }
      queue.splice(0, batch.length);
    }
  }

  async function appendBatch(partnerId: string, batch: Job[]): Promise<void> {
    const until = Date.now() + patienceMs;
    let open = batch;
    for (let race = 0; open.length > 0; race++) {
      if (Date.now() > until) throw new Error('too many appends at once');
      if (race > 0) await delay(Math.random() * 5 * race);
      // Heads before references: an entry that comes in between takes a place that we then fail to get.
      const heads = await readHeads(partnerId, open);
      const done = await readReferences(partnerId, open);
      const context = (await readContext?.(partnerId)) as Context;
      const plans = plan(partnerId, open, heads, done, context);
      const inserted = await insertInOrder(plans.flatMap(({ fresh }) => (fresh ? [fresh] : [])));
      // What was decided after the first entry that lost its place was decided on wrong balances.
      const valid = new Set(inserted);
      const lost = plans.findIndex(({ fresh }) => fresh !== undefined && !valid.has(fresh));
      const settled = lost === -1 ? plans : plans.slice(0, lost);
      await Promise.all(
        settled.map(async ({ job, outcome }) => {
          try {
            if ('failed' in outcome) throw outcome.failed;
            await job.draft.settle?.(outcome);
            job.resolve(outcome);
          } catch (error) {
            job.reject(error);
          }
        }),
      );
      open = open.slice(settled.length);
    }
  }

  async function readHeads(partnerId: string, jobs: Job[]) {
    const accounts = [...new Set(jobs.flatMap(({ draft }) => draft.accounts))];
    const postings = await Promise.all(accounts.map((account) => head(partnerId, account)));
    return new Map(accounts.map((account, index) => [account, postings[index]]));
  }

  async function readReferences(partnerId: string, jobs: Job[]) {
    const references = jobs.flatMap(({ draft }) => [...draft.references]);
    const entries = await model.find({ partnerId, reference: { $in: references } }).lean();
    return new Map(entries.map((entry) => [entry.reference, entry]));
  }

  /** Decides the jobs in order, each on the balances that the ones before it leave. */
  function plan(
    partnerId: string,
    jobs: Job[],
    heads: Map<string, ChainedPosting | undefined>,
    done: Map<string, EntryDoc>,
    context: Context,
  ): Plan[] {
    return jobs.map((job) => {
      try {
        return planOne(partnerId, job, heads, done, context);
      } catch (error) {
        return { job, outcome: { failed: error } };
      }
    });
  }

  function planOne(
    partnerId: string,
    job: Job,
    heads: Map<string, ChainedPosting | undefined>,
    done: Map<string, EntryDoc>,
    context: Context,
  ): Plan {
    const { draft } = job;
    const before = draft.references.map((reference) => done.get(reference)).find(Boolean);
    if (before) return { job, outcome: { entry: before, isNew: false } };
    const read = new Set<string>();
    const balanceOf: BalanceOf = (account) => {
      read.add(account);
      return heads.get(account)?.balanceAfter ?? 0;
    };
    const decided = draft.post(balanceOf, context as never);
    if ('refused' in decided) return { job, outcome: decided };
    const postings = prepare(decided.postings, [...read]);
    if (postings.length === 0) return { job, outcome: { entry: null, isNew: false } };
    const fresh = chained(
      {
        _id: newId(),
        partnerId,
        reference: decided.reference ?? draft.references[0],
        kind: decided.kind,
        rewardId: draft.rewardId,
        at: draft.at,
      },
      postings,
      heads,
    );
    done.set(fresh.reference, fresh);
    for (const posting of fresh.postings) heads.set(posting.account, posting);
    return { job, outcome: { entry: fresh, isNew: true }, fresh };
  }

  function chained(
    entry: Omit<EntryDoc, 'postings'>,
    postings: Posting[],
    heads: Map<string, ChainedPosting | undefined>,
  ): EntryDoc {
    return {
      ...entry,
      postings: postings.map((posting) => {
        const before = heads.get(posting.account);
        const next = {
          ...posting,
          seq: (before?.seq ?? 0) + 1,
          balanceAfter: (before?.balanceAfter ?? 0) + posting.amount,
          previousHash: before?.hash ?? '',
        };
        if (!Number.isSafeInteger(next.balanceAfter))
          throw new RangeError('balance beyond the safe integers');
        if (next.balanceAfter < 0 && holdsSomebodysMoney(posting.account)) {
          throw new RangeError(`${entry.reference} would leave ${posting.account} below zero`);
        }
        return { ...next, hash: hashPosting(hashKey, entry, next) };
      }),
    };
  }

  /** @returns the entries that are in, in order: all of them, or those before the first that lost its place */
  async function insertInOrder(entries: EntryDoc[]): Promise<EntryDoc[]> {
    if (entries.length === 0) return [];
    try {
      await model.collection.insertMany(entries as never[], { ordered: true });
      return entries;
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError) || error.code !== duplicateKey) throw error;
      return entries.slice(0, error.result.insertedCount);
    }
  }

  return {
    append,
    head,
    async balanceOf(partnerId: string, account: string): Promise<number> {
      return (await head(partnerId, account))?.balanceAfter ?? 0;
    },
    async find(partnerId: string, reference: string): Promise<EntryDoc | null> {
      return await model.findOne({ partnerId, reference }).lean();
    },
    /** Whether a stored posting is the one that was written (for the audit). */
    isGenuine(entry: EntryDoc, posting: ChainedPosting): boolean {
      return hashPosting(hashKey, entry, posting) === posting.hash;
    },
    model,
  };
}

function hashPosting(
  key: Buffer,
  { _id, partnerId, reference, kind, rewardId, at }: Omit<EntryDoc, 'postings'>,
  { account, unit, amount, seq, balanceAfter, previousHash }: Omit<ChainedPosting, 'hash'>,
): string {
  const content = [_id, partnerId, reference, kind, rewardId, at.toISOString()];
  const place = [account, unit, amount, seq, balanceAfter, previousHash];
  return createHmac('sha256', key)
    .update(JSON.stringify([...content, ...place]))
    .digest('hex');
}
