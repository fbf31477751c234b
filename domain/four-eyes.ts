import type { ErrorCode } from './errors.ts';
import type { Mode } from './events.ts';
import { isRaise, may, type Permission, type Role } from './operator-roles.ts';
import type { PartnerRole } from './partner-roles.ts';

/** What moves money, opens LIVE (domain, Who may do what) or cannot be undone, with what decides whether it does. */
export type GraveMatter =
  | { action: 'partner.top-up' }
  | { action: 'customer.redeem'; points: number }
  | { action: 'review.decide'; mode: Mode; liabilityCents: number }
  | { action: 'partner.approve-go-live' }
  | { action: 'partner.invite'; role: PartnerRole; isFirstOwner: boolean }
  | { action: 'customer.erase' }
  | { action: 'credential.create'; mode: Mode }
  | { action: 'credential.rotate'; mode: Mode }
  | { action: 'operator.create'; role: Role }
  | { action: 'operator.change-role'; from: Role; to: Role }
  | { action: 'operator.rotate-token' }
  | { action: 'operator.reset-second-factor'; role: Role };

/** What one operator proposes and another approves. Each is a permission, and the name of a deed. */
export type GraveAction = GraveMatter['action'] & Permission;

export interface FourEyes {
  /** Off: whoever may do it does it alone. */
  isOn: boolean;
  /** A redemption of more points than this needs two. */
  redemptionPoints: number;
  /** A decision about a LIVE reward worth more than this needs two. */
  reviewCents: number;
}

/** How long a proposal waits for its approval. */
export const proposalLifeMs = 24 * 3_600_000;

export const proposalStatuses = ['PROPOSED', 'APPROVED', 'REJECTED', 'EXPIRED'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** Whether a second operator has to approve. */
export function needsTwo(fourEyes: FourEyes, matter: GraveMatter): boolean {
  return fourEyes.isOn && isGrave(fourEyes, matter);
}

function isGrave({ redemptionPoints, reviewCents }: FourEyes, matter: GraveMatter): boolean {
  switch (matter.action) {
    case 'customer.redeem':
      return matter.points > redemptionPoints;
    case 'review.decide':
      return matter.mode === 'LIVE' && matter.liabilityCents > reviewCents;
    case 'credential.create':
    case 'credential.rotate':
      return matter.mode === 'LIVE';
    // Else an admin could let an accomplice in who makes LIVE keys; whoever is less gets none.
    case 'partner.invite':
      return matter.role === 'owner' && !matter.isFirstOwner;
    // Else an admin could make the second pair of eyes alone.
    case 'operator.create':
    case 'operator.reset-second-factor':
      return isRaise('viewer', matter.role);
    case 'operator.change-role':
      return isRaise(matter.from, matter.to);
    default:
      return true;
  }
}

interface Decider {
  adminId: string;
  role: Role;
}

/** A proposal, as far as its decision depends on it. */
interface Decided {
  action: GraveAction;
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
  { status, expiresAt }: Pick<Decided, 'status' | 'expiresAt'>,
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
  { action, proposedBy, ...proposal }: Decided,
  verdict: 'APPROVED' | 'REJECTED',
  { adminId, role }: Decider,
  at: number,
): Refusal | undefined {
  if (!may(role, action))
    return { code: 'FORBIDDEN', message: `The role ${role} may not ${action}.` };
  if (verdict === 'APPROVED' && adminId === proposedBy) {
    return { code: 'FORBIDDEN', message: 'Another operator has to approve what you proposed.' };
  }
  if (proposalStatusAt(proposal, at) === 'EXPIRED') {
    return { code: 'CONFLICT', message: 'The proposal has expired. Propose it anew.' };
  }
  return undefined;
}
