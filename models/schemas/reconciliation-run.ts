import { collection, date, listOf, number, type Stored, text } from './fields.ts';

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
  walletsWoken: number,
  /** Workflows that could not be started: the next run tries again. */
  failed: number,
  /** The first rewards without a running workflow. */
  rewardIds: listOf(text),
  /** The result as a sentence. */
  summary: text,
});
export type ReconciliationRunDoc = Stored<typeof reconciliationRunSchema>;
reconciliationRunSchema.index({ endedAt: 1 }, { expireAfterSeconds: keptSeconds });
