import { Schema } from 'mongoose';
import { type AuditStatus, auditStatuses } from '../../domain/audit-log.ts';

/**
 * Who did what: an operator, a partner's user or the service. Written before the operation, and
 * completed once after it: an entry that stays INTENDED is from a process that died in between.
 */
export interface AuditEntryDoc {
  _id: string;
  /** The id of the operator or partner's user; `system` for the service itself. */
  actorId: string;
  /** The approving operator, if the first one proposed it. */
  approvedBy: string | null;
  /**
   * Set if an operation that needs two operators was done by one, while approvals were switched
   * off.
   */
  isAlone?: true;
  action: string;
  partnerId: string | null;
  /** Null while the operation has not created its target yet. */
  targetId: string | null;
  details: Record<string, unknown>;
  /**
   * Identifies an operation that may be repeated as the same one; null for others, and after a
   * failure.
   */
  once: string | null;
  status: AuditStatus;
  requestId: string;
  at: Date;
  completedAt: Date | null;
}

export const auditEntrySchema = new Schema<AuditEntryDoc>(
  {
    _id: { type: String, required: true },
    actorId: { type: String, required: true },
    approvedBy: { type: String, default: null },
    isAlone: Boolean,
    action: { type: String, required: true },
    partnerId: { type: String, default: null },
    targetId: { type: String, default: null },
    details: { type: Schema.Types.Mixed, required: true },
    once: { type: String, default: null },
    status: { type: String, enum: auditStatuses, required: true },
    requestId: { type: String, required: true },
    at: { type: Date, required: true },
    completedAt: { type: Date, default: null },
  },
  { collection: 'audit_entries', versionKey: false, minimize: false },
);
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
