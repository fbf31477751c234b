/** How far an operation is, as the audit log has it: intended before, and what became of it afterwards. */
export const auditStatuses = ['INTENDED', 'DONE', 'FAILED'] as const;

export type AuditStatus = (typeof auditStatuses)[number];

/** No operation takes longer, however slow the servers are: one still intended then was left behind. */
export const auditPatienceMs = 10 * 60_000;

/** What the service itself notes, each day that it runs with approvals switched off while a partner is LIVE. */
export const approvalsOff = 'approvals.off';

/**
 * These move money or points by themselves, once for each reference that is given. The audit looks in
 * the books for what each of them says to have moved.
 */
export const movingOperations = [
  'partner.top-up',
  'integration.test-funding',
  'customer.redeem',
] as const;

export type MovingOperation = (typeof movingOperations)[number];

export const isMoving = (name: string): name is MovingOperation =>
  (movingOperations as readonly string[]).includes(name);
