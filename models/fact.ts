import type { KeyObject } from 'node:crypto';
import type { CustomerDay } from '../domain/customer-days.ts';
import type { Draft } from '../domain/draft.ts';
import type { DueDocument } from '../domain/due-documents.ts';
import type { Terms } from '../domain/facts.ts';
import type { WalletRef } from '../domain/postings.ts';
import type { Reward } from '../domain/reward.ts';
import type { Models } from './schemas/index.ts';

/** Something that changes an event, a reward or money, with what it reads: of anything else, its draft throws. */
export interface Fact<Outcome> {
  partnerId: string;
  /** Whose money it may move; null if it moves none. */
  wallet: WalletRef | null;
  rewardIds?: readonly string[];
  /** One of these rewards as its purchase makes it, whose event the caller has read. */
  made?: Reward;
  redemptionIds?: readonly string[];
  /** Whether it reads what the customers of its rewards and redemptions hold, as the commit finds them. */
  readsHoldings?: boolean;
  /** Other customers whose balances it reads. */
  customerIds?: readonly string[];
  /** Customers who spend: their rewards under review limit what they can. */
  spenderIds?: readonly string[];
  /** Customers' days that it reads, besides those that its rewards and redemptions count in. */
  customerDays?: readonly CustomerDay[];
  /** Counts of budgets that it reads, besides those that its rewards count in. */
  budgetIds?: readonly string[];
  periodIds?: readonly string[];
  subscriptionIds?: readonly string[];
  invoiceIds?: readonly string[];
  issuesInvoice?: boolean;
  /**
   * Whether it reads nothing, and is one new event: a purchase. It needs no transaction, and shares an insert, in
   * which a unique index refuses it by itself.
   */
  isOneEvent?: boolean;
  /**
   * Changes the draft to hold all that the fact means. Called again if another writer was faster, so it
   * must have no other effect.
   * @throws whatever refuses the fact, which then changes nothing
   */
  decide(draft: Draft, terms: Terms): Outcome;
}

/**
 * Writes a fact, all that it means in one transaction, or nothing (docs/concepts/how-it-works.md, One fact, one commit).
 * @throws what `decide` throws; MongoServerError if a unique index refuses a document
 */
export type Commit = <Outcome>(fact: Fact<Outcome>) => Promise<Outcome>;

/** The commit of a process. */
export type ProcessCommit = Commit & {
  /** Waits for the commits that run, before the process closes its connection. */
  ended(): Promise<void>;
};

export interface CommitDeps {
  models: Models;
  /** Keys the hashes of ledgers. */
  hashKey: KeyObject;
  now: () => number;
  /** Gets the documents that something is due about since a commit. */
  tell?: (due: readonly DueDocument[]) => void;
  /** How long a commit is tried. */
  patienceMs?: number;
}

/** What happened to a fact. */
export type Settled = { outcome: unknown } | { refusal: unknown };
