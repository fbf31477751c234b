/**
 * The state of an operation in the audit log: its intent is written first, its outcome afterwards.
 */
export const auditStatuses = ['INTENDED', 'DONE', 'FAILED'] as const;

export type AuditStatus = (typeof auditStatuses)[number];

/**
 * Longer than any operation takes. An entry that is still INTENDED after this was left behind by a
 * process that died.
 */
export const auditPatienceMs = 10 * 60_000;

/**
 * The entry that the service itself writes on each day on which approvals are switched off while a
 * partner is LIVE.
 */
export const approvalsOff = 'approvals.off';

/**
 * Operations that move money or points directly, once for each reference they are given. For each
 * of them, the audit looks up the movement in the ledger.
 */
export const movingOperations = [
  'partner.top-up',
  'integration.test-funding',
  'customer.redeem',
] as const;

export type MovingOperation = (typeof movingOperations)[number];

export const isMoving = (name: string): name is MovingOperation =>
  (movingOperations as readonly string[]).includes(name);
