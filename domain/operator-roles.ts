/**
 * The roles of operators (docs/domain.md, Who may do what). `admin` may do everything, so that an
 * installation can start with one operator; `approvals.ts` limits what it may do alone.
 */
export const roles = ['viewer', 'support', 'finance', 'admin'] as const;

export type Role = (typeof roles)[number];

/** What each role can do. docs/operations.md has the same table. */
export const roleSummaries: Record<Role, string> = {
  viewer: 'read',
  support:
    'also decide reviews, cancel unclaimed rewards, view a partner’s portal, grant test funding and use the TEST clock',
  finance: 'also top up, redeem, and manage plans and subscriptions',
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
  'integration.test-funding': support,
  /** To claim or expire a TEST reward immediately. */
  'test-clock': support,

  /** To see a partner's portal as a viewer of the partner does. */
  'partner.view-as': support,

  'partner.top-up': finance,
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
