import { modes } from '../../domain/mode.ts';
import { collection, date, listOf, number, oneOf, type Stored, text } from './fields.ts';

/** The time up to which something is complete, such as the newest backup. */
export const watermarkSchema = collection('watermarks', {
  /** Its name. */
  _id: text,
  at: date,
});

/** What shows whether a key is the one that the database has been used with. */
export const keyCheckSchema = collection('key_checks', {
  /** `CUSTOMER_HASH_KEY`, or `MASTER_KEYS/<id>`. */
  _id: text,
  /** A keyed hash of a constant. */
  value: text,
});

/**
 * The current rate limit window of a partner in one mode. API processes write it when they take a
 * block of requests; it is deleted after the window.
 */
export const rateLimitSchema = collection('rate_limits', {
  partnerId: text,
  mode: oneOf(modes),
  /** How many requests of this window processes have taken, used or not. */
  taken: number,
  /** The size of the latest block. */
  granted: number,
  /** By the database's clock. */
  endsAt: date,
  /** The rest of the window, by the same clock, when the latest block was taken. */
  leftMs: number,
});
rateLimitSchema.index({ partnerId: 1, mode: 1 }, { unique: true });
rateLimitSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

/** How many messages count towards a daily quota, and how many actions on one's own account an hourly one. */
export const mailCountSchema = collection('mail_counts', {
  /** Scope and UTC day: `TEST partner:prt_…:2026-11-23`. */
  _id: text,
  count: number,
  expiresAt: date,
});
mailCountSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/**
 * What was moved in a day without approval: of one customer, of one partner, or by one operator.
 */
export const aloneSumSchema = collection('alone_sums', {
  /** Scope and UTC day: `partner:prt_…:2026-11-23`. */
  _id: text,
  cents: number,
  expiresAt: date,
});
aloneSumSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const keptSeconds = 400 * 86_400;

/** One run of the reconciliation: what was open, and what had been lost. Insert-only. */
export const reconciliationRunSchema = collection('reconciliation_runs', {
  _id: text,
  startedAt: date,
  endedAt: date,
  /** Open rewards. */
  lookedAt: number,
  /** Of those, how many had no running workflow and got one. */
  startedAgain: number,
  /** Wallets whose queue had funds and was not being served. */
  /** Workflows that could not be started: the next run tries again. */
  failed: number,
  /** The first rewards without a running workflow. */
  rewardIds: listOf(text),
  /** The result as a sentence. */
  summary: text,
});
export type ReconciliationRunDoc = Stored<typeof reconciliationRunSchema>;
reconciliationRunSchema.index({ endedAt: 1 }, { expireAfterSeconds: keptSeconds });

/** A relay, and when it last said that it works, by the database's clock. */
export const relaySchema = collection('relays', { _id: text, seenAt: date });
relaySchema.index({ seenAt: 1 }, { expireAfterSeconds: 3_600 });
