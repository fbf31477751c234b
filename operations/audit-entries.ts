import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import type { AuditStatus } from '../domain/operators.ts';
import type { AuditEntryDoc } from '../models/schemas/audit.ts';
import { findAuditEntry } from '../views/audit-log.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import { operation } from './operation.ts';

export interface Closure {
  /** The outcome that the operator found out. */
  status: Exclude<AuditStatus, 'INTENDED'>;
  reason: string;
}

/** Completes the entry of an operation that was interrupted, once an operator has found out its outcome. */
export const closeAuditEntry = operation({
  name: 'audit.close',
  permission: { operator: 'audit.close', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Closure & { auditEntryId: string }>({
    auditEntryId: idField,
    status: Joi.string().valid('DONE', 'FAILED').required(),
    reason: longText(500).required(),
  }),
  find: ({ models }, { auditEntryId }) => findAuditEntry(models, auditEntryId),
  approval: 'NONE',
  audit: ({ auditEntryId, status }, { partnerId }) => ({
    targetId: auditEntryId,
    partnerId,
    details: { status },
  }),

  /** @throws ServiceError CONFLICT if it is completed already */
  async run(
    { models, now }: AuditLogDeps,
    { status, reason },
    { found: { partnerId, _id } },
  ): Promise<AuditEntryDoc> {
    const closed = await models.auditEntries.findOneAndUpdate(
      { partnerId, _id, status: 'INTENDED' },
      { $set: { status, completedAt: new Date(now()), once: null, 'details.closed': reason } },
      { returnDocument: 'after' },
    );
    if (closed) return closed;
    throw new ServiceError('CONFLICT', `${_id} is already completed.`);
  },
});
