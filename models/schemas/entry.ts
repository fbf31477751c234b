import { Schema } from 'mongoose';
import type { EntryPosting } from '../../domain/draft.ts';

/**
 * One transaction of a wallet's ledger, with all its postings. The entries of a wallet are numbered
 * without a gap, and each is bound to the one before by a keyed hash.
 */
export interface EntryDoc {
  _id: string;
  partnerId: string;
  walletId: string;
  /** From 1. */
  seq: number;
  /** Identifies what it is for; unique within the wallet. */
  reference: string;
  kind: string;
  rewardId: string | null;
  at: Date;
  postings: EntryPosting[];
  /** The hash of the wallet's entry before it; empty for the first. */
  previousHash: string;
  hash: string;
}

export function entrySchema(collection: string): Schema<EntryDoc> {
  const posting = new Schema<EntryPosting>(
    {
      account: { type: String, required: true },
      unit: { type: String, required: true },
      amount: { type: Number, required: true },
      balanceAfter: { type: Number, required: true },
    },
    { _id: false },
  );
  const schema = new Schema<EntryDoc>(
    {
      _id: { type: String, required: true },
      partnerId: { type: String, required: true },
      walletId: { type: String, required: true },
      seq: { type: Number, required: true },
      reference: { type: String, required: true },
      kind: { type: String, required: true },
      rewardId: { type: String, default: null },
      at: { type: Date, required: true },
      postings: { type: [posting], required: true },
      previousHash: { type: String, default: '' },
      hash: { type: String, required: true },
    },
    { collection, versionKey: false },
  );
  schema.index({ partnerId: 1, walletId: 1, seq: -1 }, { unique: true, name: 'chain' });
  schema.index({ partnerId: 1, walletId: 1, reference: 1 }, { unique: true });
  schema.index(
    { partnerId: 1, rewardId: 1 },
    { partialFilterExpression: { rewardId: { $type: 'string' } } },
  );
  // For a customer's and an account's entries, newest first.
  schema.index({ partnerId: 1, 'postings.account': 1, _id: -1 });
  schema.index({ partnerId: 1, _id: -1 });
  return schema;
}
