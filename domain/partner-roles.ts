/**
 * The roles of a partner's users (docs/domain.md, Who may do what). An owner may do everything, a
 * developer everything that neither moves money nor opens LIVE, and a viewer can only read.
 */
export const partnerRoles = ['owner', 'developer', 'viewer'] as const;

export type PartnerRole = (typeof partnerRoles)[number];

const everyone = partnerRoles;
const developer = ['owner', 'developer'] as const;
const owner = ['owner'] as const;

/** The permissions of the portal's pages, and the roles that have them. */
export const permittedPartnerRoles = {
  read: everyone,

  'integration.create': developer,
  /** Includes who delivers claim links. */
  'integration.update': developer,
  /** To create, rotate and revoke TEST keys. */
  'credential.test': developer,
  /** To manage TEST webhook endpoints. */
  'webhook.test': developer,
  /**
   * To create, rotate and revoke service accounts, which read in either mode what their creator
   * may.
   */
  'service-account.change': developer,
  'earning-rule.test': developer,
  'integration.test-funding': developer,
  /** Signed requests from the test console, and the TEST clock. */
  'test-event.send': developer,
  /** To see what was signed in refused requests of both modes: no secrets, and no customer data. */
  'refused-request.read': developer,
  /** To start comparisons of orders and back-tests, which change nothing and may take a while. */
  'job.start': developer,

  /** To answer operators' questions about a refund under review. */
  'review.answer': developer,

  'partner.update': owner,
  'partner.request-go-live': owner,
  'credential.live': owner,
  'webhook.live': owner,
  /** In LIVE, a rule determines what every point costs. */
  'earning-rule.live': owner,
  'subscription.change': owner,
  'user.invite': owner,
  'user.change-role': owner,
  'user.remove': owner,
  /** For another user, never oneself. */
  'user.reset-second-factor': owner,
} as const satisfies Record<string, readonly PartnerRole[]>;

export type PartnerPermission = keyof typeof permittedPartnerRoles;

export function partnerMay(role: PartnerRole, permission: PartnerPermission): boolean {
  return (permittedPartnerRoles[permission] as readonly PartnerRole[]).includes(role);
}
