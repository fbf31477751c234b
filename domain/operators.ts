import type { ErrorCode } from './error-codes.ts';

/**
 * The roles of operators (docs/operate/roles.md, Two operators). `admin` may do everything, so that an
 * installation can start with one operator; `approvals.ts` limits what it may do alone.
 */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;

/** Counts in the operators' menu stop here. */
export const maxCountedInMenu = 100;

export type Role = (typeof roles)[number];

/** What each role can do. docs/operate/roles.md has the same table. */
export const roleSummaries: Record<Role, string> = {
  viewer: 'read',
  support:
    'also decide reviews, cancel and reinstate unclaimed rewards, correct their contacts, let others pass those that wait for funds, view a partner’s portal, grant test funding and use the TEST clock',
  finance:
    'also top up, withdraw, let others pass a reward that waits for funds, redeem, record and reverse payments, and manage plans, subscriptions and invoices',
  admin: 'do everything, including partners, credentials, rules and operators',
};

const everyone = roles;
const support = ['support', 'admin'] as const;
const finance = ['finance', 'admin'] as const;
const admin = ['admin'] as const;

/**
 * The permissions of the operators' API, and the roles that have them. The permission for a write
 * has the name of its operation.
 */
export const permittedRoles = {
  read: everyone,
  /** To export whole lists. */
  'export.start': everyone,
  'own-token.rotate': everyone,
  'own-token.revoke': everyone,

  'review.decide': support,
  'review.assign': support,
  'review.add-note': support,
  'review.ask': support,
  'reward.cancel': support,
  'reward.reinstate': support,
  'reward.correct-contact': support,
  'reward.end-hold': ['support', 'finance', 'admin'],
  'reward.let-pass': ['support', 'finance', 'admin'],
  'test-funding.add': support,
  /** To claim or expire a TEST reward immediately. */
  'test-clock': support,

  /** To see a partner's portal as a viewer of the partner does. */
  'partner.view-as': support,

  'partner.top-up': finance,
  'partner.withdraw': finance,
  'partner.correct-top-up': finance,
  'invoice.record-payment': finance,
  'invoice.reverse-payment': finance,
  'invoice.void': finance,
  'customer.redeem': finance,
  'plan.create': finance,
  'plan.publish': finance,
  'plan.archive': finance,
  'subscription.create': finance,
  'subscription.change': finance,
  'subscription.cancel': finance,

  'customer.erase': admin,
  'partner.create': admin,
  'partner.update': admin,
  'partner.invite': admin,
  'partner.request-go-live': admin,
  'partner.approve-go-live': admin,
  'partner.return-go-live': admin,
  'integration.create': admin,
  'integration.update': admin,
  'credential.create': admin,
  'credential.rotate': admin,
  'credential.revoke-secret': admin,
  'credential.revoke': admin,
  'service-account.revoke': admin,
  'webhook-endpoint.create': admin,
  'webhook-endpoint.update': admin,
  'webhook-endpoint.delete': admin,
  'webhook-endpoint.rotate-secret': admin,
  'webhook-endpoint.test': admin,
  'webhook-endpoint.resend': admin,
  'webhook-delivery.resend': admin,
  'earning-rule.create': admin,
  'earning-rule.activate': admin,
  'earning-rule.deactivate': admin,
  'refund-policy.create': admin,
  'refund-policy.activate': admin,
  'refund-policy.deactivate': admin,
  'points-end.set': admin,
  'operator.read': admin,
  'operator.create': admin,
  'operator.change-role': admin,
  'operator.revoke': admin,
  'operator.confirm': admin,
  'operator.revoke-token': admin,
  'operator.reset-second-factor': admin,
  /** For owners, who have nobody in their team to do it. */
  'user.reset-second-factor': admin,
  'audit.close': admin,
  'due.retry': admin,
  'signing-key.retire': admin,

  /** Each role may approve what it may do itself; a viewer nothing. */
  'proposal.decide': ['support', 'finance', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permittedRoles;

export function may(role: Role, permission: Permission): boolean {
  return (permittedRoles[permission] as readonly Role[]).includes(role);
}

/** Whether the second role has a permission that the first lacks. */
export function isRaise(from: Role, to: Role): boolean {
  const permissions = Object.keys(permittedRoles) as Permission[];
  return permissions.some((permission) => may(to, permission) && !may(from, permission));
}

/** When an operation needs the approval of a second operator (docs/operate/roles.md, Two operators). */
export interface ApprovalConfig {
  /** If false, anyone with the permission can act alone. */
  isOn: boolean;
  /**
   * The most that operators may redeem in a day without approval, in cents as `limitCentsOf` counts them: of one
   * customer, of one partner, and by one operator in total.
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

/** A proposal has FAILED if it could not be carried out, or no longer be approved; its reason says why. */
export const proposalStatuses = ['PROPOSED', 'APPROVED', 'REJECTED', 'FAILED', 'EXPIRED'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

interface Approver {
  operatorId: string;
  role: Role;
}

/** What a decision about a proposal depends on. */
interface ProposalState {
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
  { status, expiresAt }: Pick<ProposalState, 'status' | 'expiresAt'>,
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
  { action, proposedBy, ...proposal }: ProposalState,
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
  if (proposal.status === 'FAILED') {
    return { code: 'CONFLICT', message: 'It could not be carried out. Propose it again.' };
  }
  return undefined;
}

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
  'partner.withdraw',
  'partner.correct-top-up',
  'test-funding.add',
  'customer.redeem',
  'invoice.record-payment',
  'invoice.reverse-payment',
  'invoice.void',
] as const;

export type MovingOperation = (typeof movingOperations)[number];

export const isMoving = (name: string): name is MovingOperation =>
  (movingOperations as readonly string[]).includes(name);
