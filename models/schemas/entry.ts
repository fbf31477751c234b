import { Schema } from 'mongoose';
import type { Posting } from '../../domain/postings.ts';

/** Index keys, in order: the postings of one account after the other, newest first. */
export const chainIndex = 'chain';
/** Index keys, in order: the entries of one day after the other, newest first. */
export const dayIndex = 'day';

/** A posting in its account's chain. */
export interface ChainedPosting extends Posting {
  /** The position in the account, from 1. */
  seq: number;
  balanceAfter: number;
  /** The hash of the account's previous posting; empty for the first. */
  previousHash: string;
  hash: string;
}

/** One transaction: all its postings in one document, so that one insert appends to every account. */
export interface EntryDoc {
  _id: string;
  partnerId: string;
  /** Identifies what it is for. Unique, so that it is not repeated. */
  reference: string;
  kind: string;
  rewardId: string | null;
  at: Date;
  postings: ChainedPosting[];
  /** Only for usage entries that count in a day. */
  day?: DayTotals;
}

/**
 * The totals of a day including an entry, redundant with its postings: unlike one on an array, an
 * index on it finds the newest of each of many days in one read.
 */
export interface DayTotals {
  /** `yyyy-mm-dd`, in UTC. */
  of: string;
  /** The position in the day's account. */
  seq: number;
  points: number;
  cents: number;
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

/** The schema of usage entries, whose days are read by the month. */
export function usageSchema(collection: string): Schema<EntryDoc> {
  const schema = chainSchema(collection);
  const totals = { of: String, seq: Number, points: Number, cents: Number };
  schema.add({ day: { type: new Schema<DayTotals>(totals, { _id: false }) } });
  schema.index({ partnerId: 1, 'day.of': -1, 'day.seq': -1 }, { name: dayIndex });
  return schema;
}
