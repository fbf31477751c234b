import { auditStatuses } from '../../domain/audit-log.ts';
import { collection, date, mark, mixed, nullable, oneOf, type Stored, text } from './fields.ts';

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
