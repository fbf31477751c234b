import { modes } from '../../domain/mode.ts';
import { auditStatuses, type Permission, proposalStatuses } from '../../domain/operators.ts';
import {
  collection,
  date,
  listOf,
  mark,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  schemaField,
  text,
  typedText,
  unchecked,
} from './fields.ts';

/**
 * Who did what: an operator, a partner's user or the service. Written before the operation, and
 * completed once after it: an entry that stays INTENDED is from a process that died in between.
 */
export const auditEntrySchema = collection(
  'audit_entries',
  {
    _id: text,
    /** The id of the operator or partner's user; `system` for the service itself. */
    actorId: text,
    /** The approving operator, if the first one proposed it. */
    approvedBy: nullable(text),
    /**
     * Set if an operation that needs two operators was done by one, while approvals were switched
     * off.
     */
    isAlone: mark,
    action: text,
    partnerId: nullable(text),
    /** Null while the operation has not created its target yet. */
    targetId: nullable(text),
    details: mixed<Record<string, unknown>>(),
    /**
     * Identifies an operation that may be repeated as the same one; null for others, and after a
     * failure.
     */
    once: nullable(text),
    status: oneOf(auditStatuses),
    requestId: text,
    at: date,
    completedAt: nullable(date),
  },
  { minimize: false },
);
export type AuditEntryDoc = Stored<typeof auditEntrySchema>;
auditEntrySchema.index({ partnerId: 1, _id: -1 });
auditEntrySchema.index(
  { partnerId: 1, once: 1 },
  { unique: true, name: 'once', partialFilterExpression: { once: { $type: 'string' } } },
);
// For the audit: the operation behind a ledger entry, and operations that were never completed.
auditEntrySchema.index({ partnerId: 1, 'details.reference': 1 });
auditEntrySchema.index({ partnerId: 1, targetId: 1 });
// For what one person did, and what was done to one target.
auditEntrySchema.index({ actorId: 1, _id: -1 });
auditEntrySchema.index({ targetId: 1, _id: -1 });
// For operations done alone while approvals were off, kept permanently.
auditEntrySchema.index(
  { isAlone: 1, _id: 1 },
  { name: 'alone', partialFilterExpression: { isAlone: true } },
);
auditEntrySchema.index(
  { at: 1 },
  { name: 'never_completed', partialFilterExpression: { status: 'INTENDED' } },
);

/** The result of one check. */
const checkResult = part({
  name: unchecked(text),
  lookedAt: unchecked(number),
  faults: unchecked(number),
  /** What is pending and therefore not a fault: a sweep takes it up. */
  waiting: unchecked(number),
  /** The age of the oldest of it. */
  waitingSince: schemaField<Date | null>({ type: Date }),
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

/**
 * The newest entry that an audit saw of a wallet. The next audit checks that it still exists.
 */
export const auditCheckpointSchema = collection('audit_checkpoints', {
  /** The wallet's. */
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  seq: number,
  hash: text,
  seenAt: date,
  /** A keyed hash over all of this (audit/checkpoints.ts). */
  mac: text,
});
export type AuditCheckpointDoc = Stored<typeof auditCheckpointSchema>;
auditCheckpointSchema.index({ partnerId: 1, mode: 1 }, { unique: true });

/**
 * An operation proposed by one operator, for another to approve (docs/operate/roles.md, Two operators).
 */
export const proposalSchema = collection(
  'proposals',
  {
    _id: text,
    /** The name of the operation, which is also the permission it requires. */
    action: typedText<Permission>(),
    partnerId: nullable(text),
    /** Null if the target is yet to be created. */
    targetId: nullable(text),
    /** The customer whose data key seals the input; null if the master key does. */
    customerId: nullable(text),
    /** What lists and the audit log show; never a secret or customer data. */
    details: mixed<Record<string, unknown>>(),
    /** The validated input of the operation, bound to the proposal's id, without secrets. */
    sealedArguments: text,
    /** What was shown, and the approval is bound to, by its hash. */
    shown: mixed<Record<string, unknown>>(),
    shownHash: text,
    /** Identifies what is proposed: only one proposal with the same value can be open. */
    sameAs: text,
    status: oneOf(proposalStatuses),
    proposedBy: text,
    proposedAt: date,
    expiresAt: date,
    decidedBy: nullable(text),
    decidedAt: nullable(date),
    /** Why it was rejected, or has failed. */
    reason: nullable(text),
    /** The partner's available LIVE funding when it was proposed, then when it was decided, in cents; absent without a partner. */
    fundingCents: optional(number),
    /** When the approved operation was carried out; null before. */
    carriedOutAt: nullable(date),
  },
  { minimize: false },
);
export type ProposalDoc = Stored<typeof proposalSchema>;
proposalSchema.index(
  { partnerId: 1, sameAs: 1 },
  { unique: true, name: 'one_open', partialFilterExpression: { status: 'PROPOSED' } },
);
proposalSchema.index({ partnerId: 1, sameAs: 1, status: 1 });
proposalSchema.index({ status: 1, _id: -1 });
proposalSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
