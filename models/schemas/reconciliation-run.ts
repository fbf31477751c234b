import { Schema } from 'mongoose';

/** One run of the reconciliation: what was open, and what had been lost. Insert-only. */
export interface ReconciliationRunDoc {
  _id: string;
  startedAt: Date;
  endedAt: Date;
  /** Open rewards. */
  lookedAt: number;
  /** Of those, how many had no running workflow and got one. */
  startedAgain: number;
  /** Workflows that could not be started: the next run tries again. */
  failed: number;
  /** The first rewards without a running workflow. */
  rewardIds: string[];
  /** The result as a sentence. */
  summary: string;
}

const keptSeconds = 400 * 86_400;

export const reconciliationRunSchema = new Schema<ReconciliationRunDoc>(
  {
    _id: { type: String, required: true },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, required: true },
    lookedAt: { type: Number, required: true },
    startedAgain: { type: Number, required: true },
    failed: { type: Number, required: true },
    rewardIds: { type: [String], required: true },
    summary: { type: String, required: true },
  },
  { collection: 'reconciliation_runs', versionKey: false },
);
reconciliationRunSchema.index({ endedAt: 1 }, { expireAfterSeconds: keptSeconds });
