import { auditPatienceMs } from '../../domain/operators.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import type { Check } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';
import { hasEffect } from './recorded-operations.ts';

const name = 'operators: no operation is left unfinished';

/**
 * An operation with an intent and no outcome was interrupted when its process ended. If it took
 * effect, only the outcome is missing. Otherwise an operator has to act: repeat it with the same
 * reference, or close it.
 */
export const unfinishedOperations: Check = {
  name,
  async run(deps, report) {
    const { models, partnerId } = deps;
    const before = new Date(Date.now() - auditPatienceMs);
    report.looked(name, 0);
    const read = (last: AuditEntryDoc | undefined) =>
      models.auditEntries
        .find({
          status: 'INTENDED',
          at: { $lt: before },
          ...(partnerId !== undefined && { partnerId }),
          ...(last && { _id: { $gt: last._id } }),
        })
        .sort({ _id: 1 })
        .limit(pageSize);
    for await (const entries of pagesOf<AuditEntryDoc>(read)) {
      for (const entry of entries) {
        if (await hasEffect(deps, entry)) continue;
        const { _id, action, targetId, actorId } = entry;
        report.fault(
          name,
          `operation ${_id}: ${actorId} began ${action} of ${targetId} and did not finish`,
        );
      }
      report.looked(name, entries.length);
    }
  },
};
