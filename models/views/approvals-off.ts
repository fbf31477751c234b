import { approvalsOff } from '../../domain/audit-log.ts';
import type { AloneDoc } from '../schemas/audit.ts';
import type { Models } from '../schemas/index.ts';

/** Counting stops here: this many means "at least this many". */
const countLimit = 10_000;

/**
 * The period in which approvals were switched off, and how many operations one operator carried out alone
 * in it; null if they were never off.
 */
export async function readApprovalsOff({
  auditEntries,
}: Pick<Models, 'auditEntries'>): Promise<AloneDoc | null> {
  const isAlone = { isAlone: true } as const;
  const [first, last, operations] = await Promise.all([
    auditEntries.findOne(isAlone, { at: 1 }).sort({ _id: 1 }),
    auditEntries.findOne(isAlone, { at: 1 }).sort({ _id: -1 }),
    auditEntries.countDocuments(
      { ...isAlone, action: { $ne: approvalsOff } },
      { limit: countLimit },
    ),
  ]);
  return first && last ? { operations, from: first.at, to: last.at } : null;
}
