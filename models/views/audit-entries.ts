import type { AuditEntryDoc } from '../schemas/audit.ts';
import type { Models } from '../schemas/index.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findAuditEntry(models: Models, auditEntryId: string): Promise<AuditEntryDoc> {
  return requireFound(
    await models.auditEntries.findById(auditEntryId),
    'audit entry',
    auditEntryId,
  );
}
