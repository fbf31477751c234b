import type { AuditEntryDoc } from '../schemas/audit-entry.ts';
import type { Models } from '../schemas/index.ts';
import { found } from '../store/found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findAuditEntry(models: Models, auditEntryId: string): Promise<AuditEntryDoc> {
  return found(
    await models.auditEntries.findById(auditEntryId).lean(),
    'audit entry',
    auditEntryId,
  );
}
