import { Schema } from 'mongoose';

/** The result of one check. */
export interface CheckResult {
  name: string;
  lookedAt: number;
  faults: number;
  /** What is pending and therefore not a fault: a sweep takes it up. */
  waiting: number;
  /** The age of the oldest of it. */
  waitingSince: Date | null;
  /** The first faults, with their problem. */
  culprits: string[];
}

/**
 * What one operator did alone that needs two, and the period in which approvals were known to be
 * off.
 */
export interface AloneDoc {
  operations: number;
  from: Date;
  to: Date;
}

/** One run of the audit. Insert-only. */
export interface AuditRunDoc {
  _id: string;
  /** Null for all partners. */
  partnerId: string | null;
  startedAt: Date;
  endedAt: Date;
  lookedAt: number;
  faults: number;
  /** The result as a sentence. */
  summary: string;
  checks: CheckResult[];
  /** Null if approvals were never off; absent in runs from before this was checked. */
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
