/**
 * What the users of a partner may do (docs/domain.md, Who may do what). An owner may do everything; a
 * developer what neither moves money nor opens LIVE; a viewer reads.
 */
export const partnerRoles = ['owner', 'developer', 'viewer'] as const;

export type PartnerRole = (typeof partnerRoles)[number];

const everyone = partnerRoles;
const developer = ['owner', 'developer'] as const;
const owner = ['owner'] as const;

/** What a page of the portal asks for, and who has it. */
export const permittedPartnerRoles = {
  read: everyone,

  'integration.create': developer,
  /** Who brings customers their claim links. */
  'integration.update': developer,
  /** Keys of TEST: made, rotated and revoked. */
  'credential.test': developer,
  /** Where TEST events are told: as with its keys. */
  'webhook.test': developer,
  /** Programs that read, in either mode, as its maker may: made, rotated and revoked. */
  'service-account.change': developer,
  'earning-rule.test': developer,
  'integration.test-funding': developer,
  /** Signed requests from the test console, and the TEST clock. */
  'test-event.send': developer,
  /** What was signed in requests that were refused, of both modes: no secret, and no customer. */
  'refused-request.read': developer,
  /** Comparisons of orders and back-tests: they change nothing, and are not done in an instant. */
  'job.start': developer,

  /** What operators asked about a refund that they review. */
  'review.answer': developer,

  'partner.update': owner,
  'partner.request-go-live': owner,
  'credential.live': owner,
  'webhook.live': owner,
  /** In LIVE a rule decides what every point costs. */
  'earning-rule.live': owner,
  'subscription.change': owner,
  'user.invite': owner,
  'user.change-role': owner,
  'user.remove': owner,
  /** Of another user, never one's own. */
  'user.reset-second-factor': owner,
} as const satisfies Record<string, readonly PartnerRole[]>;

export type PartnerPermission = keyof typeof permittedPartnerRoles;

/** Whether a partner's user of this role has this permission. */
export function partnerMay(role: PartnerRole, permission: PartnerPermission): boolean {
  return (permittedPartnerRoles[permission] as readonly PartnerRole[]).includes(role);
}
