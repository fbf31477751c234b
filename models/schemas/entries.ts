import type { EntryPosting } from '../../domain/draft.ts';
import type { Mode } from '../../domain/mode.ts';
import { declared } from './fields.ts';

/**
 * One transaction of a wallet's ledger, with all its postings. The entries of a wallet are numbered
 * without a gap, and each is bound to the one before by a keyed hash.
 */
export interface EntryDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  /** From 1. */
  seq: number;
  /** Identifies what it is for; unique within the wallet. */
  reference: string;
  kind: string;
  rewardId: string | null;
  /** The id of the entry that it reverses; absent in all others. */
  reverses?: string;
  at: Date;
  postings: EntryPosting[];
  /** The hash of the wallet's entry before it; empty for the first. */
  previousHash: string;
  hash: string;
}

export const ledgerSchema = declared<EntryDoc>('ledger_transactions');

ledgerSchema.index({ partnerId: 1, mode: 1, seq: -1 }, { unique: true, name: 'chain' });
ledgerSchema.index({ partnerId: 1, mode: 1, reference: 1 }, { unique: true });
ledgerSchema.index(
  { partnerId: 1, rewardId: 1 },
  { partialFilterExpression: { rewardId: { $type: 'string' } } },
);
// An entry is reversed once.
ledgerSchema.index(
  { partnerId: 1, mode: 1, reverses: 1 },
  { unique: true, partialFilterExpression: { reverses: { $type: 'string' } } },
);
// For a customer's and an account's entries, newest first.
ledgerSchema.index({ partnerId: 1, mode: 1, 'postings.account': 1, _id: -1 });
ledgerSchema.index({ partnerId: 1, mode: 1, _id: -1 });
// For operators' list of a mode.
ledgerSchema.index({ mode: 1, _id: -1 });
