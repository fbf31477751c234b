/**
 * Who brings customers their claim links: the service, or the partner, which gets the link in the answer
 * to the purchase. It is an integration's choice, and a purchase keeps the one that it was made under.
 */
export const deliveries = ['SERVICE', 'PARTNER'] as const;

export type Delivery = (typeof deliveries)[number];

/** The link that claims a reward. @param portalUrl where customers reach the portal, without a slash at the end */
export function claimUrlOf(portalUrl: string, claimToken: string): string {
  return `${portalUrl}/claim/${claimToken}`;
}
