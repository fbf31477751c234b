import type { Posting } from '../../domain/postings.ts';
import {
  collection,
  date,
  listOf,
  nullable,
  number,
  optional,
  part,
  type Stored,
  text,
  textOf,
  unchecked,
  withDefault,
} from './fields.ts';

/** Index keys, in order: the postings of one account after the other, newest first. */
export const chainIndex = 'chain';
/** Index keys, in order: the entries of one day after the other, newest first. */
export const dayIndex = 'day';

/** A posting in its account's chain. */
const chainedPosting = part({
  account: text,
  unit: textOf<Posting['unit']>(),
  amount: number,
  /** The position in the account, from 1. */
  seq: number,
  balanceAfter: number,
  /** The hash of the account's previous posting; empty for the first. */
  previousHash: withDefault(text, ''),
  hash: text,
});
export type ChainedPosting = Stored<typeof chainedPosting>;

/** One transaction: all its postings in one document, so that one insert appends to every account. */
const entry = {
  _id: text,
  partnerId: text,
  /** Identifies what it is for. Unique, so that it is not repeated. */
  reference: text,
  kind: text,
  rewardId: nullable(text),
  at: date,
  postings: listOf(chainedPosting),
};

/**
 * The totals of a day including an entry, redundant with its postings: unlike one on an array, an
 * index on it finds the newest of each of many days in one read.
 */
const dayTotals = part({
  /** `yyyy-mm-dd`, in UTC. */
  of: unchecked(text),
  /** The position in the day's account. */
  seq: unchecked(number),
  points: unchecked(number),
  cents: unchecked(number),
});
export type DayTotals = Stored<typeof dayTotals>;

const usageEntry = {
  ...entry,
  /** Only for usage entries that count in a day. */
  day: optional(dayTotals),
};

export const ledgerSchema = collection('ledger_transactions', entry);
export const testFundingSchema = collection('test_funding_entries', entry);
/** Usage entries, whose days are read by the month. */
export const usageSchema = collection('usage_entries', usageEntry);
export type EntryDoc = Stored<typeof usageSchema>;

for (const schema of [ledgerSchema, testFundingSchema, usageSchema]) {
  // Descending, so that the first key of an account is its newest posting.
  schema.index(
    { partnerId: 1, 'postings.account': 1, 'postings.seq': -1 },
    { unique: true, name: chainIndex },
  );
  schema.index({ partnerId: 1, reference: 1 }, { unique: true });
  schema.index({ partnerId: 1, _id: -1 });
}
usageSchema.index({ partnerId: 1, 'day.of': -1, 'day.seq': -1 }, { name: dayIndex });
