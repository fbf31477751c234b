import { Schema } from 'mongoose';

/** One run of the reconciliation: what was open, and what nothing looked after. Insert-only. */
export interface ReconciliationRunDoc {
  _id: string;
  startedAt: Date;
  endedAt: Date;
  /** Rewards with business open. */
  lookedAt: number;
  /** Of those, whose workflow did not run and was started again. */
  startedAgain: number;
  /** Wallets whose line had funds and was not served. */
  walletsWoken: number;
  /** Of those without a workflow, which could not be started: the next run tries again. */
  failed: number;
  /** The first of the rewards whose workflow did not run. */
  rewardIds: string[];
  /** The result in a sentence. */
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
    walletsWoken: { type: Number, required: true },
    failed: { type: Number, required: true },
    rewardIds: { type: [String], required: true },
    summary: { type: String, required: true },
  },
  { collection: 'reconciliation_runs', versionKey: false },
);
reconciliationRunSchema.index({ endedAt: 1 }, { expireAfterSeconds: keptSeconds });
