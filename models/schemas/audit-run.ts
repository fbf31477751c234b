import { Schema } from 'mongoose';

/** What one check of an audit found. */
export interface CheckResult {
  name: string;
  lookedAt: number;
  faults: number;
  /** What is marked as unfinished, and so is no fault yet: a sweep takes it up. */
  waiting: number;
  /** Since when the oldest of it waits. */
  waitingSince: Date | null;
  /** The first of the faults, each naming what is wrong. */
  culprits: string[];
}

/** What one operator did alone that needs two, and from when to when approvals were known to be off. */
export interface AloneDoc {
  operations: number;
  from: Date;
  to: Date;
}

/** One run of the audit over the live books. Insert-only. */
export interface AuditRunDoc {
  _id: string;
  /** Null: all partners. */
  partnerId: string | null;
  startedAt: Date;
  endedAt: Date;
  lookedAt: number;
  faults: number;
  /** The result in a sentence. */
  summary: string;
  checks: CheckResult[];
  /** Null where approvals were never off; absent of runs from before it was looked at. */
  alone?: AloneDoc | null;
}

const checkResult = new Schema<CheckResult>(
  {
    name: String,
    lookedAt: Number,
    faults: Number,
    waiting: Number,
    waitingSince: Date,
    culprits: [String],
  },
  { _id: false },
);

export const auditRunSchema = new Schema<AuditRunDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, default: null },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, required: true },
    lookedAt: { type: Number, required: true },
    faults: { type: Number, required: true },
    summary: { type: String, required: true },
    checks: { type: [checkResult], required: true },
    alone: {
      type: new Schema<AloneDoc>({ operations: Number, from: Date, to: Date }, { _id: false }),
      default: null,
    },
  },
  { collection: 'audit_runs', versionKey: false },
);
// The newest of all partners, or of one.
auditRunSchema.index({ partnerId: 1, _id: -1 });
