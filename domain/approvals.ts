import type { ErrorCode } from './errors.ts';
import { may, type Permission, type Role } from './operator-roles.ts';

/** When operations ask for a second operator (docs/domain.md, Who may do what). */
export interface ApprovalConfig {
  /** Off: whoever may do it does it alone. */
  isOn: boolean;
  /**
   * Single operators redeem up to this much on a day: of one customer, of one partner, and each operator
   * altogether. What goes beyond it needs approval.
   */
  redemptionCents: number;
  /**
   * Single operators take back up to this much on a day by upholding refunds of LIVE rewards, summed as
   * redemptions are. What goes beyond it needs approval, as does any decision about a reward worth more.
   */
  reviewCents: number;
}

/** How long a proposal waits for its approval. */
export const proposalLifeMs = 24 * 3_600_000;

export const proposalStatuses = ['PROPOSED', 'APPROVED', 'REJECTED', 'EXPIRED'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

interface Approver {
  operatorId: string;
  role: Role;
}

/** A proposal, as far as its decision depends on it. */
interface Undecided {
  /** The name of its operation, which is the permission that it asks for. */
  action: Permission;
  proposedBy: string;
  status: ProposalStatus;
  expiresAt: Date;
}

/**
 * The status of a proposal at an instant: one that nobody decided in time has expired, whether that is
 * written yet or not.
 * @param at milliseconds since the epoch
 */
export function proposalStatusAt(
  { status, expiresAt }: Pick<Undecided, 'status' | 'expiresAt'>,
  at: number,
): ProposalStatus {
  return status === 'PROPOSED' && expiresAt.getTime() <= at ? 'EXPIRED' : status;
}

export interface Refusal {
  code: ErrorCode;
  message: string;
}

/**
 * Why this operator may not approve or reject this proposal; nobody approves their own, and everyone
 * may take back their own.
 * @param at milliseconds since the epoch
 */
export function refusalOf(
  { action, proposedBy, ...proposal }: Undecided,
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
