import {
  collection,
  date,
  field,
  listOf,
  nullable,
  number,
  optional,
  part,
  type Stored,
  text,
  unchecked,
} from './fields.ts';

/** The result of one check. */
const checkResult = part({
  name: unchecked(text),
  lookedAt: unchecked(number),
  faults: unchecked(number),
  /** What is pending and therefore not a fault: a sweep takes it up. */
  waiting: unchecked(number),
  /** The age of the oldest of it. */
  waitingSince: field<Date | null>({ type: Date }),
  /** The first faults, with their problem. */
  culprits: listOf(text),
});
export type CheckResult = Stored<typeof checkResult>;

/**
 * What one operator did alone that needs two, and the period in which approvals were known to be
 * off.
 */
const alone = part({
  operations: unchecked(number),
  from: unchecked(date),
  to: unchecked(date),
});
export type AloneDoc = Stored<typeof alone>;

/** One run of the audit. Insert-only. */
export const auditRunSchema = collection('audit_runs', {
  _id: text,
  /** Null for all partners. */
  partnerId: nullable(text),
  startedAt: date,
  endedAt: date,
  lookedAt: number,
  faults: number,
  /** The result as a sentence. */
  summary: text,
  checks: listOf(checkResult),
  /** Null if approvals were never off; absent in runs from before this was checked. */
  alone: optional(nullable(alone)),
});
export type AuditRunDoc = Stored<typeof auditRunSchema>;
// The newest of all partners, or of one.
auditRunSchema.index({ partnerId: 1, _id: -1 });
