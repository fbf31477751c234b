import type { DeedStatus } from '../../domain/deeds.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AuditEntryDoc } from '../schemas/audit-entry.ts';
import type { Models } from '../schemas/index.ts';
import type { CommandDeps } from './deps.ts';

export interface Closure {
  /** What became of it, as the operator found out. */
  status: Exclude<DeedStatus, 'INTENDED'>;
  reason: string;
}

/** @throws ServiceError NOT_FOUND */
export async function findDeed(models: Models, auditEntryId: string): Promise<AuditEntryDoc> {
  const entry = await models.auditEntries.findById(auditEntryId).lean();
  if (entry) return entry;
  throw new ServiceError('NOT_FOUND', `There is no audit entry ${JSON.stringify(auditEntryId)}.`);
}

/**
 * Completes the entry of a deed whose process ended in between, after somebody looked what became of it.
 * @throws ServiceError NOT_FOUND, or CONFLICT for one that is completed
 */
export async function closeDeed(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  auditEntryId: string,
  { status, reason }: Closure,
): Promise<AuditEntryDoc> {
  const { partnerId, _id } = await findDeed(models, auditEntryId);
  const closed = await models.auditEntries
    .findOneAndUpdate(
      { partnerId, _id, status: 'INTENDED' },
      { $set: { status, completedAt: new Date(now()), once: null, 'details.closed': reason } },
      { returnDocument: 'after' },
    )
    .lean();
  if (closed) return closed;
  throw new ServiceError('CONFLICT', `${_id} is completed already.`);
}
