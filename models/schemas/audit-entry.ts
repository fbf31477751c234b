import { Schema } from 'mongoose';
import { type AuditStatus, auditStatuses } from '../../domain/audit-log.ts';

/**
 * Who did what, an operator or a user of a partner. Written before the operation, and completed after it once: an
 * entry that stays INTENDED is the trace of a process that ended in between.
 */
export interface AuditEntryDoc {
  _id: string;
  /** The operator or the partner's user, by their id; `system` for what nobody asked for. */
  actorId: string;
  /** The second operator, where the first one proposed it. */
  approvedBy: string | null;
  /** It needs two and had one: approvals were switched off. Absent where that is not so. */
  isAlone?: true;
  action: string;
  partnerId: string | null;
  /** Null for what is made by an operation that is not done. */
  targetId: string | null;
  details: Record<string, unknown>;
  /** Names an operation whose repeat is the same operation; null for any other, and once it failed. */
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
// What the audit of the books asks: the operation behind an entry, and the operations that were never completed.
auditEntrySchema.index({ partnerId: 1, 'details.reference': 1 });
auditEntrySchema.index({ partnerId: 1, targetId: 1 });
// What one person did, and what was done to one thing.
auditEntrySchema.index({ actorId: 1, _id: -1 });
auditEntrySchema.index({ targetId: 1, _id: -1 });
// What one did alone while approvals were off, for ever.
auditEntrySchema.index(
  { isAlone: 1, _id: 1 },
  { name: 'alone', partialFilterExpression: { isAlone: true } },
);
auditEntrySchema.index(
  { at: 1 },
  { name: 'never_completed', partialFilterExpression: { status: 'INTENDED' } },
);
