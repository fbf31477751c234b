import type { ErrorCode } from './errors.ts';
import { may, type Permission, type Role } from './operator-roles.ts';

/** When an operation needs the approval of a second operator (docs/domain.md, Who may do what). */
export interface ApprovalConfig {
  /** If false, anyone with the permission can act alone. */
  isOn: boolean;
  /**
   * The most that operators may redeem in a day without approval, in cents: of one customer, of one
   * partner, and by one operator in total.
   */
  redemptionCents: number;
  /**
   * The most that operators may take back in a day without approval by upholding refunds of LIVE
   * rewards, in cents, summed as for redemptions. A decision about a single reward worth more
   * always needs approval.
   */
  reviewCents: number;
}

/** How long a proposal can be approved. */
export const proposalLifeMs = 24 * 3_600_000;

export const proposalStatuses = ['PROPOSED', 'APPROVED', 'REJECTED', 'EXPIRED'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

interface Approver {
  operatorId: string;
  role: Role;
}

/** What a decision about a proposal depends on. */
interface ProposalFacts {
  /** The name of its operation, which is also the permission it requires. */
  action: Permission;
  proposedBy: string;
  status: ProposalStatus;
  expiresAt: Date;
}

/**
 * The status of a proposal at a given time. One that nobody decided in time has expired, even if
 * that has not been written yet.
 * @param at milliseconds since the epoch
 */
export function proposalStatusAt(
  { status, expiresAt }: Pick<ProposalFacts, 'status' | 'expiresAt'>,
  at: number,
): ProposalStatus {
  return status === 'PROPOSED' && expiresAt.getTime() <= at ? 'EXPIRED' : status;
}

export interface Refusal {
  code: ErrorCode;
  message: string;
}

/**
 * Why this operator may not approve or reject this proposal; undefined if they may. Nobody approves
 * their own proposal; everybody can withdraw their own.
 * @param at milliseconds since the epoch
 */
export function refusalOf(
  { action, proposedBy, ...proposal }: ProposalFacts,
  verdict: 'APPROVED' | 'REJECTED',
  { operatorId, role }: Approver,
  at: number,
): Refusal | undefined {
  if (!may(role, action))
    return { code: 'FORBIDDEN', message: `The role ${role} does not allow ${action}.` };
  if (verdict === 'APPROVED' && operatorId === proposedBy) {
    return { code: 'FORBIDDEN', message: 'Another operator must approve what you proposed.' };
  }
  if (proposalStatusAt(proposal, at) === 'EXPIRED') {
    return { code: 'CONFLICT', message: 'The proposal has expired. Propose it again.' };
  }
  return undefined;
}
